"""Catalogue of models and providers that is bundled with litellm, read without importing litellm.

The two files are not a public interface of litellm; they were tried with version 1.106.2.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pytest_mcpbench.runtime.models.prices import Price, parse_price

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
        """Return whether litellm asks a model by OpenAI's responses API: it is listed so, or its id says so."""
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
