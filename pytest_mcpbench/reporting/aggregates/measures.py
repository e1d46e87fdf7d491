"""Measures of attempts: one number for any group of them, with its denominators."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.summary import HEADLINE_IS_MICRO
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.statistics.groups import group_by, micro, micro_interval
from pytest_mcpbench.statistics.intervals import FEWEST_TASKS, Interval, bootstrap_mean, mean_interval
from pytest_mcpbench.statistics.partly_known import PartlyKnownMean

Form = Callable[[float], str]
"""Format of a number in texts; CSV and JSON have all of its digits."""

NO_ATTEMPT = "no attempt"
NOT_MEASURED = "the run did not measure it"


@dataclass(frozen=True)
class MeasuredNumber:
    """A number over attempts; those with an error are counted beside it, never in it."""

    value: float | None
    """``None`` if there is none, or if only :attr:`bounds` are known."""
    form: Form = number_formats.score
    n: int = 0
    """Number of attempts behind the value or the bounds, or of other things that the table names."""
    tasks: int = 0
    errors: int = 0
    unscored: int = 0
    reason: str = ""
    """Reason why there is no value."""
    bounds: Interval | None = None
    """Least and greatest value that the unscored attempts leave possible, where some are and others are not."""
    find_interval: Callable[[], Interval | None] = field(default=lambda: None, compare=False)

    @property
    def interval(self) -> Interval | None:
        """Return the 95 % interval over tasks, which takes a moment to compute; ``None`` where none is defined."""
        return self.find_interval() if self.extent else None

    @property
    def extent(self) -> Interval | None:
        """Return the least and the greatest value that are possible; ``None`` if nothing is known."""
        return self.bounds if self.value is None else Interval(self.value, self.value)

    @property
    def middle(self) -> float | None:
        """Return the value, or the middle of the bounds, at which a chart draws it."""
        return fmean(self.extent) if self.extent else None

    @property
    def text(self) -> str:
        """Return the value, or its bounds as ``0 – 62 % (3 of 8 decided)``; empty without either."""
        if self.bounds is None:
            return "" if self.value is None else self.form(self.value)
        is_percent = self.form is number_formats.percent
        low, high = map(self.form, self.bounds)
        bounds = number_formats.percent_range(self.bounds) if is_percent else f"{low} – {high}"
        return f"{bounds} ({self.n:,} of {self.n + self.unscored:,} decided)"


@dataclass(frozen=True)
class MeasureReading:
    """Value of a measure in one attempt."""

    value: float | None = None
    reason: str = ""
    """Reason why there is none."""
    applies: bool = True
    """``False``: the attempt has nothing to measure."""


@dataclass(frozen=True)
class Measure:
    """A number that any group of attempts has.

    It is the mean over tasks of the mean over their trials (macro average), or a share of counts that are pooled over
    all attempts (micro average). A mean of shares has bounds in place of a value if attempts are unscored, as the pass
    rate has; what is pooled or has no greatest value is over the others.
    """

    name: str
    read: Callable[[Entry], MeasureReading]
    form: Form = number_formats.score
    pooled: str = ""
    """Metric whose counts are pooled; empty: the mean over tasks."""
    is_share: bool = True
    """True if the values are from 0 to 1."""

    def of(self, entries: Sequence[Entry]) -> MeasuredNumber:
        """Return the number of these attempts."""
        made = [entry for entry in entries if entry.outcome != "error"]
        readings = [(entry, self.read(entry)) for entry in made]
        scored = [(entry, reading.value) for entry, reading in readings if reading.value is not None]
        unscored = [entry for entry, reading in readings if reading.value is None and reading.applies]
        is_range = bool(scored and unscored) and self.is_share and not self.pooled
        value: float | None = None
        if self.pooled:
            value = micro(self.pooled, (entry.counts.get(self.pooled, {}) for entry, _ in scored))
        elif scored and not is_range:
            value = fmean(map(fmean, _trials(scored)))
        number = MeasuredNumber(
            value=value,
            form=self.form,
            n=len(scored) if is_range or value is not None else 0,
            tasks=len({entry.task_id for entry, _ in scored}) if is_range or value is not None else 0,
            errors=len(entries) - len(made),
            unscored=len(unscored),
            reason="" if value is not None else _reason(entries, [reading for _, reading in readings]),
            find_interval=lambda: self._interval(scored),
        )
        if not is_range:
            return number
        shares = [(entry.task_id, reading.value) for entry, reading in readings if reading.applies]
        mean = PartlyKnownMean.of(shares)
        return replace(number, bounds=mean.range(), find_interval=mean.interval)

    def _interval(self, scored: Sequence[tuple[Entry, float]]) -> Interval | None:
        if self.pooled:
            by_task = group_by((entry for entry, _ in scored), lambda entry: entry.task_id)
            tasks = [by_task[task] for task in sorted(by_task)]
            return micro_interval(
                self.pooled, [[entry.counts.get(self.pooled, {}) for entry in each] for each in tasks]
            )
        values = _trials(scored)
        if self.is_share:
            return mean_interval(values)
        largest = max(max(each) for each in values)
        return bootstrap_mean(values, bounds=(0.0, largest)) if len(values) >= FEWEST_TASKS else None


def metric(name: str, form: Form = number_formats.score, *, is_micro: bool | None = None) -> Measure:
    """Return the measure of a metric, averaged as its publication does unless ``is_micro`` says otherwise."""
    pools = name in HEADLINE_IS_MICRO if is_micro is None else is_micro
    return Measure(name, lambda entry: score_of(name, entry), form, pooled=name if pools else "")


def score_of(name: str, entry: Entry) -> MeasureReading:
    """Return an attempt's score by a metric."""
    if name not in entry.scores:
        return MeasureReading(reason=f"{name}: {NOT_MEASURED}", applies=False)
    reason = entry.unscored.get(name, "")
    return MeasureReading(entry.scores[name], f"{name}: {reason}" if reason else "", name not in entry.not_applicable)


def passed(entry: Entry) -> MeasureReading:
    """Return 1 if the attempt passed and 0 if it failed."""
    if entry.outcome == "unscored":
        return MeasureReading(reason=f"no verdict: {entry.why_unscored}")
    return MeasureReading(float(entry.outcome == "passed"))


def tokens(entry: Entry) -> MeasureReading:
    """Return the tokens that the agent read and wrote."""
    read, written = entry.usage.input_tokens, entry.usage.output_tokens
    if read is None or written is None:
        return MeasureReading(reason="tokens: the provider did not report them")
    return MeasureReading(float(read + written))


def cost(entry: Entry) -> MeasureReading:
    """Return the agent's cost in US dollars."""
    known = entry.usage.cost_usd
    return MeasureReading(reason="cost: the price is not known") if known is None else MeasureReading(known)


PASSED = Measure("passed", passed, number_formats.percent)
TOKENS = Measure("tokens", tokens, number_formats.tokens, is_share=False)
COST = Measure("cost", cost, number_formats.money, is_share=False)
STEPS = Measure("steps", lambda entry: MeasureReading(float(entry.steps)), number_formats.one_decimal, is_share=False)
CALLS = Measure(
    "calls", lambda entry: MeasureReading(float(entry.tool_calls)), number_formats.one_decimal, is_share=False
)
SECONDS = Measure("seconds", lambda entry: MeasureReading(entry.seconds), number_formats.one_decimal, is_share=False)

MEASURES = {measure.name: measure for measure in (PASSED, TOKENS, COST, STEPS, CALLS, SECONDS)}
"""Measures that every attempt has, besides the metrics of its suite."""


def named_measure(name: str) -> Measure:
    """Return the measure with a name: of :data:`MEASURES` or a metric, which ``:macro`` or ``:micro`` may follow."""
    base, _, average = name.rpartition(":")
    if average in ("macro", "micro"):
        return replace(metric(base, is_micro=average == "micro"), name=name)
    return MEASURES.get(name) or metric(name)


def without_value(reason: str, form: Form = number_formats.score) -> MeasuredNumber:
    """Return a number that has no value."""
    return MeasuredNumber(None, form, reason=reason)


def count_of(things: Iterable[object]) -> MeasuredNumber:
    """Return how many things there are."""
    count = sum(1 for _ in things)
    return MeasuredNumber(float(count), number_formats.whole, n=count)


def _trials(scored: Sequence[tuple[Entry, float]]) -> list[list[float]]:
    """Return the values of each task's trials, in the order of the tasks' names."""
    by_task = group_by(scored, lambda pair: pair[0].task_id)
    return [[value for _, value in by_task[task]] for task in sorted(by_task)]


def _reason(entries: Sequence[Entry], readings: Iterable[MeasureReading]) -> str:
    if not entries:
        return NO_ATTEMPT
    reasons = list(dict.fromkeys(reading.reason for reading in readings if reading.reason))
    if not reasons:
        return f"{len(entries)} attempts ended with an error"
    return reasons[0] if len(reasons) == 1 else f"{reasons[0]} (and {len(reasons) - 1} other reasons)"
