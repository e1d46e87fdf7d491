"""Table of what the attempts of ``oracle`` show."""

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.trajectory import DERIVED, NOT_COMPARED, RECITED, SHOWN
from pytest_mcpbench.reporting.pull_request import report as pull_request_report
from pytest_mcpbench.reporting.tables.results import oracle_table
from pytest_mcpbench.reporting.texts import terminal
from tests.reporting.samples import a_report, an_entry


def _entry(task_id: str, origin: str, calls: int) -> Entry:
    return an_entry(task_id, "passed", model="oracle", tool_calls=calls, answer_origin=origin)


def test_attempts_without_calls_and_recited_answers_are_counted() -> None:
    report = a_report(
        _entry("a", RECITED, 0),
        _entry("b", RECITED, 2),
        _entry("c", NOT_COMPARED, 1),
        _entry("d", DERIVED, 3),
        _entry("e", SHOWN, 2),
    )
    table = oracle_table(report)
    assert table.headings == (
        "suite",
        "attempts",
        "no call",
        "answer derived",
        "answer found",
        "answer recited",
        "words not compared",
    )
    assert table.rows == (("s", "5", "1", "1", "1", "2", "1"),)
    assert "recited: the answer is taken from the task" in pull_request_report.text(report)


def test_a_run_without_oracle_has_no_such_table() -> None:
    assert "Oracle" not in "\n".join(terminal.lines(a_report(an_entry("a", "passed"))))
