"""Numbers as reports write them."""

from pytest_mcpbench.core.statistics.intervals import Interval
from pytest_mcpbench.core.trajectory import Usage

UNKNOWN = "?"
NONE = "n/a"


def percent(share: float | None) -> str:
    """A share from 0 to 1 as per cent."""
    return NONE if share is None else f"{share * 100:.1f} %"


def score(value: float | None) -> str:
    """Three decimals."""
    return NONE if value is None else f"{value:.3f}"


def difference(value: float) -> str:
    """Three decimals with a sign."""
    return f"{value:+.3f}"


def percent_interval(interval: Interval | None) -> str:
    """Both bounds as per cent; empty where there is none."""
    return f"{interval.low * 100:.1f} – {interval.high * 100:.1f} %" if interval else ""


def score_interval(interval: Interval | None) -> str:
    """Both bounds; empty where there is none."""
    return f"{interval.low:.3f} – {interval.high:.3f}" if interval else ""


def difference_interval(interval: Interval) -> str:
    """Both bounds with a sign."""
    return f"{interval.low:+.3f} – {interval.high:+.3f}"


def p_value(value: float | None) -> str:
    """Three decimals, and no claim of more."""
    if value is None:
        return NONE
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def money(cost_usd: float | None) -> str:
    """US dollars; an unknown price is shown as such, never as 0."""
    if cost_usd is None:
        return UNKNOWN
    return "$0" if cost_usd == 0 else f"${cost_usd:.4f}" if cost_usd < 1 else f"${cost_usd:.2f}"


def usage_tokens(usage: Usage) -> str:
    """Tokens read and written."""
    return f"{tokens(usage.input_tokens)}+{tokens(usage.output_tokens)}"


def tokens(number: float | None) -> str:
    """A count, in thousands or millions where it is large."""
    if number is None:
        return UNKNOWN
    return (
        f"{number:.0f}"
        if number < 10_000
        else f"{number / 1000:.0f}k"
        if number < 1_000_000
        else f"{number / 1e6:.1f}M"
    )


def seconds(value: float) -> str:
    """Seconds, or minutes where there are many."""
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"
