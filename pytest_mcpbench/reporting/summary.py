"""A report's entries gathered by suite and model, with every denominator."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.statistics.groups import Aggregate, MetricValue, aggregate
from pytest_mcpbench.core.statistics.intervals import Interval, pass_rate_interval
from pytest_mcpbench.core.statistics.pooling import pass_rates
from pytest_mcpbench.core.statistics.repetition import pass_at_k, pass_hat_k
from pytest_mcpbench.core.trajectory import NO_USAGE, Usage

HEADLINE_IS_MICRO = frozenset({"tool_f1", "tool_f1_turn", "tool_precision", "tool_recall"})
"""Metrics whose published number is the pooled one (FinMCP-Bench 3.2)."""


@dataclass(frozen=True)
class Repetition:
    """How often tasks were solved in k trials."""

    k: int
    pass_at: float
    """Share of the tasks that k trials would solve at least once."""
    pass_hat: float
    """Share that k trials would solve every time."""
    tasks: int
    """Those with at least k trials that have a verdict; the others are in neither number."""


@dataclass(frozen=True)
class Summary:
    """All attempts of one model at one suite, or by one test that people write themselves."""

    suite: str
    """The series: see :func:`~pytest_mcpbench.core.record.series`."""
    model: str
    tasks: int
    attempts: int
    passed: int
    failed: int
    errors: int
    unscored: int
    xfailed: int
    """Of :attr:`failed`: those that pytest was told to expect."""
    xpassed: int
    """Of :attr:`passed`: those that it was told would fail."""
    pass_interval: Interval | None
    """95 %, over tasks; ``None`` where nothing has a verdict."""
    metrics: Mapping[str, Aggregate]
    thresholds: Mapping[str, Mapping[float, float]]
    """``coverage`` -> least value -> share of the attempts that reach it (MCP-Atlas)."""
    usage: Usage
    """The agent's."""
    judge_usage: Usage
    seconds: float
    """Of all attempts together; they may have run at the same time."""
    rounds: int
    tool_calls: int
    repetition: tuple[Repetition, ...]
    """For k from 1, where a task was tried more than once; else empty."""
    failures: Mapping[str, Mapping[str, int]]
    """Taxonomy -> label -> attempts that have it; of :attr:`made`."""
    error_kinds: Mapping[str, int]
    """Who must act -> attempts that could not be made or scored."""

    @property
    def verdicts(self) -> int:
        """The denominator of the pass rate: attempts that passed or failed."""
        return self.passed + self.failed

    @property
    def pass_rate(self) -> float | None:
        return self.passed / self.verdicts if self.verdicts else None

    @property
    def made(self) -> int:
        """Attempts that were made: all but the errors."""
        return self.attempts - self.errors


def summaries(report: Report) -> tuple[Summary, ...]:
    """One for each suite and model, in the order of their names."""
    return tuple(_summary(suite, model, entries) for (suite, model), entries in by_suite_and_model(report.entries))


def by_suite_and_model(entries: Iterable[Entry]) -> Iterator[tuple[tuple[str, str], tuple[Entry, ...]]]:
    """The entries of each suite and model, in the order of their names."""
    ordered = sorted(entries, key=_group)
    yield from ((key, tuple(group)) for key, group in groupby(ordered, key=_group))


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


def verdicts(entries: Iterable[Entry]) -> dict[str, list[bool]]:
    """Task -> whether each of its trials passed; attempts without a verdict are left out."""
    found: dict[str, list[bool]] = {}
    for entry in entries:
        if entry.outcome in ("passed", "failed"):
            found.setdefault(entry.task_id, []).append(entry.outcome == "passed")
    return found


def _group(entry: Entry) -> tuple[str, str]:
    return entry.series, entry.model


def _summary(suite: str, model: str, entries: Sequence[Entry]) -> Summary:
    outcomes = Counter(entry.outcome for entry in entries)
    decided = verdicts(entries)
    return Summary(
        suite=suite,
        model=model,
        tasks=len({entry.task_id for entry in entries}),
        attempts=len(entries),
        passed=outcomes["passed"],
        failed=outcomes["failed"],
        errors=outcomes["error"],
        unscored=outcomes["unscored"],
        xfailed=sum(entry.is_xfail and entry.outcome == "failed" for entry in entries),
        xpassed=sum(entry.is_xfail and entry.outcome == "passed" for entry in entries),
        pass_interval=pass_rate_interval(decided) if decided else None,
        metrics={name: _metric(name, entries) for name in metric_names(entries)},
        thresholds=_thresholds(entries),
        usage=sum((entry.usage for entry in entries), NO_USAGE),
        judge_usage=sum((entry.judge_usage for entry in entries), NO_USAGE),
        seconds=sum(entry.seconds for entry in entries),
        rounds=sum(entry.rounds for entry in entries),
        tool_calls=sum(entry.tool_calls for entry in entries),
        repetition=tuple(_repetition(decided)),
        failures=_failures(entries),
        error_kinds=dict(Counter(entry.error_kind or "internal" for entry in entries if entry.outcome == "error")),
    )


def _metric(name: str, entries: Iterable[Entry]) -> Aggregate:
    """Over the attempts that the metric was computed for, and the errors that kept it from being computed."""
    return aggregate(
        name,
        (
            MetricValue(
                task=entry.task_id,
                value=entry.scores.get(name),
                is_error=entry.outcome == "error",
                applies=name not in entry.not_applicable,
                counts=entry.counts.get(name, {}),
            )
            for entry in entries
            if name in entry.scores or entry.outcome == "error"
        ),
    )


def _thresholds(entries: Iterable[Entry]) -> dict[str, Mapping[float, float]]:
    values = [entry.scores.get("coverage") for entry in entries if entry.outcome != "error"]
    rates = pass_rates(value for value in values if value is not None)
    return {"coverage": rates} if rates else {}


def _repetition(decided: Mapping[str, Sequence[bool]]) -> Iterator[Repetition]:
    counts = [(len(trials), sum(trials)) for trials in decided.values()]
    most = max((n for n, _ in counts), default=0)
    for k in range(1, most + 1 if most > 1 else 1):
        enough = [(n, c) for n, c in counts if n >= k]
        yield Repetition(k, pass_at_k(enough, k), pass_hat_k(enough, k), len(enough))


def _failures(entries: Iterable[Entry]) -> dict[str, dict[str, int]]:
    """An attempt that is an error says nothing about the model, whatever was recorded of it."""
    counted: dict[str, Counter[str]] = {}
    for entry in entries:
        for taxonomy, labels in entry.failures.items() if entry.outcome != "error" else ():
            counted.setdefault(taxonomy, Counter()).update(set(labels))
    return {taxonomy: dict(labels.most_common()) for taxonomy, labels in counted.items() if labels}
