"""A report's entries gathered by suite and model, with every denominator."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.statistics.groups import Aggregate, Observed, aggregate
from pytest_mcpbench.core.statistics.intervals import Interval, pass_rate_interval
from pytest_mcpbench.core.statistics.repetition import pass_at_k, pass_hat_k
from pytest_mcpbench.core.trajectory import NO_USAGE, Usage


@dataclass(frozen=True)
class Summary:
    """All attempts of one model at one suite."""

    suite: str
    model: str
    tasks: int
    attempts: int
    passed: int
    failed: int
    errors: int
    unscored: int
    pass_interval: Interval | None
    """95 %, over tasks; ``None`` where nothing has a verdict."""
    metrics: Mapping[str, Aggregate]
    usage: Usage
    seconds: float
    tool_calls: int
    trials: Mapping[str, float]
    """``pass@k`` and ``pass^k`` where tasks were tried more than once."""
    failures: Mapping[str, Mapping[str, int]]
    """Taxonomy -> label -> attempts that have it."""

    @property
    def verdicts(self) -> int:
        """The denominator of the pass rate: attempts that passed or failed."""
        return self.passed + self.failed

    @property
    def pass_rate(self) -> float | None:
        return self.passed / self.verdicts if self.verdicts else None


def summaries(report: Report) -> tuple[Summary, ...]:
    """One for each suite and model, in the order of their names."""
    ordered = sorted(report.entries, key=_group)
    return tuple(_summary(suite, model, tuple(entries)) for (suite, model), entries in groupby(ordered, key=_group))


def by_tag(report: Report, tag: str) -> dict[str, tuple[Summary, ...]]:
    """The summaries of the entries that have each value of a tag."""
    values = sorted({entry.tags[tag] for entry in report.entries if tag in entry.tags})
    return {
        value: summaries(Report(entries=tuple(entry for entry in report.entries if entry.tags.get(tag) == value)))
        for value in values
    }


def metric_names(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Every metric that some entry has, those with a floor first."""
    entries = tuple(entries)
    with_floor = (name for entry in entries for name in entry.floors)
    others = (name for entry in entries for name in entry.scores)
    return tuple(dict.fromkeys((*with_floor, *others)))


def _group(entry: Entry) -> tuple[str, str]:
    return entry.suite, entry.model


def _summary(suite: str, model: str, entries: Sequence[Entry]) -> Summary:
    outcomes = [entry.outcome for entry in entries]
    verdicts = _verdicts(entries)
    return Summary(
        suite=suite,
        model=model,
        tasks=len({entry.task_id for entry in entries}),
        attempts=len(entries),
        passed=outcomes.count("passed"),
        failed=outcomes.count("failed"),
        errors=outcomes.count("error"),
        unscored=outcomes.count("unscored"),
        pass_interval=pass_rate_interval(verdicts) if verdicts else None,
        metrics={name: _metric(name, entries) for name in metric_names(entries)},
        usage=sum((entry.usage for entry in entries), NO_USAGE),
        seconds=sum(entry.seconds for entry in entries),
        tool_calls=sum(entry.tool_calls for entry in entries),
        trials=_trials(verdicts),
        failures=_failures(entries),
    )


def _verdicts(entries: Iterable[Entry]) -> dict[str, list[bool]]:
    """Task -> whether each of its trials passed; attempts without a verdict are left out."""
    verdicts: dict[str, list[bool]] = {}
    for entry in entries:
        if entry.outcome in ("passed", "failed"):
            verdicts.setdefault(entry.task_id, []).append(entry.outcome == "passed")
    return verdicts


def _metric(name: str, entries: Iterable[Entry]) -> Aggregate:
    """Over the attempts that the metric was computed for, and the errors that kept it from being computed."""
    return aggregate(
        name,
        (
            Observed(
                task=entry.task_id,
                value=entry.scores.get(name),
                is_error=entry.outcome == "error",
                counts=entry.counts.get(name, {}),
            )
            for entry in entries
            if name in entry.scores or entry.outcome == "error"
        ),
    )


def _trials(verdicts: Mapping[str, Sequence[bool]]) -> dict[str, float]:
    """For each k up to the least number of trials that a task has."""
    least = min((len(trials) for trials in verdicts.values()), default=0)
    if least < 2:
        return {}
    counts = [(len(trials), sum(trials)) for trials in verdicts.values()]
    at = {f"pass@{k}": pass_at_k(counts, k) for k in range(1, least + 1)}
    hat = {f"pass^{k}": pass_hat_k(counts, k) for k in range(2, least + 1)}
    return {**at, **hat}


def _failures(entries: Iterable[Entry]) -> dict[str, dict[str, int]]:
    counted: dict[str, dict[str, int]] = {}
    for entry in entries:
        for taxonomy, labels in entry.failures.items():
            for label in labels:
                of_taxonomy = counted.setdefault(taxonomy, {})
                of_taxonomy[label] = of_taxonomy.get(label, 0) + 1
    return counted
