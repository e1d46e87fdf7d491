"""Prices of tokens."""

import re
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.trajectory import Usage

_KINDS = (
    "input_cost_per_token",
    "output_cost_per_token",
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
)
_LONG = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


class Price(FrozenModel):
    """Price in USD per million tokens."""

    input: float
    output: float
    cached: float | None = None
    """Price of input that the provider had cached; ``None``: the same as other input."""
    cache_write: float | None = None
    """Price of input that the provider writes to its cache; ``None``: the same as other input."""
    long_context_from: int | None = None
    """Number of input tokens above which ``long_context`` is the price of the complete request."""
    long_context: "Price | None" = None

    @property
    def is_free(self) -> bool:
        """Return whether no token costs anything."""
        own = (self.input, self.output, self.cached, self.cache_write)
        return not any(own) and (self.long_context is None or self.long_context.is_free)

    def cost(self, usage: Usage) -> float | None:
        """Return the USD for one request; ``None`` if its number of tokens is unknown and matters."""
        if self.is_free:
            return 0.0
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        if (
            self.long_context is not None
            and self.long_context_from is not None
            and usage.input_tokens > self.long_context_from
        ):
            return self.long_context.cost(usage)
        cached = min(usage.cached_tokens or 0, usage.input_tokens)
        written = min(usage.cache_write_tokens or 0, usage.input_tokens - cached)
        cached_price = self.input if self.cached is None else self.cached
        write_price = self.input if self.cache_write is None else self.cache_write
        fresh = usage.input_tokens - cached - written
        input_cost = fresh * self.input + cached * cached_price + written * write_price
        return (input_cost + usage.output_tokens * self.output) / 1e6


def parse_price(entry: Mapping[str, Any]) -> Price | None:
    """Return the price in an entry of litellm's model catalogue; ``None`` if it has none."""
    price = _price(entry, "")
    threshold = next((match for key in entry if (match := _LONG.fullmatch(key))), None)
    if price is None or threshold is None:
        return price
    long_context = _price(entry, f"_above_{threshold[1]}k_tokens")
    return price.model_copy(update={"long_context_from": int(threshold[1]) * 1000, "long_context": long_context})


def _price(entry: Mapping[str, Any], suffix: str) -> Price | None:
    per_input, per_output, per_cached, per_write = (_per_million(entry.get(kind + suffix)) for kind in _KINDS)
    if per_input is None or per_output is None:
        return None
    return Price(input=per_input, output=per_output, cached=per_cached, cache_write=per_write)


def _per_million(value: Any) -> float | None:
    return round(value * 1e6, 6) if isinstance(value, int | float) else None
