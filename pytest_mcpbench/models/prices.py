"""Prices of tokens."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.usage import Usage

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
        """Return the cost of one request in USD; ``None`` if it depends on an unknown number of tokens."""
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
    per_token = (entry.get(kind + suffix) for kind in _KINDS)
    per_input, per_output, per_cached, per_write = (
        round(usd * 1e6, 6) if isinstance(usd, int | float) else None for usd in per_token
    )
    if per_input is None or per_output is None:
        return None
    return Price(input=per_input, output=per_output, cached=per_cached, cache_write=per_write)


# Catalogue of models and providers that is bundled with litellm, read without importing litellm.
#
# The two files are not a public interface of litellm; they were tried with version 1.106.2.

_MODELS = "model_prices_and_context_window_backup.json"
_PROVIDERS = "provider_endpoints_support_backup.json"


@dataclass(frozen=True)
class ModelCatalogue:
    """Entries of models by litellm id, and the names of further providers."""

    models: Mapping[str, Mapping[str, Any]]
    other_providers: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def from_litellm(cls) -> "ModelCatalogue":
        """Read the catalogue of the installed litellm; empty if there is none. Takes about 20 ms."""
        spec = find_spec("litellm")
        if spec is None or not spec.submodule_search_locations:
            return cls({})
        directory = Path(spec.submodule_search_locations[0])
        providers = _read(directory / _PROVIDERS).get("providers")
        return cls(_read(directory / _MODELS), frozenset(providers or ()))

    def find(self, model: str) -> Mapping[str, Any] | None:
        """Return the entry of a model; some providers' models are listed without the provider's name."""
        provider, _, short = model.partition("/")
        entry = self.models.get(short, {})
        return self.models.get(model) or (entry if entry.get("litellm_provider") == provider else None)

    def has_responses_api(self, model: str) -> bool:
        """Return whether litellm uses OpenAI's responses API for a model, by its catalogue or by the model's id."""
        entry = self.find(model) or {}
        return entry.get("mode") == "responses" or "/responses/" in f"/{model}"

    def price(self, model: str) -> Price | None:
        """Return the price of a model; ``None`` if it is unknown."""
        entry = self.find(model)
        return None if entry is None else parse_price(entry)

    @cached_property
    def providers(self) -> frozenset[str]:
        """Valid first parts (before the slash) of a model's id."""
        prefixes = {model.partition("/")[0] for model in self.models if "/" in model}
        return self.other_providers | prefixes | {str(entry.get("litellm_provider")) for entry in self.models.values()}

    @property
    def chat_models(self) -> list[str]:
        """Ids of models for chat."""
        return [model for model, entry in self.models.items() if entry.get("mode") in ("chat", "responses")]


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except OSError:
        return {}
    return content if isinstance(content, dict) else {}
