"""Comparison of models: ranks, efficiency, and paired comparisons on the same tasks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.core.report import Entry, Report, short_suite_name, with_distinct_suites
from pytest_mcpbench.core.scoring import SCORINGS
from pytest_mcpbench.core.suite import qualified_name
from pytest_mcpbench.reporting.aggregates.pass_rate import PassRate
from pytest_mcpbench.reporting.aggregates.summary import Summary, metric_names
from pytest_mcpbench.statistics.comparison import Comparison, compare, cre, rank_upper_bound
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.statistics.intervals import FEWEST_TASKS
from pytest_mcpbench.text.natural_order import natural_key

DOMAIN_TAGS = ("domain", "category")
"""Tags that contain a task's domain; the first one that a task has is used."""

PASSED = "passed"
"""Name of the value that is compared in addition to metrics: 1 if the attempt passed, else 0."""


@dataclass(frozen=True)
class Efficiency:
    """Mean tokens per task of one model in one domain, absolute and relative to other models (CRE, MCP-RADAR 4.2)."""

    suite: str
    domain: str
    model: str
    tokens: float | None
    """Mean over the attempts that are not errors and know their tokens; ``None`` if there are none."""
    cre: float | None


@dataclass(frozen=True)
class PairedComparison:
    """Comparison of one value between two models, or two runs, on the tasks that both have."""

    suite: str
    metric: str
    left: str
    right: str
    comparison: Comparison
    changed: tuple[tuple[str, float, float], ...] = ()
    """Task, left value and right value of each task that changed, the largest loss first."""
    rates: tuple[PassRate, PassRate] | None = None
    """Pass rates of all attempts on both sides, if they are what is compared."""

    @property
    def ranges(self) -> str:
        """Return ``12 – 92 % (10 of 52 decided) → 75.0 %`` if an attempt is unscored, otherwise an empty string."""
        if self.rates is None or not any(rate.unscored for rate in self.rates):
            return ""
        return f"{self.rates[0].text} → {self.rates[1].text}"

    @property
    def unscored_difference(self) -> str:
        """Return ``unscored: 0 of 8 attempts of a, 5 of 8 of b`` if these shares differ, otherwise an empty string."""
        if self.rates is None or self.rates[0].unscored_share == self.rates[1].unscored_share:
            return ""
        left, right = (f"{rate.unscored:,} of {rate.made:,}" for rate in self.rates)
        names = ("before", "after") if self.left == self.right else (f"of {self.left}", f"of {self.right}")
        return (
            f"unscored: {left} attempts {names[0]}, {right} {names[1]}; only tasks decided on both sides are compared"
        )


def ranks(summary_list: Sequence[Summary]) -> dict[tuple[str, str], int]:
    """Return Rank (UB) by suite and model, from the intervals of pass rates of at least two models.

    A model with fewer than :data:`~pytest_mcpbench.statistics.intervals.FEWEST_TASKS` tasks has no rank, as it
    has no significant difference. Agents without a model have none beside models.
    """
    results: dict[tuple[str, str], int] = {}
    for suite, group in group_by(summary_list, lambda summary: summary.suite).items():
        models = compared_models(summary.model for summary in group)
        ranked = [summary for summary in group if summary.tasks >= FEWEST_TASKS and summary.model in models]
        intervals = {summary.model: summary.pass_interval for summary in ranked if summary.pass_interval}
        if len(intervals) > 1:
            results |= {(suite, model): rank for model, rank in rank_upper_bound(intervals).items()}
    return results


def efficiencies(report: Report) -> tuple[Efficiency, ...]:
    """Return the efficiency in each domain that at least two models attempted, if any of them used tokens.

    Agents without a model use no tokens: beside one of them every model would be dear.
    """
    results: list[Efficiency] = []
    models = compared_models(entry.model for entry in report.entries)
    entries = [entry for entry in report.entries if entry.outcome != "error" and entry.model in models]
    ordered = sorted(entries, key=lambda entry: (natural_key(entry.series), natural_key(_domain(entry))))
    for (suite, domain), group in group_by(ordered, lambda entry: (entry.series, _domain(entry))).items():
        by_model = group_by(sorted(group, key=lambda entry: natural_key(entry.model)), lambda entry: entry.model)
        means = {model: _mean_tokens(attempts) for model, attempts in by_model.items()}
        if len(means) > 1 and any(mean != 0 for mean in means.values()):
            relative = cre(means)
            results += [Efficiency(suite, domain, model, means[model], relative[model]) for model in means]
    return tuple(results)


def compare_with_best(report: Report, summary_list: Sequence[Summary]) -> tuple[PairedComparison, ...]:
    """Compare every model of a suite with the one that surely has the most passes.

    Agents without a model are compared only with each other, where there is no model.
    """
    results: list[PairedComparison] = []
    for suite, group in group_by(summary_list, lambda summary: summary.suite).items():
        rates = {summary.model: summary.rate.range for summary in group if summary.rate.range is not None}
        models = compared_models(rates)
        best = max(models, key=rates.__getitem__, default="")
        of_model = group_by((entry for entry in report.entries if entry.series == suite), lambda entry: entry.model)
        pairs = (compare_entries(suite, PASSED, of_model[best], of_model[model]) for model in models if model != best)
        results += [pair for pair in pairs if pair is not None]
    return tuple(results)


def between_runs(left: Report, right: Report) -> tuple[PairedComparison, ...]:
    """Compare passes and metrics of two runs by suite: each model with itself, or the only models with each other.

    Passes by each criterion follow those that decided, for a suite that has guards in both runs.
    """
    results: list[PairedComparison] = []
    for before, after in matching_attempts(left.entries, right.entries):
        names = [name for name in metric_names(before) if name in metric_names(after)]
        guards = all(any(entry.verdicts for entry in entries) for entries in (before, after))
        values = (PASSED, *(SCORINGS if guards else ()), *names)
        pairs = (compare_entries(before[0].series, name, before, after) for name in values)
        results += [pair for pair in pairs if pair is not None]
    return tuple(results)


def compare_entries(suite: str, metric: str, left: Sequence[Entry], right: Sequence[Entry]) -> PairedComparison | None:
    """Compare one value; return ``None`` if no task has it on both sides."""
    before, after = values_by_task(metric, left), values_by_task(metric, right)
    if not before.keys() & after.keys():
        return None
    means = [(task, _mean(before[task]), _mean(after[task])) for task in before if task in after]
    changed = sorted(
        (row for row in means if abs(row[1] - row[2]) > 1e-12), key=lambda row: (row[2] - row[1], natural_key(row[0]))
    )
    rates = (PassRate.of(left), PassRate.of(right)) if metric == PASSED else None
    return PairedComparison(suite, metric, left[0].model, right[0].model, compare(before, after), tuple(changed), rates)


def matching_attempts(
    left: Iterable[Entry], right: Iterable[Entry]
) -> Iterator[tuple[Sequence[Entry], Sequence[Entry]]]:
    """Yield the attempts of each suite and model of the first run with those of the second run, which may be none.

    Each model is matched with itself; if the runs have no model in common and one each, these two are matched.
    """
    first: Sequence[Entry] = tuple(left)
    second: Sequence[Entry] = tuple(right)
    # A name that one file has in each run is one suite, even if the files differ: the runs may have started in
    # different directories. Otherwise suites must have the same name if and only if they are the same suite.
    if not (_has_one_file_per_suite(first) and _has_one_file_per_suite(second)):
        both = with_distinct_suites((*first, *second))
        first, second = both[: len(first)], both[len(first) :]
    before, after = (group_by(entries, lambda entry: entry.series) for entries in (first, second))
    for suite in sorted(before, key=natural_key):
        ours, theirs = (group_by(each.get(suite, ()), lambda entry: entry.model) for each in (before, after))
        if len(ours) == len(theirs) == 1:
            yield from zip(ours.values(), theirs.values(), strict=True)
        else:
            yield from ((ours[model], theirs.get(model, ())) for model in sorted(ours, key=natural_key))


def _has_one_file_per_suite(entries: Iterable[Entry]) -> bool:
    return all(
        entry.suite != qualified_name(short_suite_name(entry), entry.file) or not entry.file for entry in entries
    )


def values_by_task(metric: str, entries: Iterable[Entry]) -> dict[str, list[float]]:
    """Return the values of each task's trials, without trials that have no value.

    ``metric`` is the name of a metric, :data:`PASSED`, or a criterion, by which attempts passed or failed.
    """
    criterion = next((scoring for scoring in SCORINGS if scoring == metric), None)
    results: dict[str, list[float]] = {}
    for entry in entries:
        if metric == PASSED or criterion is not None:
            judged = entry if criterion is None else entry.under(criterion)
            one = float(judged.outcome == "passed") if judged.outcome in ("passed", "failed") else None
        else:
            one = entry.scores.get(metric) if entry.outcome != "error" else None
        if one is not None:
            results.setdefault(entry.task_id, []).append(one)
    return results


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _domain(entry: Entry) -> str:
    return next((entry.tags[tag] for tag in DOMAIN_TAGS if tag in entry.tags), "all")


def _mean_tokens(entries: Iterable[Entry]) -> float | None:
    """Return the mean over tasks of the mean over their trials, of the attempts whose tokens are known."""
    by_task: dict[str, list[float]] = {}
    for entry in entries:
        if entry.usage.input_tokens is None or entry.usage.output_tokens is None:
            continue
        by_task.setdefault(entry.task_id, []).append(entry.usage.input_tokens + entry.usage.output_tokens)
    return _mean([_mean(trials) for trials in by_task.values()]) if by_task else None


def without_repeated_criteria(pairs: Sequence[PairedComparison]) -> list[PairedComparison]:
    """Return the comparisons without those by a criterion that are the same as those of the passes."""
    passes = {(pair.suite, pair.left): pair.comparison for pair in pairs if pair.metric == PASSED}
    return [
        pair for pair in pairs if pair.metric not in SCORINGS or pair.comparison != passes.get((pair.suite, pair.left))
    ]


def direction(pair: PairedComparison) -> int:
    """Return -1 for a significant loss, 1 for a significant gain, and otherwise 0."""
    if not pair.comparison.is_significant:
        return 0
    return 1 if pair.comparison.difference > 0 else -1


def severity(pair: PairedComparison) -> tuple[int, float]:
    """Return a key that sorts significant losses first, significant gains last, and the largest loss first in each."""
    return direction(pair), pair.comparison.difference


def mark(pair: PairedComparison) -> str:
    """Return ``✗ worse``, ``✓ better`` or, without a significant difference, ``= not significant``."""
    return {-1: "✗ worse", 0: "= not significant", 1: "✓ better"}[direction(pair)]
