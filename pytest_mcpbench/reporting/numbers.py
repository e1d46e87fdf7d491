"""Numbers as reports write them."""

from pytest_mcpbench.core.trajectory import Usage

UNKNOWN = "?"


def percent(share: float) -> str:
    """A share from 0 to 1 as per cent."""
    return f"{share * 100:.1f} %"


def score(value: float | None) -> str:
    """Three decimals."""
    return "n/a" if value is None else f"{value:.3f}"


def money(cost_usd: float | None) -> str:
    """US dollars; an unknown price is shown as such, never as 0."""
    if cost_usd is None:
        return UNKNOWN
    return "$0" if cost_usd == 0 else f"${cost_usd:.4f}" if cost_usd < 1 else f"${cost_usd:.2f}"


def count(usage: Usage) -> str:
    """Tokens read and written."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return UNKNOWN
    return f"{_short(usage.input_tokens)}+{_short(usage.output_tokens)}"


def seconds(value: float) -> str:
    """Seconds, or minutes where there are many."""
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"


def _short(number: int) -> str:
    return str(number) if number < 10_000 else f"{number / 1000:.0f}k" if number < 1_000_000 else f"{number / 1e6:.1f}M"
