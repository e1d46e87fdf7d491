"""Explanation of a difference between two arms, or two runs, from their attempts and the definitions they saw."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.call_text import format_call
from pytest_mcpbench.core.gate.result import ChangedArgument, ChangedCell, ChangedText, Explanation, TaskTraces
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.definitions.compatibility import DefinitionChange, compare_servers
from pytest_mcpbench.reporting.aggregates.conditions import differing_conditions
from pytest_mcpbench.reporting.aggregates.model_comparison import PASSED, matching_attempts
from pytest_mcpbench.reporting.aggregates.regressions import compare_runs
from pytest_mcpbench.reporting.aggregates.tool_choices import argument_mistakes, changed_cells, confusion
from pytest_mcpbench.reporting.pull_request.comparison import ComparedRuns
from pytest_mcpbench.runs.arms.compatibility import visible_definition
from pytest_mcpbench.runs.arms.recorded_run import instructions_read, tools_seen
from pytest_mcpbench.runs.records import read_record
from pytest_mcpbench.text.natural_order import natural_key, natural_keys
from pytest_mcpbench.text.token_estimate import estimate_tokens

MOST_TRACES = 10
_MOST_RECORDS = 20
_TEXT_RULES = ("text-changed", "instructions-changed")


@dataclass(frozen=True)
class Side:
    """One of the two sides of a comparison."""

    entries: Sequence[Entry]
    directory: Path
    """Directory of the records."""

    def record(self, entry: Entry | None) -> RunRecord | None:
        """Return the record of an attempt; ``None`` without one."""
        return read_record(self.directory, entry.record) if entry is not None and entry.record is not None else None

    def trial(self, task: str, outcome: str) -> Entry | None:
        """Return a trial of a task with that outcome, or else any; ``None`` without trials."""
        trials = [entry for entry in self.entries if entry.task_id == task]
        return next((entry for entry in trials if entry.outcome == outcome), trials[0] if trials else None)


def explain(  # noqa: PLR0913 (each is a part of the difference)
    before: Side,
    after: Side,
    *,
    changes: Iterable[DefinitionChange],
    worse: Iterable[str],
    better: Iterable[str],
    most_traces: int = MOST_TRACES,
) -> Explanation:
    """Return the explanation of what changed between two sides.

    Args:
        before: Attempts of the baseline.
        after: Attempts of the candidate.
        changes: Changes of the definitions that agents saw.
        worse: Tasks that pass less often.
        better: Tasks that pass more often.
        most_traces: Number of these tasks whose trajectories are part of it, those that pass less often first.
    """
    tasks = [*((task, ("passed", "failed")) for task in worse), *((task, ("failed", "passed")) for task in better)]
    traces = []
    for task, outcomes in tasks[:most_traces]:
        # A trial of each side, with the outcome by which they differ if there is one.
        baseline = _trace(before.record(before.trial(task, outcomes[0])))
        candidate = _trace(after.record(after.trial(task, outcomes[1])))
        traces.append(TaskTraces(task=task, baseline=baseline, candidate=candidate))
    return Explanation(
        texts=tuple(_changed_texts(changes)),
        cells=tuple(
            ChangedCell(expected=expected, called=called, before=old, after=new)
            for (expected, called), old, new in changed_cells(confusion(before.entries), confusion(after.entries))
        ),
        arguments=tuple(_changed_arguments(before.entries, after.entries)),
        traces=tuple(traces),
    )


def is_changed_text(change: DefinitionChange) -> bool:
    """Return whether a change is one of the texts of an :class:`Explanation`."""
    return change.rule.id in _TEXT_RULES


def changes_between(before: Side, after: Side, tasks: Sequence[str]) -> list[DefinitionChange]:
    """Return the changes of the tools that agents saw on both sides, from records of some tasks.

    Args:
        before: Attempts of the first run.
        after: Attempts of the second run.
        tasks: Tasks whose records are read first.
    """
    of_both = {entry.task_id for entry in before.entries} & {entry.task_id for entry in after.entries}
    chosen = [*(task for task in tasks if task in of_both), *sorted(of_both.difference(tasks), key=natural_key)][
        :_MOST_RECORDS
    ]
    seen = [[*filter(None, (side.record(side.trial(task, "passed")) for task in chosen))] for side in (before, after)]
    old, new = map(tools_seen, seen)
    texts = [*map(instructions_read, seen)]
    changes: list[DefinitionChange] = []
    for server in old.keys() & new.keys():
        common = old[server].keys() & new[server].keys()
        definitions = [
            visible_definition(
                server, [tool for name, tool in tools[server].items() if name in common], read.get(server, "")
            )
            for tools, read in zip((old, new), texts, strict=True)
        ]
        changes += compare_servers(*definitions)
    return changes


def _changed_texts(changes: Iterable[DefinitionChange]) -> Iterator[ChangedText]:
    for change in filter(is_changed_text, changes):
        before, after = change.before or "", change.after or ""
        yield ChangedText(
            tool=change.tool or "",
            place=change.place or "instructions",
            before=before,
            after=after,
            tokens=estimate_tokens(after) - estimate_tokens(before),
        )


def _changed_arguments(before: Iterable[Entry], after: Iterable[Entry]) -> Iterator[ChangedArgument]:
    old, new = (
        {
            (each.tool, each.parameter, kind): count
            for each in argument_mistakes(entries)
            for kind, count in each.mistakes.items()
        }
        for entries in (before, after)
    )
    for key in sorted({*old, *new}, key=natural_keys):
        if old.get(key) != new.get(key):
            tool, parameter, mistake = key
            yield ChangedArgument(
                tool=tool, parameter=parameter, mistake=mistake, before=old.get(key, 0.0), after=new.get(key, 0.0)
            )


def _trace(record: RunRecord | None) -> tuple[str, ...]:
    if record is None:
        return ()
    if record.evidence is None:
        return (record.error.message,) if record.error else ()
    calls = tuple(map(format_call, record.evidence.calls))
    answer = record.evidence.answer
    return (*calls, *([f"answer: {answer}"] if answer else ["no answer"] if not calls else []))


# Comparison of two runs on disk, with explanations from their records.

RunReport = tuple[Report, Path]
"""A report with the directory of its records."""


def compared_runs(before: RunReport, after: RunReport, *, most_traces: int) -> ComparedRuns:
    """Return two runs with their comparison, and at most so many pairs of trajectories for each suite and model."""
    reports = before[0], after[0]
    comparison = compare_runs(*reports)
    explanations = {}
    passes = {(pair.suite, pair.left): pair for pair in comparison.pairs if pair.metric == PASSED}
    for ours, theirs in matching_attempts(before[0].entries, after[0].entries):
        pair = passes.get((ours[0].series, ours[0].model))
        if pair is not None:
            sides = Side(ours, before[1]), Side(theirs, after[1])
            worse = [task for task, left, right in pair.changed if right < left]
            better = [task for task, left, right in pair.changed if right > left]
            changes = changes_between(*sides, [*worse, *better])
            explanations[pair.suite, pair.left] = explain(
                *sides, changes=changes, worse=worse, better=better, most_traces=most_traces
            )
    differing = list(differing_conditions(reports[0].facts, reports[1].facts))
    return ComparedRuns(*reports, comparison, differing, explanations)
