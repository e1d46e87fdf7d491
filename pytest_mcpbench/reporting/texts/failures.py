"""Failing attempts as text: the message of one, and the list at the end of a run."""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from textwrap import wrap

from pytest_mcpbench.core.call_text import SHORT_VALUE, format_call
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.reference_lines import state_line
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.score import Score, Scorecard
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool_choice import ComparisonRow
from pytest_mcpbench.core.trajectory import CALL_IN_TEXT
from pytest_mcpbench.reporting.aggregates.failure_causes import cause_of
from pytest_mcpbench.reporting.aggregates.telling_tasks import failing_tasks, one_per_cause
from pytest_mcpbench.reporting.forms.display_text import cut_columns, one_line, pad, short_reason, visible, width

# Rows of reference calls beside actual calls, as lines of text.

_SIGNS = {"same": "=", "different": "≠", "missing": "-", "extra": "+"}

Wrap = Callable[[str, int], list[str]]


def column_width(columns: int) -> int:
    """Return the width of each of the two columns on a terminal with that many columns."""
    return max(30, (columns - 5) // 2)


def heading(half: int) -> str:
    """Return the headings of both columns."""
    return f"  {pad('expected calls', half, to_the_left=True)}  actual calls"


def row_lines(
    row: ComparisonRow, half: int, wrap: Wrap, format_reason: Callable[[str], str] = short_reason
) -> Iterator[str]:
    """Yield the lines of one row: a sign, both calls wrapped to ``half`` columns, and the differences."""
    sides = wrap(row.expected, half) or [""], wrap(row.actual, half) or [""]
    for index, (expected, actual) in enumerate(zip_longest(*sides, fillvalue="")):
        sign = _SIGNS[row.verdict] if index == 0 else " "
        yield f"{sign} {pad(expected, half, to_the_left=True)}  {actual}".rstrip()
    for reason in row.reason:
        yield f"    {format_reason(reason)}"


# Message of a failing attempt: unmet floors with reasons, then expected and actual calls side by side.

TEXT_CALLS_REMEDY = 'tools = "json" in the model\'s table, or --mcpbench-model-setting=tools=json, reads such calls'
REASONS_SHOWN = 20
_CALLS_SHOWN = 40
_CHANGES_SHOWN = 30
_TEXT_LINES = 8
_CALL_LINES = 4
_HEADLINE_REASON = 200


def shortfall_message(
    task: Task, evidence: AttemptEvidence, scorecard: Scorecard, rows: Sequence[ComparisonRow], *, columns: int = 120
) -> str:
    """Return a message that starts with a one-line summary, followed by reasons, request, calls, state and answer."""
    short_scores: list[str] = []
    for name in scorecard.shortfalls:
        score = scorecard[name]
        because = [short_reason(reason, _HEADLINE_REASON) for reason in score.reasons[:1]]
        short_scores.append(
            f"{name} {value(score)} < {scorecard.floors[name]:g}{''.join(f': {reason}' for reason in because)}"
        )
    headline = "; ".join(short_scores)
    answer, call_in_text = task.expected.answer, evidence.trajectory.notes.get(CALL_IN_TEXT)
    hints: list[str] = []
    if call_in_text is not None:
        hints.append(f"hint: the answer is a call of {one_line(call_in_text)} written as text; {TEXT_CALLS_REMEDY}")
    return "\n".join(
        [
            headline,
            *_scores(scorecard),
            "",
            *_with_label("request", task.prompt, columns),
            *_calls(task, evidence, rows, columns),
            *_state(task, evidence),
            "",
            *(_with_label("expected answer", answer, columns) if answer is not None else ()),
            *_with_label("actual answer" if answer is not None else "answer", evidence.answer, columns),
            *hints,
            f"stopped: {evidence.trajectory.stop}",
        ]
    )


def unscored_message(scorecard: Scorecard) -> str:
    """Return the reasons why an attempt has no verdict."""
    return "unscored: " + "; ".join(
        f"{name}: {one_line(scorecard[name].unscored or '')}" for name in scorecard.unscored
    )


def value(score: Score) -> str:
    """Format a score with three digits, and with its counts if they are known: ``0.667 (2 of 3)``."""
    if score.value is None:
        return "unscored" if score.applies else "n/a"
    part, whole = score.counts.get("part"), score.counts.get("whole")
    counted = f" ({part:g} of {whole:g})" if part is not None and whole else ""
    return f"{score.value:.3g}{counted}"


def flat_reasons(score: Score) -> list[str]:
    """Return each reason on one line."""
    return [short_reason(reason) for reason in score.reasons]


def _scores(scorecard: Scorecard) -> Iterator[str]:
    for name in scorecard.shortfalls:
        reasons = flat_reasons(scorecard[name])
        yield ""
        yield f"{name}: {value(scorecard[name])}, required: at least {scorecard.floors[name]:g}"
        yield from (f"  {reason}" for reason in reasons[:REASONS_SHOWN])
        if len(reasons) > REASONS_SHOWN:
            yield f"  … and {len(reasons) - REASONS_SHOWN} more reasons in the record"
    for name in scorecard.unscored:
        yield f"{name}: unscored: {one_line(scorecard[name].unscored or '')}"


def _calls(task: Task, evidence: AttemptEvidence, rows: Sequence[ComparisonRow], columns: int) -> Iterator[str]:
    if not task.expected.flat_calls:
        if evidence.calls:
            yield ""
            yield "calls:"
        for call in evidence.calls[:_CALLS_SHOWN]:
            failed = "  (error)" if call.is_error else ""
            yield f"  {one_line(format_call(call, SHORT_VALUE), columns - 12)}{failed}"
        if len(evidence.calls) > _CALLS_SHOWN:
            yield f"  … and {len(evidence.calls) - _CALLS_SHOWN} more in the record"
        return
    half = column_width(columns)
    yield ""
    yield heading(half)
    for row in rows[:_CALLS_SHOWN]:
        yield from row_lines(row, half, partial(_wrap, most=_CALL_LINES))
    if len(rows) > _CALLS_SHOWN:
        yield f"… and {len(rows) - _CALLS_SHOWN} more rows in the record"


def _state(task: Task, evidence: AttemptEvidence) -> Iterator[str]:
    if not task.expected.state:
        return
    changes = [f"{change.kind} {world.name}: {change.path}" for world in evidence.worlds for change in world.changes]
    yield ""
    yield "expected state:"
    yield from (f"  {short_reason(state_line(check), 300)}" for check in task.expected.state)
    yield "actual changes:" if changes else "actual changes: none"
    yield from (f"  {one_line(change)}" for change in changes[:_CHANGES_SHOWN])
    if len(changes) > _CHANGES_SHOWN:
        yield f"  … and {len(changes) - _CHANGES_SHOWN} more in the record"


def _with_label(label: str, text: str, columns: int) -> list[str]:
    """Return the text after its label on one line if it fits, else on lines below it."""
    lines = _wrap(text, columns - 2)
    if not lines:
        return [f"{label}: (none)"]
    if len(lines) == 1 and width(lines[0]) + len(label) + 2 <= columns:
        return [f"{label}: {lines[0]}"]
    return [f"{label}:", *(f"  {line}" for line in lines)]


def _wrap(text: str, columns: int, most: int = _TEXT_LINES) -> list[str]:
    """Wrap a text; if it has too many lines, the last line states its length instead."""
    lines: list[str] = []
    for line in visible(text[: columns * (most + 1) * 2]).split("\n"):
        lines += textwrap.wrap(line, columns, break_on_hyphens=False)
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"… ({len(text):,} characters, see the record)"]


# Failures at the end of a run, one by one: a few of them on a line each, or all of them with their whole reasons.

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
        # A node id longer than a line stays in one piece, so that it can be copied.
        yield from wrap(
            message, max(40, columns), subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
        )


def cut_lines(selected: Sequence[Entry], messages: Mapping[str, str], columns: int) -> Iterator[str]:
    """Yield one line for each attempt, cut to the width of the terminal; the cause of a failure precedes its reason."""
    for entry in selected:
        message = messages[entry.node_id]
        if entry.outcome != "error":
            cause = cause_of(entry)
            start, name, reason = message.partition(f"{entry.node_id} - ")
            message = f"{start}{name}{': '.join(filter(None, (cause.kind, cause.detail)))}; {reason}"
        yield cut_columns(one_line(message, _LONGEST_MESSAGE), columns)
