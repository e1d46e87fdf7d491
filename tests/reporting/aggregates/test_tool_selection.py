"""Cells of MCP-RADAR's Table 4."""

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.metrics.operation import Operation
from pytest_mcpbench.reporting.aggregates.tool_choices import SelectionCells, selection_cells
from pytest_mcpbench.reporting.data import json
from pytest_mcpbench.reporting.page import report_page
from pytest_mcpbench.reporting.texts import terminal
from tests.builders import a_call, a_task, evidence_of, expected_call
from tests.reporting.samples import a_report, an_entry

FIND, SEND = expected_call("find", {"query": "bob"}), expected_call("send", {"to": "bob"})
TASK = a_task((FIND,), (SEND,))
FOUND, SENT, SENT_WRONGLY = (
    a_call("find", {"query": "bob"}),
    a_call("send", {"to": "bob"}),
    a_call("send", {"to": "eve"}),
)
LOOKUP = a_call("list")
HINTED = {"hint": "tools"}


def _entry(task_id: str, *calls: CallRecord, tags: dict[str, str] | None = None) -> Entry:
    score = Operation()(TASK, evidence_of(*((call,) for call in calls)))
    outcome = "passed" if score.value else "failed"
    scored = {"scores": {"operation": score.value}, "counts": {"operation": score.counts}}
    return an_entry(task_id, outcome, tags=tags or {}, **scored)


ATTEMPTS = {
    "all": (FOUND, SENT),
    "with a lookup": (LOOKUP, FOUND, LOOKUP, SENT),
    "one call, right": (FOUND,),
    "one call, the last": (LOOKUP, SENT),
    "one of two": (FOUND, SENT_WRONGLY),
    "one of three": (FOUND, SENT_WRONGLY, SENT_WRONGLY),
    "other order": (SENT, FOUND),
    "none right": (SENT_WRONGLY,),
    "no call": (),
}


def test_hinted_attempts_are_counted_in_the_cells_of_the_paper() -> None:
    report = a_report(*(_entry(name, *calls, tags=HINTED) for name, calls in ATTEMPTS.items()))
    (cells,) = selection_cells(report)
    assert cells == SelectionCells("s", "m", is_hinted=True, attempts=9, all_right=2, fewer_all_right=2, some_right=2)
    assert cells.other == 3


def test_single_calls_errors_and_attempts_without_the_metric_are_not_counted() -> None:
    single = an_entry(
        "single",
        scores={"operation": 1.0},
        counts={"operation": {"expected": 1, "right_calls": 1, "reference_tool_calls": 1}},
    )
    error = _entry("error", FOUND, SENT).model_copy(update={"outcome": "error"})
    assert selection_cells(a_report(single, error, an_entry("other"))) == ()


def test_every_format_shows_the_cells_with_their_denominators() -> None:
    report = a_report(_entry("a", FOUND, SENT), _entry("b", FOUND), _entry("c", FOUND, tags=HINTED))
    lines = [line.split() for line in terminal.lines(report, verbosity=1)]
    assert ["s", "m", "2/", "2", "1", "0.500"] in lines
    assert ["1/1", "1", "1", "1.000"] in lines
    assert '"tool_selection": [\n    {\n      "suite": "s"' in json.text(report)
    assert "Multi-tool selection" in "".join(report_page.report_page(report, lambda _: iter(())))
