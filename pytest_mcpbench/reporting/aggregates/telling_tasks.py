"""Tasks that tell most about a run or a comparison, of which reports show a few first."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.gate.result import ArmTrials, GateResult, TaskTrials
from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.score import is_below
from pytest_mcpbench.reporting.aggregates.failure_causes import ARROW, Cause, cause_of, tool_change
from pytest_mcpbench.reporting.aggregates.regressions import MISSING, models_in_common
from pytest_mcpbench.reporting.forms.display_text import one_line, short_reason
from pytest_mcpbench.statistics.groups import group_by, round_robin
from pytest_mcpbench.text.natural_order import natural_key

_LONGEST_REASON = 160


@dataclass(frozen=True)
class TellingTask:
    """One task of one suite and model, with the reason why it is worth a look."""

    suite: str
    model: str
    task: str
    passes: str
    """Passed trials of all trials, and those without a verdict: ``0/3``; of both sides: ``3/3 → 1 unscored``."""
    tools: str
    """``expected → called``, or the mistake in an argument; may be empty."""
    reason: str
    cause: Cause
    entry: Entry
    """One attempt that did not pass."""

    @property
    def result(self) -> str:
        """Return ``0/3 passed``, or what stands in its place without a verdict: ``1 unscored``."""
        return f"{self.passes} passed" if self.passes[-1:].isdigit() else self.passes


def failing_tasks(entries: Iterable[Entry]) -> list[TellingTask]:
    """Return the tasks with an attempt that neither passed nor was expected to fail, the most telling first.

    The order is: the most frequent cause, the least share of passed trials, the most trials, the name. Those of agents
    without a model, some of which are made to fail, count only if no model has one.
    """
    by_task = group_by(entries, lambda entry: (entry.series, entry.model, entry.task_id))
    failing = [trials for trials in by_task.values() if any(map(is_failing, trials))]
    models = compared_models(trials[0].model for trials in failing)
    found = [
        (_task(trials, [entry for entry in trials if is_failing(entry)], passes_text(trials)), trials)
        for trials in failing
        if trials[0].model in models
    ]
    frequency = Counter(task.cause for task, _ in found)
    found.sort(
        key=lambda pair: (
            -frequency[pair[0].cause],
            _share(pair[1]),
            -len(pair[1]),
            natural_key(pair[0].suite),
            natural_key(pair[0].task),
            natural_key(pair[0].model),
        )
    )
    return [task for task, _ in found]


def changed_tasks(before: Report, after: Report) -> list[TellingTask]:
    """Return the tasks that pass more or less often in the second run, the most telling first.

    Those of models that only one run has are left out.
    The order is: losses before gains, the largest change in the share of passed trials, the most trials, the name. An
    attempt of the second run without a verdict counts as not passed.
    """
    matches, _, _ = models_in_common(before, after)
    pairs = [
        (ours, theirs.get(task, []))
        for left, right in matches
        for theirs in [group_by(right, lambda entry: entry.task_id)]
        for task, ours in group_by(left, lambda entry: entry.task_id).items()
    ]
    changed = [
        (ours, theirs)
        for ours, theirs in pairs
        if any(entry.outcome in ("passed", "failed") for entry in ours) and _share(ours) != _share(theirs)
    ]
    changed.sort(key=_change_order)
    return [_changed(ours, theirs) for ours, theirs in changed]


def gate_tasks(result: GateResult, entries: Iterable[Entry]) -> list[TellingTask]:
    """Return the tasks that changed between the arms of a gate, the confirmed ones first."""
    by_arm = group_by(
        (entry for entry in entries if (entry.suite, entry.model) == (result.suite, result.model)),
        lambda entry: (entry.task_id, entry.arm),
    )
    ordered = sorted(result.changed, key=lambda each: (not each.is_confirmed, each.direction != "worse"))
    return [_changed_in_gate(each, result, by_arm) for each in ordered]


def one_per_cause(tasks: Sequence[TellingTask], limit: int) -> list[TellingTask]:
    """Return at most ``limit`` tasks in their order, no cause twice before each has been shown once."""
    return list(round_robin(group_by(tasks, lambda task: task.cause).values()))[:limit]


def is_failing(entry: Entry) -> bool:
    """Return whether an attempt that pytest counts has neither passed nor failed as expected."""
    return not entry.arm and entry.outcome != "passed" and not entry.is_xfail


def reason_of(entry: Entry) -> str:
    """Return why an attempt did not pass, on one line: its scores below their floors, or its error."""
    if entry.outcome == "error":
        # Most messages begin with who has to act: "model 'gpt': HTTP 503".
        message = (entry.error or "").partition("\n")[0]
        is_told = message.startswith(f"{entry.error_kind} ")
        return one_line(message if is_told else f"{entry.error_kind}: {message}", _LONGEST_REASON)
    if entry.outcome == "unscored":
        return one_line(entry.why_unscored, _LONGEST_REASON)
    shortfalls: list[str] = []
    for name, floor in entry.floors.items():
        value = entry.scores.get(name)
        if value is not None and is_below(value, floor):
            shortfalls.append(f"{name} {value:.3g} < {floor:g}")
    scores = ", ".join(shortfalls)
    return short_reason(": ".join(part for part in (scores, entry.reason) if part), _LONGEST_REASON)


def _changed(before: Sequence[Entry], after: Sequence[Entry]) -> TellingTask:
    """Return a task of both runs, with the cause of the side that passes less often."""
    worse = after if _share(after) < _share(before) else before
    passes = f"{passes_text(before)} {ARROW} {passes_text(after)}"
    failed = [entry for entry in worse if entry.outcome != "passed"]
    if failed:
        return _task(before, failed, passes)
    missing = Cause(MISSING)
    first = before[0]
    return TellingTask(first.series, first.model, first.task_id, passes, "", missing.kind, missing, first)


def _changed_in_gate(each: TaskTrials, result: GateResult, by_arm: dict[tuple[str, str], list[Entry]]) -> TellingTask:
    arm = result.candidate if each.direction == "worse" else result.baseline
    trials = by_arm.get((each.task, arm), [])
    failed = [entry for entry in trials if entry.outcome != "passed"]
    state = "confirmed" if each.is_confirmed else "not confirmed"
    before, after = each.first
    if each.fresh is not None:
        before, after = (
            ArmTrials(passed=first.passed + fresh.passed, made=first.made + fresh.made)
            for first, fresh in zip(each.first, each.fresh, strict=True)
        )
    passes = f"{before.passed}/{before.made} {ARROW} {after.passed}/{after.made}, {state}"
    if failed:
        return _task(trials, failed, passes)
    cause = Cause(each.direction)
    placeholder = Entry(suite=result.suite, task_id=each.task, model=result.model, outcome="failed")
    return TellingTask(result.suite, result.model, each.task, passes, "", "", cause, placeholder)


def _task(trials: Sequence[Entry], failed: Sequence[Entry], passes: str) -> TellingTask:
    """Return the task with its most frequent cause, and an attempt with this cause as the example."""
    cause = Counter(map(cause_of, failed)).most_common(1)[0][0]
    example = next(entry for entry in failed if cause_of(entry) == cause)
    first = trials[0]
    return TellingTask(
        suite=first.series,
        model=first.model,
        task=first.task_id,
        passes=passes,
        tools=tool_change(example),
        reason=reason_of(example),
        cause=cause,
        entry=example,
    )


def _change_order(pair: tuple[Sequence[Entry], Sequence[Entry]]) -> tuple[object, ...]:
    before, after = pair
    change = _share(after) - _share(before)
    return change > 0, -abs(change), -len(before) - len(after), natural_key(before[0].task_id)


def passes_text(entries: Sequence[Entry]) -> str:
    """Return ``2/3`` for two passes in three trials, with those without a verdict: ``1/3, 1 error``, ``3 unscored``."""
    if not entries:
        return "–"
    passed = sum(entry.outcome == "passed" for entry in entries)
    errors, unscored = (sum(entry.outcome == outcome for entry in entries) for outcome in ("error", "unscored"))
    others = [f"{errors} error{'s' * (errors > 1)}"] * bool(errors) + [f"{unscored} unscored"] * bool(unscored)
    passes = [f"{passed}/{len(entries)}"] * (errors + unscored < len(entries))
    return ", ".join([*passes, *others])


def _share(trials: Sequence[Entry]) -> float:
    return sum(entry.outcome == "passed" for entry in trials) / len(trials) if trials else 0.0
