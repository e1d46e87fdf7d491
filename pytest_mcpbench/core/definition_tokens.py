"""Estimated size of tool definitions, which are sent with every model call."""

import functools
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_mcpbench.core.frozen import FrozenModel
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


class Definitions(FrozenModel):
    """The tools of one server that were exposed or offered."""

    tools: int
    tokens: int
    """Estimated tokens of their definitions."""


def definition_sizes(tools: Iterable[ToolSpec]) -> dict[str, Definitions]:
    """Return the number and the estimated tokens of the definitions of each server."""
    tools = tuple(tools)
    counts = Counter(tool.server for tool in tools)
    sizes = definition_tokens(tools).by_server
    return {server: Definitions(tools=counts[server], tokens=tokens) for server, tokens in sizes.items()}


@functools.lru_cache(maxsize=4096)
def _tokens(tool: ToolSpec) -> int:
    """Return an estimate; cached, because the attempts of a run share most of their tools."""
    shown = {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    return estimate_tokens(json.dumps(shown, ensure_ascii=False))
