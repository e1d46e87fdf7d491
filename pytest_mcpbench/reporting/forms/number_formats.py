"""Formats of numbers in reports."""

import math

from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.statistics.intervals import Interval

UNKNOWN = "?"
NONE = "n/a"
_LEAST_MONEY = 0.000001


def count(value: int) -> str:
    """Return a whole number with commas between thousands."""
    return f"{value:,}"


def quantity(number: int, noun: str) -> str:
    """Return the number of things that have a regular plural: ``1 task``, ``1,200 tasks``."""
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def percent(share: float | None) -> str:
    """Format a share from 0 to 1 as per cent."""
    return NONE if share is None else f"{share * 100:.1f} %"


def percent_range(bounds: Interval) -> str:
    """Format both bounds as whole per cent, with one decimal where that would hide their difference."""
    low, high = (f"{bound * 100:.0f}" for bound in bounds)
    return percent_interval(bounds) if low == high else f"{low} – {high} %"


def score(value: float | None) -> str:
    """Format a score with three decimals."""
    return NONE if value is None else f"{value:.3f}"


def hundredths(share: float) -> str:
    """Format a share as per cent with two decimals and without the sign, as tables of papers do."""
    return f"{share * 100:.2f}"


def four_decimals(value: float) -> str:
    """Format a number with four decimals."""
    return f"{value:.4f}"


def two_decimals(value: float) -> str:
    """Format a number with two decimals."""
    return f"{value:.2f}"


def one_decimal(value: float) -> str:
    """Format a number with one decimal."""
    return f"{value:.1f}"


def whole(value: float) -> str:
    """Format a number without decimals."""
    return f"{value:.0f}"


def difference(value: float) -> str:
    """Format a difference with three decimals and a sign."""
    return f"{value:+.3f}"


def percent_interval(interval: Interval | None) -> str:
    """Format both bounds as per cent; return "" if there is no interval."""
    return f"{interval.low * 100:.1f} – {interval.high * 100:.1f} %" if interval else ""


def score_interval(interval: Interval | None) -> str:
    """Format both bounds; return "" if there is no interval."""
    return f"{interval.low:.3f} – {interval.high:.3f}" if interval else ""


def difference_interval(interval: Interval) -> str:
    """Format both bounds with a sign."""
    return f"{interval.low:+.3f} – {interval.high:+.3f}"


def p_value(value: float | None) -> str:
    """Format a p-value with three decimals; smaller values become ``< 0.001``."""
    if value is None:
        return NONE
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def money(cost_usd: float | None) -> str:
    """Format US dollars; an unknown or a very small price is never shown as 0."""
    if cost_usd is None:
        return UNKNOWN
    if cost_usd >= 1 or cost_usd <= 0:
        return f"${cost_usd:.2f}" if cost_usd else "$0"
    if cost_usd < _LEAST_MONEY:
        return f"< ${_LEAST_MONEY:f}"
    # Two digits at least, as prices of small models differ in these.
    return f"${cost_usd:.{max(4, 1 - math.floor(math.log10(cost_usd)))}f}"


def at_least(known: str, unknown: int, count: int, *, unknown_text: str = UNKNOWN) -> str:
    """Format a sum of ``count`` parts of which some are unknown: ``≥ $0.17, 1 unknown``."""
    if not unknown:
        return known
    return unknown_text if unknown == count else f"≥ {known}, {unknown} unknown"


def usage_tokens(usage: Usage) -> str:
    """Format input and output tokens as ``input+output``."""
    return f"{tokens(usage.input_tokens)}+{tokens(usage.output_tokens)}"


def tokens(number: float | None) -> str:
    """Format a number of tokens, in thousands or millions if it is large."""
    if number is None:
        return UNKNOWN
    return (
        f"{number:,.0f}"
        if number < 10_000
        else f"{number / 1000:.0f}k"
        if number < 1_000_000
        else f"{number / 1e6:.1f}M"
    )


def seconds(value: float) -> str:
    """Format a duration in seconds, in milliseconds below 0.1 s, in minutes from 120 s on, in hours from 120 min on."""
    if 0 < value < 0.1:
        return f"{value * 1000:.3g} ms"
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min" if value < 7200 else f"{value / 3600:.1f} h"
