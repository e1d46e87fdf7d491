"""Tasks of the suite ``atlas``: facts fill claims, and what servers or data contradict is told with its place."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.result_templates import ResultTemplateError, fill_slots
from pytest_mcpbench.generation.atlas.draft import Draft, WrittenDerivation, drafts
from pytest_mcpbench.generation.atlas.facts import FACTS
from pytest_mcpbench.generation.atlas.rows import json_line, require_shown, shown_by
from pytest_mcpbench.generation.source.calls import ReferenceCall

SUM = ReferenceCall(tool="calculator_calculate", arguments={"expression": "40 + 2"})
PRODUCT = ReferenceCall(tool="calculator_calculate", arguments={"expression": "42 * 2"})
READ = ReferenceCall(tool="filesystem_read_text_file", arguments={"path": "/data/x"})
DERIVATION = WrittenDerivation(answer="{{ results[2] }}", arguments={"2": {"expression": "{{ results[1] }} * 2"}})
DRAFT = Draft("sum", "?", (SUM, PRODUCT), ("84.",), DERIVATION, SourceLocation("x.yaml", 3))


def test_a_path_is_known_from_the_arguments_of_an_earlier_call_in_any_letters() -> None:
    written = ReferenceCall(tool="filesystem_write_file", arguments={"path": "/data/Köln"})
    read = ReferenceCall(tool="filesystem_read_text_file", arguments={"path": "/data/Köln"})
    require_shown(read, shown_by(written, "done"), DRAFT)
    with pytest.raises(TaskError, match="which neither the request nor an earlier result shows"):
        require_shown(read, "done", DRAFT)


def test_a_fact_fills_its_slot_in_a_claim() -> None:
    assert fill_slots(
        "{{ share | fixed(1) }} % of {{ year.budget | money }}", {"share": 7.25, "year": {"budget": 1e3}}
    ) == ("7.2 % of 1,000.00")
    with pytest.raises(ResultTemplateError, match="'shares' is undefined"):
        fill_slots("{{ shares }}", {"share": 1})


def _read(directory: Path, **fields: Any) -> Draft:
    task = {"ask": "?", "calls": [], "claims": ["{{ first }} and {{ limit }}."], "derivation": {"answer": ""}, **fields}
    (directory / "source").mkdir()
    (directory / "source" / "tasks.yaml").write_text(json.dumps({"a-task": task}), encoding="utf-8")
    (draft,) = drafts(directory / "source", ["tasks"])
    return draft


LIMIT = "{{ number(page('pg-9f7b-rooms', 'Loft: 16 seats'), 'Loft: ([0-9]+)') }}"


def test_facts_are_looked_up_in_the_data_behind_the_servers(tmp_path: Path) -> None:
    facts = {"first, second": "{{ ['Ada', 'Bo'] }}", "limit": LIMIT}
    relies_on = ["{{ message('Eleven people come on 17 March') }}", {"there is room": "{{ limit > 11 }}"}]
    assert _read(tmp_path, facts=facts, relies_on=relies_on).claims == ("Ada and 16.",)


@pytest.mark.parametrize(
    ("relies_on", "message"),
    [
        ({"there is more room": "{{ limit > 20 }}"}, "the data do not say that there is more room."),
        ("{{ message('Twelve people come on 17 March') }}", "the data do not say that there is one message with"),
        ("{{ massage('x') }}", "'massage' is undefined."),
    ],
)
def test_what_the_data_contradict_is_told_with_its_place(tmp_path: Path, relies_on: Any, message: str) -> None:
    with pytest.raises(TaskError, match=rf"tasks.yaml:1: 'a-task': .*{re.escape(message)}"):
        _read(tmp_path, facts={"first": "{{ 1 }}", "limit": LIMIT}, relies_on=[relies_on])


def test_every_function_of_facts_has_a_task() -> None:
    assert {*FACTS} <= {draft.task_id for draft in drafts()}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"calls": (SUM, SUM)}, "calculator_calculate has expression '40 + 2', but derived is '42 * 2'."),
        ({"calls": (ReferenceCall(tool="calculator_calc", arguments={}),)}, "Did you mean 'calculator_calculate'?"),
        (
            {"calls": (ReferenceCall(tool="git_git_log", arguments={"repo_path": "x"}),)},
            "git_git_log {'repo_path': 'x'} fails",
        ),
        (
            {"derivation": WrittenDerivation(answer="", arguments={"2": {"expression": "{{ results[7] }}"}})},
            "results[7]",
        ),
    ],
)
def test_a_call_that_the_servers_contradict_is_told_with_its_place(changes: dict[str, Any], message: str) -> None:
    assert '"42 * 2"' in json_line(DRAFT, 1).replace("\\", "")
    with pytest.raises(TaskError, match=rf"^x\.yaml:3: 'sum': .*{re.escape(message)}"):
        json_line(replace(DRAFT, **changes), 1)
