"""Comparison of models: ranks, efficiency, and paired comparisons on the same tasks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.statistics.comparison import Comparison, compare
from pytest_mcpbench.core.statistics.groups import group_by
from pytest_mcpbench.core.statistics.ranking import cre, rank_upper_bound
from pytest_mcpbench.reporting.summary import Summary, metric_names

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
    """Mean over all attempts that are not errors; ``None`` if the tokens of one of them are unknown."""
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


def ranks(summary_list: Sequence[Summary]) -> dict[tuple[str, str], int]:
    """Return Rank (UB) by suite and model, from the intervals of pass rates, for suites with at least two models."""
    results: dict[tuple[str, str], int] = {}
    for suite, group in group_by(summary_list, lambda summary: summary.suite).items():
        intervals = {summary.model: summary.pass_interval for summary in group if summary.pass_interval}
        if len(intervals) > 1:
            results |= {(suite, model): rank for model, rank in rank_upper_bound(intervals).items()}
    return results


def efficiencies(report: Report) -> tuple[Efficiency, ...]:
    """Return the efficiency in each domain that at least two models attempted, if any of them used tokens."""
    results: list[Efficiency] = []
    entries = [entry for entry in report.entries if entry.outcome != "error"]
    for (suite, domain), group in sorted(group_by(entries, lambda entry: (entry.series, _domain(entry))).items()):
        by_model = group_by(sorted(group, key=lambda entry: entry.model), lambda entry: entry.model)
        means = {model: _mean_tokens(attempts) for model, attempts in by_model.items()}
        if len(means) > 1 and any(mean != 0 for mean in means.values()):
            relative = cre(means)
            results += [Efficiency(suite, domain, model, means[model], relative[model]) for model in means]
    return tuple(results)


def compare_with_best(report: Report, summary_list: Sequence[Summary]) -> tuple[PairedComparison, ...]:
    """Compare every model of a suite with the one that has the highest pass rate."""
    results: list[PairedComparison] = []
    for suite, group in group_by(summary_list, lambda summary: summary.suite).items():
        rates = {summary.model: summary.pass_rate for summary in group if summary.pass_rate is not None}
        best = max(rates, key=lambda model: rates[model] or 0.0, default="")
        of_model = group_by((entry for entry in report.entries if entry.series == suite), lambda entry: entry.model)
        pairs = (compare_entries(suite, PASSED, of_model[best], of_model[model]) for model in rates if model != best)
        results += [pair for pair in pairs if pair is not None]
    return tuple(results)


def between_runs(left: Report, right: Report) -> tuple[PairedComparison, ...]:
    """Compare passes and metrics of two runs by suite: each model with itself, or the only models with each other."""
    results: list[PairedComparison] = []
    for before, after in _partners(left.entries, right.entries):
        names = [name for name in metric_names(before) if name in metric_names(after)]
        pairs = (compare_entries(before[0].series, name, before, after) for name in (PASSED, *names))
        results += [pair for pair in pairs if pair is not None]
    return tuple(results)


def is_regression(pair: PairedComparison) -> bool:
    """Return whether significantly fewer attempts passed than before."""
    return pair.metric == PASSED and pair.comparison.difference < 0 and pair.comparison.is_significant


def compare_entries(suite: str, metric: str, left: Sequence[Entry], right: Sequence[Entry]) -> PairedComparison | None:
    """Compare one value; return ``None`` if no task has it on both sides."""
    before, after = _values(metric, left), _values(metric, right)
    if not before.keys() & after.keys():
        return None
    return PairedComparison(
        suite, metric, left[0].model, right[0].model, compare(before, after), tuple(_changed_tasks(before, after))
    )


def _partners(left: Iterable[Entry], right: Iterable[Entry]) -> Iterable[tuple[Sequence[Entry], Sequence[Entry]]]:
    before, after = group_by(left, lambda entry: entry.series), group_by(right, lambda entry: entry.series)
    for suite in sorted(before.keys() & after.keys()):
        ours, theirs = (group_by(entries[suite], lambda entry: entry.model) for entries in (before, after))
        common = sorted(ours.keys() & theirs.keys())
        yield from ((ours[model], theirs[model]) for model in common)
        if not common and len(ours) == len(theirs) == 1:
            yield from zip(ours.values(), theirs.values(), strict=True)


def _values(metric: str, entries: Iterable[Entry]) -> dict[str, list[float]]:
    """Return the values of each task's trials, without trials that have no value."""
    value: Callable[[Entry], float | None] = _pass_value if metric == PASSED else lambda entry: entry.scores.get(metric)
    results: dict[str, list[float]] = {}
    for entry in entries:
        one = value(entry) if entry.outcome != "error" else None
        if one is not None:
            results.setdefault(entry.task_id, []).append(one)
    return results


def _pass_value(entry: Entry) -> float | None:
    return float(entry.outcome == "passed") if entry.outcome in ("passed", "failed") else None


def _changed_tasks(
    before: Mapping[str, Sequence[float]], after: Mapping[str, Sequence[float]]
) -> list[tuple[str, float, float]]:
    means = [(task, _mean(before[task]), _mean(after[task])) for task in before if task in after]
    return sorted((row for row in means if abs(row[1] - row[2]) > 1e-12), key=lambda row: (row[2] - row[1], row[0]))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _domain(entry: Entry) -> str:
    return next((entry.tags[tag] for tag in DOMAIN_TAGS if tag in entry.tags), "all")


def _mean_tokens(entries: Iterable[Entry]) -> float | None:
    """Return the mean over tasks of the mean over their trials."""
    by_task: dict[str, list[float]] = {}
    for entry in entries:
        if entry.usage.input_tokens is None or entry.usage.output_tokens is None:
            return None
        by_task.setdefault(entry.task_id, []).append(entry.usage.input_tokens + entry.usage.output_tokens)
    return _mean([_mean(trials) for trials in by_task.values()]) if by_task else None
