"""Failures at the end of a run, one by one: a few of them on a line each, or all of them with their whole reasons."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.display_text import cut_columns, one_line
from pytest_mcpbench.reporting.failure_causes import cause_of
from pytest_mcpbench.reporting.telling_tasks import failing_tasks, one_per_cause

_LONGEST_MESSAGE = 2000


def select_failures(entries: Sequence[Entry], limit: int | None) -> list[Entry]:
    """Return all attempts if they are no more than ``limit``, else one attempt at each of the most telling tasks."""
    if limit is None or len(entries) <= limit:
        return list(entries)
    return [task.entry for task in one_per_cause(failing_tasks(entries), limit)]


def whole_lines(selected: Sequence[Entry], messages: Mapping[str, str], columns: int) -> Iterator[str]:
    """Yield the attempts as pytest's short summary has them, wrapped instead of cut.

    Args:
        selected: Attempts to list.
        messages: Node id -> ``FAILED`` or ``ERROR``, the node id and the reason.
        columns: Width of the terminal.
    """
    for entry in selected:
        message = one_line(messages[entry.node_id], _LONGEST_MESSAGE)
        yield from wrap(message, max(40, columns), subsequent_indent="  ", break_on_hyphens=False)


def cut_lines(selected: Sequence[Entry], messages: Mapping[str, str], columns: int) -> Iterator[str]:
    """Yield one line for each attempt, cut to the width of the terminal; the cause of a failure precedes its reason."""
    for entry in selected:
        message = messages[entry.node_id]
        if entry.outcome != "error":
            cause = cause_of(entry)
            start, name, reason = message.partition(f"{entry.node_id} - ")
            message = f"{start}{name}{': '.join(filter(None, (cause.kind, cause.detail)))}; {reason}"
        yield cut_columns(one_line(message, _LONGEST_MESSAGE), columns)
