"""Tasks and pass rates that are worse in a second run, for comparisons and the limits of ``mcpbench compare``."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.model_names import is_competitor, marked_name
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.reporting.aggregates.model_comparison import (
    PASSED,
    PairedComparison,
    between_runs,
    matching_attempts,
    values_by_task,
)
from pytest_mcpbench.reporting.aggregates.run_end import end_sentence
from pytest_mcpbench.statistics.comparison import ALPHA, compare
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key

MISSING = "not in the second run"


@dataclass(frozen=True)
class LostTask:
    """Task with a verdict in the first run that the second run could not give: worse, although it has no score."""

    suite: str
    model: str
    """The model of the first run."""
    task: str
    reason: str
    """The error, why it is unscored, or :data:`MISSING`."""


@dataclass(frozen=True)
class RunComparison:
    """Comparison of a run with an earlier one."""

    pairs: tuple[PairedComparison, ...]
    """Values of the tasks that have one in both runs."""
    lost: tuple[LostTask, ...]
    has_regression: bool
    """True if significantly fewer attempts of some suite and model passed; lost tasks count as not passed."""
    ends: tuple[str, ...] = ()
    """How each run ended before all of its attempts had run."""
    only_before: tuple[str, ...] = ()
    """Models, and last agents without one, that only the first run has: they are compared nowhere, and lost nothing."""
    only_after: tuple[str, ...] = ()
    """Models, and last agents without one, that only the second run has."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return what stands before the results: how a run ended early, and the models that only one run has."""
        sides = ("first", self.only_before), ("second", self.only_after)
        return *self.ends, *(
            f"Only in the {which} run: {', '.join(map(marked_name, names))}." for which, names in sides if names
        )

    @property
    def worse_tasks(self) -> int:
        """Return the number of tasks, by suite and model, that pass less often or are lost."""
        fallen = {
            (pair.suite, pair.left, task)
            for pair in self.pairs
            for task, left, right in pair.changed
            if pair.metric == PASSED and right < left
        }
        return len(fallen | {(each.suite, each.model, each.task) for each in self.lost})

    def lost_by(self, suite: str, model: str) -> tuple[LostTask, ...]:
        """Return the lost tasks of one suite and model of the first run."""
        return tuple(each for each in self.lost if (each.suite, each.model) == (suite, model))


def compare_runs(before: Report, after: Report) -> RunComparison:
    """Compare two runs; a task that only the first one could judge is lost."""
    matches, only_before, only_after = models_in_common(before, after)
    return RunComparison(
        pairs=between_runs(before, after),
        lost=tuple(lost for left, right in matches for lost in _lost_tasks(left, right)),
        has_regression=_has_regression(matches),
        ends=tuple(
            f"The {which} run is not complete: {end}."
            for which, report in (("first", before), ("second", after))
            if (end := end_sentence(report)) is not None
        ),
        only_before=only_before,
        only_after=only_after,
    )


def models_in_common(
    before: Report, after: Report
) -> tuple[Sequence[tuple[Sequence[Entry], Sequence[Entry]]], tuple[str, ...], tuple[str, ...]]:
    """Return the matching attempts of models that both runs attempted, and the models that only one of them did.

    A suite that a model attempted in the first run only is left among the matches: its tasks are lost.
    """
    matches = list(matching_attempts(before.entries, after.entries))
    models, again = ({entry.model for entry in report.entries} for report in (before, after))
    compared = {ours[0].model for ours, theirs in matches if theirs}
    only_before = models - again - compared
    only_after = again - models - {theirs[0].model for _, theirs in matches if theirs}
    common = [match for match in matches if match[0][0].model not in only_before]
    first, second = (
        tuple(sorted(names, key=lambda name: (not is_competitor(name), natural_key(name))))
        for names in (only_before, only_after)
    )
    return common, first, second


def have_common_tasks(before: Report, after: Report) -> bool:
    """Return whether the second run attempted any task of the first one, if only with an error."""
    matches = matching_attempts(before.entries, after.entries)
    return any({one.task_id for one in left} & {one.task_id for one in right} for left, right in matches)


def _lost_tasks(before: Sequence[Entry], after: Sequence[Entry]) -> Iterator[LostTask]:
    """Yield each task that had a verdict and has none, or of which a larger share of trials than before has an error.

    A task that is unscored in some trials is judged by the others.
    """
    ours, theirs = (group_by(entries, lambda entry: entry.task_id) for entries in (before, after))
    for task in sorted(ours, key=natural_key):
        trials, again = ours[task], theirs.get(task, [])
        if _has_verdict(trials) and (not _has_verdict(again) or _error_share(again) > _error_share(trials)):
            reasons = Counter(
                f"{entry.error_kind or 'error'}: {entry.error or 'unknown'}"
                if entry.outcome == "error"
                else f"unscored: {entry.why_unscored}"
                for entry in again
                if entry.outcome in ("error", "unscored")
            )
            yield LostTask(
                trials[0].series, trials[0].model, task, reasons.most_common(1)[0][0] if reasons else MISSING
            )


def _has_verdict(trials: Iterable[Entry]) -> bool:
    return any(entry.outcome in ("passed", "failed") for entry in trials)


def _error_share(trials: Sequence[Entry]) -> float:
    return sum(entry.outcome == "error" for entry in trials) / len(trials) if trials else 1.0


def _has_regression(matches: Sequence[tuple[Sequence[Entry], Sequence[Entry]]]) -> bool:
    """Return whether any suite and model has significantly fewer passes, at 2.5 % for all of them together."""
    values: list[tuple[Mapping[str, Sequence[float]], Mapping[str, Sequence[float]]]] = []
    for before, after in matches:
        # A lost task did not pass in the second run.
        ours, theirs = values_by_task(PASSED, before), values_by_task(PASSED, after)
        lost = {each.task for each in _lost_tasks(before, after)}
        values.append(
            (ours, {task: [0.0] if task in lost else theirs[task] for task in ours if task in lost or task in theirs})
        )
    # Bonferroni: each further suite or model would otherwise add its own chance of a false alarm.
    level = ALPHA / max(1, sum(bool(before) for before, _ in values))
    results = (compare(before, after) for before, after in values if before)
    return any(each.is_significant and each.difference < 0 and (each.p_value or 0.0) < level for each in results)
