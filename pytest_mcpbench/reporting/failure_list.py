"""Failures at the end of a run: a few of them one by one, then all of them by cause."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.failure_causes import CauseGroup, group_causes
from pytest_mcpbench.reporting.telling_tasks import failing_tasks, one_per_cause

_MOST_DETAILS = 3
_MOST_GROUPS = 8
_LONGEST_MESSAGE = 2000


def select_failures(entries: Sequence[Entry], limit: int | None) -> list[Entry]:
    """Return all attempts if they are no more than ``limit``, else one attempt at each of the most telling tasks."""
    if limit is None or len(entries) <= limit:
        return list(entries)
    return [task.entry for task in one_per_cause(failing_tasks(entries), limit)]


def failure_lines(selected: Sequence[Entry], messages: Mapping[str, str], columns: int) -> Iterator[str]:
    """Yield a line per attempt, as pytest's short summary has it, wrapped instead of cut.

    Args:
        selected: Attempts to list.
        messages: Node id -> ``FAILED`` or ``ERROR``, the node id and the reason.
        columns: Width of the terminal.
    """
    for entry in selected:
        yield from _wrapped(one_line(messages[entry.node_id], _LONGEST_MESSAGE), columns, "  ")


def cause_lines(entries: Sequence[Entry], attempts: int, columns: int) -> Iterator[str]:
    """Yield the number of attempts that did not pass, and a line for each cause.

    Args:
        entries: Attempts that did not pass.
        attempts: Number of all attempts.
        columns: Width of the terminal.
    """
    groups = group_causes(entries)
    yield f"{len(entries)} of {attempts} attempts did not pass:"
    for group in groups[:_MOST_GROUPS]:
        yield from _wrapped(_group_line(group, len(str(len(entries)))), columns, " " * (len(str(len(entries))) + 4))
    if len(groups) > _MOST_GROUPS:
        rest = sum(group.attempts for group in groups[_MOST_GROUPS:])
        yield f"  {rest} for {len(groups) - _MOST_GROUPS} other causes"


def _group_line(group: CauseGroup, digits: int) -> str:
    details = [f"{detail} ({count})" for detail, count in group.details[:_MOST_DETAILS]]
    more = [f"… {len(group.details) - _MOST_DETAILS} more"] if len(group.details) > _MOST_DETAILS else []
    listed = ", ".join([*details, *more])
    return f"  {group.attempts:>{digits}} {group.kind}{f': {listed}' if listed else ''}"


def _wrapped(text: str, columns: int, indent: str) -> list[str]:
    return wrap(text, max(40, columns), subsequent_indent=indent, break_on_hyphens=False)
