"""Largest and smallest entries of the facts, which must be unique."""

from collections.abc import Callable, Mapping
from typing import Any

from pytest_mcpbench.generation.radar.web.question import single

Facts = Mapping[str, Any]
"""All facts by topic."""


def top(entries: Mapping[Any, Any], by: Callable[[Any], float]) -> Any:
    """Return the key of the largest entry, which must be unique."""
    greatest = max(by(entry) for entry in entries.values())
    return single(key for key, entry in entries.items() if by(entry) == greatest)


def bottom(entries: Mapping[Any, Any], by: Callable[[Any], float]) -> Any:
    """Return the key of the smallest entry, which must be unique."""
    return top(entries, lambda entry: -by(entry))
