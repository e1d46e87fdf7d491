"""The world of one app, as it is built for a person."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SampledWorld:
    """Sampled contexts in the benchmark's format, and names of the ids in them."""

    contexts: Any
    """A list of ``{id, data}``, as in ``sampled_contexts``."""
    names: Mapping[str, Any]


def account_context(person: str, tree: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the context of an app whose tree is one account."""
    return [{"id": person, "data": dict(tree)}]
