"""Aggregation of a report's entries by suite and model, with every denominator."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_high

from pytest_mcpbench.core.model_names import is_competitor
from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.scoring import SCORINGS, Scoring
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.reporting.aggregates.pass_rate import PassRate, verdicts
from pytest_mcpbench.statistics.groups import (
    Aggregate,
    MetricValue,
    aggregate,
    group_by,
    pass_at_k,
    pass_hat_k,
    pass_rates,
)
from pytest_mcpbench.statistics.intervals import Interval
from pytest_mcpbench.text.natural_order import natural_key

HEADLINE_IS_MICRO = frozenset({"tool_f1", "tool_f1_turn", "tool_precision", "tool_recall"})
"""Metrics whose published number is the micro average (FinMCP-Bench 3.2)."""


@dataclass(frozen=True)
class KnownSum:
    """Sum over attempts of a quantity that is unknown for some of them."""

    known: float
    """Sum over the attempts of which it is known: the least that the sum of all can be."""
    unknown: int
    """Number of the other attempts."""
    attempts: int

    @classmethod
    def of(cls, values: Iterable[float | None]) -> "KnownSum":
        each = list(values)
        known = [value for value in each if value is not None]
        return cls(sum(known), len(each) - len(known), len(each))


@dataclass(frozen=True)
class UsageSum:
    """Tokens and cost of attempts, as far as they are known."""

    input_tokens: KnownSum
    output_tokens: KnownSum
    cost_usd: KnownSum

    @classmethod
    def of(cls, usages: Iterable[Usage]) -> "UsageSum":
        each = list(usages)
        return cls(
            KnownSum.of(usage.input_tokens for usage in each),
            KnownSum.of(usage.output_tokens for usage in each),
            KnownSum.of(usage.cost_usd for usage in each),
        )


@dataclass(frozen=True)
class Repetition:
    """Success rates over k trials."""

    k: int
    pass_at: float | None
    """Estimated share of tasks that are solved at least once in k trials; ``None``: see :attr:`Summary.is_replayed`."""
    pass_hat: float | None
    """Estimated share of tasks that are solved in all of k trials."""
    tasks: int
    """Number of tasks with verdicts in as many trials as the largest k, the same for every k; others are left out."""


@dataclass(frozen=True)
class Summary:
    """Summary of all attempts of one model at one suite, or in one test that users wrote themselves."""

    suite: str
    """Name of the series; see :func:`~pytest_mcpbench.core.record.series`."""
    model: str
    tasks: int
    attempts: int
    rate: PassRate
    """Pass rate, which is a range if attempts are unscored."""
    rates: Mapping[Scoring, PassRate]
    """Pass rate by each criterion, from the same scores; empty for a suite without guards."""
    errors: int
    xfailed: int
    """Number of :attr:`failed` attempts that are marked ``xfail``."""
    xpassed: int
    """Number of :attr:`passed` attempts that are marked ``xfail``."""
    metrics: Mapping[str, Aggregate]
    thresholds: Mapping[str, Mapping[float, float]]
    """Share of attempts that reach each threshold of ``coverage`` (MCP-Atlas)."""
    usage: Usage
    """Usage of the agent."""
    judge_usage: Usage
    known_usage: UsageSum
    """The agent's usage as far as it is known, which attempts without usage do not hide."""
    known_judge_usage: UsageSum
    user_usage: Usage
    """Usage of the models that play users."""
    known_user_usage: UsageSum
    seconds: float
    """Sum over all attempts, which may have overlapped."""
    steps: int
    """Number of messages of the agent over all attempts, with or without calls."""
    tool_calls: int
    repetition: tuple[Repetition, ...]
    """Rates for each k from 1; empty if no task has more than one trial."""
    failures: Mapping[str, Mapping[str, int]]
    """Number of :attr:`completed_attempts` with each label, by taxonomy."""
    error_kinds: Mapping[str, int]
    """Number of attempts that ended with an error, by who must act."""
    is_replayed: bool = False
    """True if servers replayed a recording where the success of calls was to be measured (pass@k of MCPToolBench++)."""

    @property
    def passed(self) -> int:
        return self.rate.passed

    @property
    def failed(self) -> int:
        return self.rate.failed

    @property
    def unscored(self) -> int:
        return self.rate.unscored

    @property
    def verdicts(self) -> int:
        """Return the number of attempts that passed or failed."""
        return self.rate.verdicts

    @property
    def pass_rate(self) -> float | None:
        """Return the pass rate; ``None`` if an attempt is unscored."""
        return self.rate.value

    @property
    def pass_interval(self) -> Interval | None:
        """Return the 95 % interval of the pass rate."""
        return self.rate.interval

    @property
    def completed_attempts(self) -> int:
        """Return the number of attempts that are not errors."""
        return self.attempts - self.errors


def summaries(report: Report) -> tuple[Summary, ...]:
    """Return a summary for each suite and model, sorted by name; agents without a model follow the models."""
    return tuple(_summary(suite, model, entries) for (suite, model), entries in by_suite_and_model(report.entries))


def by_suite_and_model(entries: Iterable[Entry]) -> Iterator[tuple[tuple[str, str], tuple[Entry, ...]]]:
    """Yield the entries of each suite and model, sorted by name; agents without a model follow the models."""
    groups = group_by(entries, lambda entry: (entry.series, entry.model))
    order = sorted(groups, key=lambda key: (natural_key(key[0]), not is_competitor(key[1]), natural_key(key[1])))
    yield from ((key, tuple(groups[key])) for key in order)


def by_tag(report: Report, tag: str) -> dict[str, tuple[Summary, ...]]:
    """Return the summaries of the entries with each value of a tag."""
    groups = group_by((entry for entry in report.entries if tag in entry.tags), lambda entry: entry.tags[tag])
    return {value: summaries(Report(entries=tuple(groups[value]))) for value in sorted(groups, key=natural_key)}


def metric_names(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return all metrics of the entries, those with a floor first."""
    entries = tuple(entries)
    with_floor = (name for entry in entries for name in entry.floors)
    others = (name for entry in entries for name in entry.scores)
    return tuple(dict.fromkeys((*with_floor, *others)))


def _summary(suite: str, model: str, entries: Sequence[Entry]) -> Summary:
    outcomes = Counter(entry.outcome for entry in entries)
    verdicts_by_task = verdicts(entries)
    is_replayed = any(entry.is_replayed for entry in entries)
    values = [entry.scores.get("coverage") for entry in entries if entry.outcome != "error"]
    rates = pass_rates(value for value in values if value is not None)
    return Summary(
        suite=suite,
        model=model,
        tasks=len({entry.task_id for entry in entries}),
        attempts=len(entries),
        rate=PassRate.of(entries),
        rates=scoring_rates(entries),
        errors=outcomes["error"],
        xfailed=sum(entry.is_xfail and entry.outcome == "failed" for entry in entries),
        xpassed=sum(entry.is_xfail and entry.outcome == "passed" for entry in entries),
        metrics={name: _metric(name, entries) for name in metric_names(entries)},
        thresholds={"coverage": rates} if rates else {},
        usage=sum((entry.usage for entry in entries), NO_USAGE),
        judge_usage=sum((entry.judge_usage for entry in entries), NO_USAGE),
        known_usage=UsageSum.of(entry.usage for entry in entries if not entry.is_unanswered),
        known_judge_usage=UsageSum.of(entry.judge_usage for entry in entries),
        user_usage=sum((entry.user_usage for entry in entries), NO_USAGE),
        known_user_usage=UsageSum.of(entry.user_usage for entry in entries),
        seconds=sum(entry.seconds for entry in entries),
        steps=sum(entry.steps for entry in entries),
        tool_calls=sum(entry.tool_calls for entry in entries),
        repetition=tuple(_repetition(verdicts_by_task, is_replayed=is_replayed)),
        is_replayed=is_replayed,
        failures=_failures(entries),
        error_kinds=dict(Counter(entry.error_kind or "internal" for entry in entries if entry.outcome == "error")),
    )


def scoring_rates(entries: Sequence[Entry]) -> dict[Scoring, PassRate]:
    """Return the pass rate by each criterion; none for attempts of a suite without guards."""
    if not any(entry.verdicts for entry in entries):
        return {}
    return {scoring: PassRate.of(entry.under(scoring) for entry in entries) for scoring in SCORINGS}


def _metric(name: str, entries: Iterable[Entry]) -> Aggregate:
    """Aggregate a metric over the attempts that have it; errors are counted because they prevented it."""
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


def _repetition(
    verdicts_by_task: Mapping[tuple[str, str], Sequence[bool]], *, is_replayed: bool
) -> Iterator[Repetition]:
    """Yield the rates for each k up to the number of trials that at least half of the tasks have.

    All of them are over the tasks with that many trials: over other tasks for each k, pass^3 could exceed pass^2.
    """
    counts = [(len(trials), sum(trials)) for trials in verdicts_by_task.values()]
    most = median_high(n for n, _ in counts) if counts else 0
    complete = [(n, c) for n, c in counts if n >= most]
    for k in range(1, most + 1 if most > 1 else 1):
        at, hat = (None, None) if is_replayed else (pass_at_k(complete, k), pass_hat_k(complete, k))
        yield Repetition(k, at, hat, len(complete))


def _failures(entries: Iterable[Entry]) -> dict[str, dict[str, int]]:
    """Count failure labels; attempts with an error are skipped because they say nothing about the model."""
    counts: dict[str, Counter[str]] = {}
    for entry in entries:
        for taxonomy, labels in entry.failures.items() if entry.outcome != "error" else ():
            counts.setdefault(taxonomy, Counter()).update(dict.fromkeys(labels, 1))
    return {taxonomy: dict(labels.most_common()) for taxonomy, labels in counts.items() if labels}
