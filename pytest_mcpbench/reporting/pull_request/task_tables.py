"""Tables of tasks in comments."""

from collections.abc import Sequence

from pytest_mcpbench.reporting.cells import model_name
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.table import Table, filled_table
from pytest_mcpbench.reporting.telling_tasks import TellingTask, one_per_cause

_TELLING = 5
_LONGEST_REASON = 120


def telling_table(tasks: Sequence[TellingTask], *, are_changes: bool) -> Table:
    """Return the five most telling tasks."""
    rows = [_row(task, _LONGEST_REASON) for task in one_per_cause(tasks, _TELLING)]
    return _table("Most telling tasks", rows, tasks, are_changes=are_changes)


def task_table(title: str, tasks: Sequence[TellingTask], *, are_changes: bool) -> Table:
    """Return all tasks in their order."""
    return _table(title, [_row(task, 2 * _LONGEST_REASON) for task in tasks], tasks, are_changes=are_changes)


def _table(title: str, rows: Sequence[tuple[str, ...]], tasks: Sequence[TellingTask], *, are_changes: bool) -> Table:
    """Return the table without the columns of suite and model where all tasks have the same."""
    same = [len({task.suite for task in tasks}) < 2, len({task.model for task in tasks}) < 2]
    kept = [tuple("" if index < 2 and same[index] else cell for index, cell in enumerate(row)) for row in rows]
    passes = "passed before → after" if are_changes else "passed"
    headings = ("suite", "model", "task", passes, "expected → called", "reason")
    return filled_table(title, headings, kept, len(headings))


def _row(task: TellingTask, longest: int) -> tuple[str, ...]:
    return (
        one_line(task.suite, 60),
        model_name(task.model),
        one_line(task.task, 80),
        task.passes,
        one_line(task.tools, 120),
        one_line(task.reason, longest),
    )
