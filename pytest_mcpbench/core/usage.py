"""Tokens and money of model calls."""

from typing import TypeVar

from pytest_mcpbench.core.frozen import FrozenModel


class Usage(FrozenModel):
    """Tokens and money of one model call or of many; ``None`` is unknown, never 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """Part of ``input_tokens`` that the provider read from its cache."""
    cache_write_tokens: int | None = None
    """Part of ``input_tokens`` that the provider wrote to its cache; ``None`` if it does not report writes."""
    cost_usd: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum; a part that is unknown on one side is unknown in the sum."""
        return Usage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cached_tokens=_sum(self.cached_tokens, other.cached_tokens),
            cache_write_tokens=_sum(self.cache_write_tokens, other.cache_write_tokens),
            cost_usd=_sum(self.cost_usd, other.cost_usd),
        )


Number = TypeVar("Number", int, float)

NO_USAGE = Usage(input_tokens=0, output_tokens=0, cached_tokens=0, cache_write_tokens=0, cost_usd=0.0)


def _sum(left: Number | None, right: Number | None) -> Number | None:
    return None if left is None or right is None else left + right
