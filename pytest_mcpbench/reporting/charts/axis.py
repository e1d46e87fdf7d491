"""Axes of charts: the range of values, where ticks are, and how values are printed."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.statistics.intervals import Interval

UNKNOWN = "unknown"
"""Text of a cost or count that is not known, which is never shown as 0."""
_MOST_STEPS = 5
"""Number of steps between ticks that an axis has at most."""


@dataclass(frozen=True)
class Axis:
    """One axis; bounds that are ``None`` follow from the data."""

    label: str
    text: Callable[[float], str]
    """Format of known values, for the table and for labels."""
    low: float | None = None
    high: float | None = None
    tick_text: Callable[[float], str] = "{:g}".format
    ticks: tuple[float, ...] | None = None
    """Values that get a tick; ``None`` for round ones."""
    is_logarithmic: bool = False
    interval_text: Callable[[Interval], str] | None = None
    """Format of intervals; both bounds in the format of values by default."""
    no_value: str = UNKNOWN
    """Text in place of a value; a score without one is n/a, as in the tables of reports."""

    def print_value(self, value: float | None) -> str:
        """Return the text of a value, or that there is none."""
        return self.no_value if value is None else self.text(value)

    def print_interval(self, interval: Interval | None) -> str:
        """Return the text of an interval; empty if there is none."""
        if interval is None:
            return ""
        return self.interval_text(interval) if self.interval_text else " – ".join(map(self.text, interval))


@dataclass(frozen=True)
class Scale:
    """Mapping of the values of an axis to coordinates, linear or logarithmic."""

    low: float
    high: float
    start: float
    """Coordinate of the lowest value."""
    end: float
    is_logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value; values beyond the bounds lie on the bound."""
        clipped = min(max(value, self.low), self.high)
        if self.is_logarithmic:
            share = math.log(clipped / self.low) / math.log(self.high / self.low)
        else:
            share = (clipped - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * share


def percent_axis(label: str, *, high: float | None = 1.0) -> Axis:
    """Return an axis of shares from 0 on, printed as per cent."""
    return Axis(
        label,
        number_formats.percent,
        0.0,
        high,
        tick_text=lambda value: f"{value * 100:g} %",
        interval_text=number_formats.percent_interval,
        no_value=number_formats.NONE,
    )


def point_axis(label: str) -> Axis:
    """Return an axis of differences of shares, printed in percentage points with a sign."""
    return Axis(
        label,
        lambda value: f"{value * 100:+.1f}",
        tick_text=lambda value: f"{value * 100:+g}" if value else "0",
        interval_text=lambda interval: f"{interval.low * 100:+.1f} … {interval.high * 100:+.1f}",
    )


def score_axis(label: str) -> Axis:
    """Return an axis of scores from 0 to 1."""
    return Axis(
        label,
        number_formats.score,
        0.0,
        1.0,
        interval_text=number_formats.score_interval,
        no_value=number_formats.NONE,
    )


def money_axis(label: str) -> Axis:
    """Return an axis of US dollars, from 0 on."""
    return Axis(label, number_formats.money, 0.0, tick_text=lambda value: f"${value:.10f}".rstrip("0").rstrip("."))


def number_axis(label: str, *, low: float | None = 0.0) -> Axis:
    """Return an axis of plain numbers, such as counts, tokens or seconds."""
    return Axis(label, _tick, low, tick_text=_tick)


def scale_of(axis: Axis, values: Iterable[float | None], *, start: float, end: float) -> Scale:
    """Return the scale that shows all values, with round bounds where the axis gives none."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if axis.is_logarithmic:
        positive = [value for value in known if value > 0]
        low = axis.low or 10 ** math.floor(math.log10(min(positive, default=1.0)))
        high = axis.high or 10 ** math.ceil(math.log10(max(positive, default=10.0)))
        return Scale(low, high if high > low else low * 10, start, end, is_logarithmic=True)
    low = min(known, default=0.0) if axis.low is None else axis.low
    high = max(known, default=1.0) if axis.high is None else axis.high
    if high <= low:
        high = low + (abs(low) or 1.0)
    step = _step(high - low)
    if axis.low is None:
        low = math.floor(low / step + 1e-9) * step
    if axis.high is None:
        high = math.ceil(high / step - 1e-9) * step
    return Scale(low, high, start, end)


def ticks_of(axis: Axis, scale: Scale) -> tuple[tuple[float, str], ...]:
    """Return the values that get a tick, with their text."""
    if axis.ticks is not None:
        chosen: Iterable[float] = (tick for tick in axis.ticks if scale.low <= tick <= scale.high)
    elif scale.is_logarithmic:
        first, last = math.ceil(math.log10(scale.low) - 1e-9), math.floor(math.log10(scale.high) + 1e-9)
        every = max(1, math.ceil((last - first + 1) / _MOST_STEPS))
        chosen = (10.0**power for power in range(first, last + 1, every))
    else:
        step = _step(scale.high - scale.low)
        first = math.ceil(scale.low / step - 1e-9)
        chosen = (index * step for index in range(first, math.floor(scale.high / step + 1e-9) + 1))
    return tuple((value, axis.tick_text(round(value, 10))) for value in chosen)


def with_ticks(axis: Axis, values: Iterable[float]) -> Axis:
    """Return the axis with ticks at these values."""
    return replace(axis, ticks=tuple(sorted(set(values))))


def _step(span: float) -> float:
    """Return the smallest of 1, 2, 2.5 and 5 times a power of ten that divides the span into few enough steps."""
    rough = span / _MOST_STEPS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * (1 - 1e-9))


def _tick(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"
