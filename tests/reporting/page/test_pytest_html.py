"""Columns, cells and summary for pytest-html, which stay small and have no markup of others."""

from pathlib import PurePath

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.page import pytest_html
from tests.reporting.samples import HOSTILE, an_entry, one_of_each, report_of, scored

PAGE = PurePath("report.mcpbench.html")


def test_columns_are_model_metrics_cost_and_reason() -> None:
    assert pytest_html.columns(report_of(one_of_each())) == ("model", "ast", "answer", "cost", "reason")


def test_cells_say_why_there_is_no_number() -> None:
    headings = ("model", "ast", "cost")
    silent = scored("a", None)
    shown = [
        [cell.text for cell in pytest_html.cells(entry, headings)]
        for entry in (scored("a", 0.5), silent, silent.model_copy(update={"not_applicable": ("ast",)}))
    ]
    assert shown == [["m", "0.500", "$0"], ["m", "unscored", "$0"], ["m", "n/a", "$0"]]


def test_a_column_is_sorted_by_numbers_or_by_words_never_by_both() -> None:
    entries = [scored("a", 0.5), scored("b", None), scored("c", 1, model="z")]
    headings = ("model", "ast", "other", "cost", "reason")
    rows = [[type(cell.order) for cell in pytest_html.cells(entry, headings)] for entry in entries]
    rows.append([type(cell.order) for cell in pytest_html.empty_cells(headings)])
    assert all(row == [str, float, float, float, str] for row in rows)


def test_the_reason_of_a_row_is_that_of_its_outcome() -> None:
    entries = [Entry.of(record) for record in one_of_each()]
    reasons = {entry.task_id: pytest_html.cells(entry, ("reason",))[0].text for entry in entries}
    assert reasons["pass"] == ""
    assert reasons["fail"].startswith("no call of read(path='a.txt'); call 1")
    assert reasons["error"] == "server 'notes' failed to start: it exited (exit code 1)"
    assert reasons["unscored"] == "ast: no judge is configured"


def test_the_summary_links_to_the_page_and_has_the_main_tables() -> None:
    shown = pytest_html.summary(report_of(one_of_each("m") + one_of_each("other")), PAGE)
    assert 'href="report.mcpbench.html"' in shown
    for title in ("Results", "Metrics", "Against the best"):
        assert f"<caption>{title}</caption>" in shown
    assert "<img" not in shown


def test_the_link_of_an_attempt_survives_any_name() -> None:
    entry = an_entry("a/b", model=HOSTILE, trial=2)
    link = pytest_html.attempt_link(entry, PAGE)
    assert link.startswith('<a href="report.mcpbench.html#s/a%2Fb/%3Cscript')
    assert link.count("<") == 2


def test_a_long_report_has_no_columns_of_metrics_and_says_so() -> None:
    report = report_of(one_of_each() * (pytest_html.MOST_ROWS_WITH_METRICS // 4 + 1))
    assert pytest_html.columns(report) == ("model", "cost", "reason")
    assert "no columns of metrics" in pytest_html.summary(report, PAGE)
