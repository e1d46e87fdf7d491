import time
from typing import Any

import pytest

from pytest_mcpbench.core.result_templates import (
    ResultTemplateError,
    literal_texts,
    referenced_results,
    render,
    render_value,
)
from pytest_mcpbench.core.tool import ToolResult

RESULTS = {
    "1": ToolResult.of_text("[{'number': 'F-7', 'paid_on': None, 'note': \"it's\", 'amount': 1234.5}]"),
    "2": ToolResult.of_text('{"result": 17.5}'),
    "3": ToolResult.of_text("MsgID,Text\n1772209200.000100,Nothing above 60 EUR\n"),
    "4": ToolResult.of_text("- 31 days and more: Marcus calls\n- penalty 1,800 EUR"),
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        pytest.param("{{ results[1][0].number }}", "F-7", id="Python notation"),
        pytest.param("{{ results[1][0].paid_on is none }} {{ results[1][0].note }}", "True it's", id="constants"),
        pytest.param("{{ results['2'] }}", "17.5", id="a wrapped value"),
        pytest.param("{{ (results[3] | csv | first).MsgID }}", "1772209200.000100", id="long ids stay text"),
        pytest.param("{{ results[4] | find('([0-9]+) days') | number + 1 }}", "32", id="find and number"),
        pytest.param("{{ results[4] | find('([0-9,]+) EUR') | number }}", "1800", id="thousands"),
        pytest.param("{{ results[4] | find('above', none) is none }}", "True", id="a default"),
        pytest.param("{{ ['a', 'b', 'c'] | listed }}", "a, b and c", id="listed"),
        pytest.param("{{ results[1][0].amount | money }}", "1,234.50", id="money"),
        pytest.param("{{ results[2] | fixed(2) }}", "17.50", id="fixed"),
        pytest.param("{{ ('2026-02-18' | date + days(14)) | long_date }}", "4 March 2026", id="dates"),
        pytest.param("{{ ('2 March 2026' | date - '2026-01-22' | date).days }}", "39", id="days between"),
        pytest.param("{% set a = 0.1 + 0.2 %}\n\nIt is {{ a }}.\n", "It is 0.3.", id="no empty lines, no float noise"),
    ],
)
def test_a_template_reads_results(template: str, text: str) -> None:
    assert render(template, RESULTS) == text


@pytest.mark.parametrize(
    "template",
    [
        pytest.param("{{ results[9] }}", id="no such call"),
        pytest.param("{{ results[1][0].paid }}", id="no such field"),
        pytest.param("{{ results[4] | find('([0-9]+) weeks') }}", id="no match"),
        pytest.param("{{ results[4] | date }}", id="no date"),
        pytest.param("{% if %}", id="syntax"),
        pytest.param("{{ results.__class__.__mro__ }}", id="sandbox"),
    ],
)
def test_a_template_that_finds_no_value_is_a_fault(template: str) -> None:
    with pytest.raises(ResultTemplateError):
        render(template, RESULTS)
    with pytest.raises(ResultTemplateError):
        render_value({"a": [template]}, RESULTS)


@pytest.mark.parametrize(
    ("value", "rendered"),
    [
        pytest.param("{{ results[2] }}", 17.5, id="an expression keeps its type"),
        pytest.param("{{ results[2] }} h", "17.5 h", id="text"),
        pytest.param({"x": ["{{ results[1][0].number }}", 3]}, {"x": ["F-7", 3]}, id="nested"),
    ],
)
def test_texts_of_a_value_are_rendered(value: Any, rendered: Any) -> None:
    assert render_value(value, RESULTS) == rendered


def test_the_results_that_a_template_reads_are_known_unless_they_depend_on_results() -> None:
    assert referenced_results({"a": "{{ results[1] }} {{ results['x'].y }}", "b": 3}) == frozenset(("1", "x"))
    assert referenced_results("{% for i in range(3) %}{{ results[i] }}{% endfor %}") is None
    assert referenced_results("{{ results | length }}") is None


def test_literal_texts_are_all_that_a_template_can_write_by_itself() -> None:
    template = "It is {{ 'above' if results[2] > 9 else 'below' ~ ' 7' }} {{ results[4] | find('31 days') }}."
    assert literal_texts(template) == ("It is ", "above", "below", " 7", " ", ".")


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'a'|find('(((') }}",
        "{{ 'a'|find('a{99999999999}') }}",
        "{{ 3|csv }}",
        "{{ 'a' * 10 ** 10 }}",
        "{{ 9 ** 99999 ** 2 }}",
        "{{ 5|fixed(10 ** 9) }}",
        "{{ " + "(" * 5000 + " }}",
        "{{ " + "9" * 5000 + " }}",
        "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    ],
)
def test_whatever_a_template_does_wrong_is_an_error_of_the_template(template: str) -> None:
    with pytest.raises(ResultTemplateError):
        render(template, {})


def test_a_result_of_escaped_quotation_marks_is_read_in_linear_time() -> None:
    started = time.process_time()
    render("{{ results['1'] }}", {"1": ToolResult.of_text('["' + '\\"' * 50_000)})
    assert time.process_time() - started < 2
