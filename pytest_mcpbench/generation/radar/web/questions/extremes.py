"""The greatest and the smallest of the facts, where there is only one."""

from collections.abc import Callable, Mapping
from typing import Any

from pytest_mcpbench.generation.radar.web.question import single

Facts = Mapping[str, Any]
"""The facts by topic."""


def top(entries: Mapping[Any, Any], by: Callable[[Any], float]) -> Any:
    """The key of the greatest entry; there is only one."""
    greatest = max(by(entry) for entry in entries.values())
    return single(key for key, entry in entries.items() if by(entry) == greatest)


def bottom(entries: Mapping[Any, Any], by: Callable[[Any], float]) -> Any:
    """The key of the smallest entry; there is only one."""
    return top(entries, lambda entry: -by(entry))
