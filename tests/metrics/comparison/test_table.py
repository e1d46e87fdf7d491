from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool_choice import ComparisonRow
from pytest_mcpbench.metrics.comparison.table import comparison_rows
from pytest_mcpbench.metrics.reference_matching import match_strictly
from tests.builders import a_call, a_task, evidence_of, expected_call


def rows_of(task: Task, evidence: AttemptEvidence) -> tuple[ComparisonRow, ...]:
    return comparison_rows(match_strictly(task.expected.flat_calls, task, evidence))


def test_rows_stand_in_the_order_of_the_reference_with_extra_calls_last() -> None:
    task = a_task(
        (expected_call("read", {"path": "a"}),), (expected_call("write", {"path": "b"}), expected_call("stop"))
    )
    evidence = evidence_of((a_call("list"), a_call("write", {"path": "c"})), (a_call("read", {"path": "A"}),))

    assert rows_of(task, evidence) == (
        ComparisonRow("read(path='a')", "read(path='A')", "same", call_index=2),
        ComparisonRow("write(path='b')", "write(path='c')", "different", ("path: expected 'b', got 'c'",), 1),
        ComparisonRow("stop()", "", "missing"),
        ComparisonRow("", "list()", "extra", call_index=0),
    )


def test_malformed_arguments_are_shown_as_they_were_written() -> None:
    call = a_call("read", problem="malformed_arguments", raw_arguments="{path: a")

    (row,) = rows_of(a_task((expected_call("read", {"path": "a"}),)), evidence_of((call,)))

    assert row == ComparisonRow(
        "read(path='a')", "read('{path: a')", "different", ("the arguments are not a JSON object",), 0
    )


def test_nothing_expected_and_nothing_done_is_an_empty_table() -> None:
    assert rows_of(a_task(), evidence_of()) == ()
