"""Explanation of a gate's verdict, from the attempts of both arms and the changes of the definitions."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pytest_mcpbench.core.arm import fresh_arm
from pytest_mcpbench.core.call_text import format_call
from pytest_mcpbench.core.gate.explanation import ChangedArgument, ChangedCell, ChangedText, Explanation, TaskTraces
from pytest_mcpbench.core.gate.result import TaskTrials
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.core.token_estimate import estimate_tokens
from pytest_mcpbench.definitions.compatibility import Change
from pytest_mcpbench.reporting.tool_choices import argument_mistakes, changed_cells, confusion
from pytest_mcpbench.runtime.records import read_record

_MOST_TRACES = 10
_TEXT_RULES = ("text-changed", "instructions-changed")


def explanation_of(  # noqa: PLR0913 (each is a different thing)
    entries: Sequence[Entry],
    *,
    baseline: str,
    candidate: str,
    changes: Iterable[Change],
    tasks: Iterable[TaskTrials],
    directory: Path,
) -> Explanation:
    """Return the explanation of a gate.

    Args:
        entries: First and fresh trials of both arms.
        baseline: Name of the arm that is compared with.
        candidate: Name of the other arm.
        changes: Changes of the definitions.
        tasks: Tasks whose trials changed.
        directory: Directory of the records.
    """
    before, after = (_of_arm(entries, arm) for arm in (baseline, candidate))
    return Explanation(
        texts=tuple(_changed_texts(changes)),
        cells=tuple(
            ChangedCell(expected=expected, called=called, before=old, after=new)
            for (expected, called), old, new in changed_cells(confusion(before), confusion(after))
        ),
        arguments=tuple(_changed_arguments(before, after)),
        traces=tuple(_traces(list(tasks)[:_MOST_TRACES], before, after, directory)),
    )


def is_changed_text(change: Change) -> bool:
    """Return whether a change is one of the texts of an :class:`Explanation`."""
    return change.rule.id in _TEXT_RULES


def _of_arm(entries: Iterable[Entry], arm: str) -> list[Entry]:
    return [entry for entry in entries if entry.arm in (arm, fresh_arm(arm))]


def _changed_texts(changes: Iterable[Change]) -> Iterator[ChangedText]:
    for change in changes:
        if is_changed_text(change):
            before, after = change.before or "", change.after or ""
            yield ChangedText(
                tool=change.tool or "",
                place=change.place or "instructions",
                before=before,
                after=after,
                tokens=estimate_tokens(after) - estimate_tokens(before),
            )


def _changed_arguments(before: Sequence[Entry], after: Sequence[Entry]) -> Iterator[ChangedArgument]:
    counts = [
        {
            (each.tool, each.parameter, kind): count
            for each in argument_mistakes(entries)
            for kind, count in each.mistakes.items()
        }
        for entries in (before, after)
    ]
    for key in sorted({*counts[0], *counts[1]}):
        old, new = (count.get(key, 0.0) for count in counts)
        if old != new:
            tool, parameter, mistake = key
            yield ChangedArgument(tool=tool, parameter=parameter, mistake=mistake, before=old, after=new)


def _traces(
    tasks: Iterable[TaskTrials], before: Sequence[Entry], after: Sequence[Entry], directory: Path
) -> Iterator[TaskTraces]:
    """Yield one trial of each task in each arm: the one that passed and the one that did not, if there are such."""
    for task in tasks:
        outcomes = ("passed", "failed") if task.direction == "worse" else ("failed", "passed")
        chosen = [
            _trial([entry for entry in entries if entry.task_id == task.task], outcome)
            for entries, outcome in zip((before, after), outcomes, strict=True)
        ]
        baseline, candidate = (_trace(entry, directory) for entry in chosen)
        yield TaskTraces(task=task.task, baseline=baseline, candidate=candidate)


def _trial(entries: Sequence[Entry], outcome: str) -> Entry | None:
    return next((entry for entry in entries if entry.outcome == outcome), entries[0] if entries else None)


def _trace(entry: Entry | None, directory: Path) -> tuple[str, ...]:
    if entry is None or entry.record is None:
        return ()
    record = read_record(directory, entry.record)
    if record.evidence is None:
        return (record.error.message,) if record.error else ()
    calls = tuple(format_call(call) for call in record.evidence.calls)
    answer = record.evidence.answer
    return (*calls, *([f"answer: {answer}"] if answer else ["no answer"] if not calls else []))
