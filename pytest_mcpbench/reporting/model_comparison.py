"""Models against each other: ranks, efficiency, and paired comparisons on the same tasks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.statistics.comparison import Comparison, compare
from pytest_mcpbench.core.statistics.groups import group_by
from pytest_mcpbench.core.statistics.ranking import cre, rank_upper_bound
from pytest_mcpbench.reporting.summary import Summary, metric_names

DOMAIN_TAGS = ("domain", "category")
"""Tags that say to which domain a task belongs; the first that a task has counts."""

PASSED = "passed"
"""The value that is compared beside metrics: whether the attempt passed."""


@dataclass(frozen=True)
class Efficiency:
    """Mean tokens a task of one model in one domain, and how they stand among the models (CRE, MCP-RADAR 4.2)."""

    suite: str
    domain: str
    model: str
    tokens: float | None
    """Over the attempts that were made; ``None`` where one of them does not know its tokens."""
    cre: float | None


@dataclass(frozen=True)
class Paired:
    """One value of two models, or of two runs, on the tasks that both have."""

    suite: str
    metric: str
    left: str
    right: str
    comparison: Comparison
    changed: tuple[tuple[str, float, float], ...] = ()
    """Task, value on the left, value on the right: where the two differ, the largest loss first."""


def ranks(made: Sequence[Summary]) -> dict[tuple[str, str], int]:
    """(suite, model) -> Rank (UB) by the intervals of the pass rates, where a suite has two models or more."""
    found: dict[tuple[str, str], int] = {}
    for suite, group in group_by(made, lambda summary: summary.suite).items():
        intervals = {summary.model: summary.pass_interval for summary in group if summary.pass_interval}
        if len(intervals) > 1:
            found |= {(suite, model): rank for model, rank in rank_upper_bound(intervals).items()}
    return found


def efficiencies(report: Report) -> tuple[Efficiency, ...]:
    """For each domain in which two models or more were tried and at least one of them used tokens."""
    found: list[Efficiency] = []
    entries = [entry for entry in report.entries if entry.outcome != "error"]
    for (suite, domain), group in sorted(group_by(entries, lambda entry: (entry.series, _domain(entry))).items()):
        by_model = group_by(sorted(group, key=lambda entry: entry.model), lambda entry: entry.model)
        means = {model: _mean_tokens(attempts) for model, attempts in by_model.items()}
        if len(means) > 1 and any(mean != 0 for mean in means.values()):
            relative = cre(means)
            found += [Efficiency(suite, domain, model, means[model], relative[model]) for model in means]
    return tuple(found)


def against_best(report: Report, made: Sequence[Summary]) -> tuple[Paired, ...]:
    """In each suite, every model beside the one with the highest pass rate."""
    found: list[Paired] = []
    for suite, group in group_by(made, lambda summary: summary.suite).items():
        rates = {summary.model: summary.pass_rate for summary in group if summary.pass_rate is not None}
        best = max(rates, key=lambda model: rates[model] or 0.0, default="")
        of_model = group_by((entry for entry in report.entries if entry.series == suite), lambda entry: entry.model)
        pairs = (paired(suite, PASSED, of_model[best], of_model[model]) for model in rates if model != best)
        found += [pair for pair in pairs if pair is not None]
    return tuple(found)


def between_runs(left: Report, right: Report) -> tuple[Paired, ...]:
    """Passes and every metric of two runs, suite by suite: each model with itself, or one model with another one."""
    found: list[Paired] = []
    for before, after in _partners(left.entries, right.entries):
        names = [name for name in metric_names(before) if name in metric_names(after)]
        pairs = (paired(before[0].series, name, before, after) for name in (PASSED, *names))
        found += [pair for pair in pairs if pair is not None]
    return tuple(found)


def is_regression(pair: Paired) -> bool:
    """Whether fewer attempts passed than before, more than chance explains."""
    return pair.metric == PASSED and pair.comparison.difference < 0 and pair.comparison.is_significant


def paired(suite: str, metric: str, left: Sequence[Entry], right: Sequence[Entry]) -> Paired | None:
    """The comparison of one value; ``None`` where no task has it on both sides."""
    before, after = _values(metric, left), _values(metric, right)
    if not before.keys() & after.keys():
        return None
    return Paired(suite, metric, left[0].model, right[0].model, compare(before, after), tuple(_changed(before, after)))


def _partners(left: Iterable[Entry], right: Iterable[Entry]) -> Iterable[tuple[Sequence[Entry], Sequence[Entry]]]:
    before, after = group_by(left, lambda entry: entry.series), group_by(right, lambda entry: entry.series)
    for suite in sorted(before.keys() & after.keys()):
        ours, theirs = (group_by(entries[suite], lambda entry: entry.model) for entries in (before, after))
        common = sorted(ours.keys() & theirs.keys())
        yield from ((ours[model], theirs[model]) for model in common)
        if not common and len(ours) == len(theirs) == 1:
            yield from zip(ours.values(), theirs.values(), strict=True)


def _values(metric: str, entries: Iterable[Entry]) -> dict[str, list[float]]:
    """Task -> the value of each of its trials that has one."""
    value: Callable[[Entry], float | None] = _passed if metric == PASSED else lambda entry: entry.scores.get(metric)
    found: dict[str, list[float]] = {}
    for entry in entries:
        one = value(entry) if entry.outcome != "error" else None
        if one is not None:
            found.setdefault(entry.task_id, []).append(one)
    return found


def _passed(entry: Entry) -> float | None:
    return float(entry.outcome == "passed") if entry.outcome in ("passed", "failed") else None


def _changed(
    before: Mapping[str, Sequence[float]], after: Mapping[str, Sequence[float]]
) -> list[tuple[str, float, float]]:
    means = [(task, _mean(before[task]), _mean(after[task])) for task in before if task in after]
    return sorted((row for row in means if abs(row[1] - row[2]) > 1e-12), key=lambda row: (row[2] - row[1], row[0]))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _domain(entry: Entry) -> str:
    return next((entry.tags[tag] for tag in DOMAIN_TAGS if tag in entry.tags), "all")


def _mean_tokens(entries: Iterable[Entry]) -> float | None:
    """Mean over tasks of the mean over their trials."""
    by_task: dict[str, list[float]] = {}
    for entry in entries:
        if entry.usage.input_tokens is None or entry.usage.output_tokens is None:
            return None
        by_task.setdefault(entry.task_id, []).append(entry.usage.input_tokens + entry.usage.output_tokens)
    return _mean([_mean(trials) for trials in by_task.values()]) if by_task else None
