"""Estimated size of tool definitions, which are sent with every model call."""

import functools
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.text.token_estimate import estimate_tokens


@dataclass(frozen=True)
class DefinitionTokens:
    """Tokens of the definitions (name, description, input schema) of the exposed tools: an estimate.

    See :func:`~pytest_mcpbench.text.token_estimate.estimate_tokens`. They are sent with every model call.
    """

    by_tool: Mapping[str, int]
    by_server: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.by_tool.values())

    @property
    def per_tool(self) -> float | None:
        """Return the mean (ToolBench++ Table 1); ``None`` without tools."""
        return self.total / len(self.by_tool) if self.by_tool else None


def definition_tokens(tools: Iterable[ToolSpec]) -> DefinitionTokens:
    """Return the estimated tokens of tool definitions, by exposed name and by server."""
    by_tool: dict[str, int] = {}
    by_server: dict[str, int] = {}
    for tool in tools:
        by_tool[tool.name] = _tokens(tool)
        by_server[tool.server] = by_server.get(tool.server, 0) + by_tool[tool.name]
    return DefinitionTokens(by_tool, by_server)


OFFERED = "offered_definitions"
"""Key, among the notes of an attempt's evidence, of the sizes of all tools that its servers offered."""


def definition_sizes(tools: Iterable[ToolSpec]) -> dict[str, dict[str, int]]:
    """Return server -> ``tools`` and ``tokens``: the number and the estimated tokens of its definitions."""
    tools = tuple(tools)
    counts = Counter(tool.server for tool in tools)
    return {
        server: {"tools": counts[server], "tokens": tokens}
        for server, tokens in definition_tokens(tools).by_server.items()
    }


def are_sizes(value: Any) -> bool:
    """Return whether a value, read from a record, has the form of :func:`definition_sizes`."""
    return isinstance(value, Mapping) and all(
        isinstance(size, Mapping) and size.keys() == {"tools", "tokens"} and all(type(n) is int for n in size.values())
        for size in value.values()
    )


@functools.lru_cache(maxsize=4096)
def _tokens(tool: ToolSpec) -> int:
    """Return an estimate; cached, because the attempts of a run share most of their tools."""
    shown = {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    return estimate_tokens(json.dumps(shown, ensure_ascii=False))
