"""What an attempt cost: rounds, calls, tokens, money, seconds, and the size of the tool definitions."""

import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.token_estimate import estimated_tokens
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.trajectory import Usage


@dataclass(frozen=True)
class ModelCall:
    """One request to the model; seconds are 0 for agents without a model."""

    seconds: float
    """To the last token."""
    first_token_seconds: float | None
    """``None`` where the reply was not streamed."""
    retries: int
    usage: Usage


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool that was sent."""

    tool: str
    server: str | None
    seconds: float


@dataclass(frozen=True)
class DefinitionTokens:
    """Tokens of the definitions (name, description, input schema) of the exposed tools: an estimate.

    See :func:`~pytest_mcpbench.core.token_estimate.estimated_tokens`. They are sent with every model call.
    """

    by_tool: Mapping[str, int]
    by_server: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.by_tool.values())

    @property
    def per_tool(self) -> float | None:
        """The mean (ToolBench++ Table 1); ``None`` without tools."""
        return self.total / len(self.by_tool) if self.by_tool else None


@dataclass(frozen=True)
class Effort:
    """What one attempt took. A number that is not known (a price, a provider without usage) is ``None``, never 0."""

    rounds: int
    """Assistant messages that called tools."""
    model_calls: tuple[ModelCall, ...]
    tool_calls: tuple[ToolCall, ...]
    refused_calls: int
    """Calls that were never sent: malformed, to a tool that is not there, or beyond a limit."""
    usage: Usage
    """Of all model calls together."""
    seconds: float
    """Of the whole attempt."""
    definitions: DefinitionTokens

    @property
    def model_seconds(self) -> float:
        """Waiting for the model, of all calls together."""
        return sum(call.seconds for call in self.model_calls)

    @property
    def tool_seconds(self) -> float:
        """Time of all tool calls together; parallel calls count each."""
        return sum(call.seconds for call in self.tool_calls)

    @property
    def tokens(self) -> int | None:
        """Input and output tokens of all model calls; what MCP-RADAR's efficiency (CRE) is computed from."""
        if self.usage.input_tokens is None or self.usage.output_tokens is None:
            return None
        return self.usage.input_tokens + self.usage.output_tokens


def effort(evidence: AttemptEvidence) -> Effort:
    """What the attempt took."""
    steps = evidence.trajectory.steps
    sent = [call for call in evidence.calls if call.problem is None and call.result is not None]
    return Effort(
        rounds=len(evidence.trajectory.rounds),
        model_calls=tuple(
            ModelCall(step.seconds, step.first_token_seconds, step.retries, step.usage) for step in steps
        ),
        tool_calls=tuple(ToolCall(call.called, call.server, call.seconds) for call in sent),
        refused_calls=len(evidence.calls) - len(sent),
        usage=evidence.trajectory.usage,
        seconds=evidence.trajectory.seconds,
        definitions=definition_tokens(evidence.tools),
    )


def definition_tokens(tools: Iterable[ToolSpec]) -> DefinitionTokens:
    """Estimated tokens of tool definitions, by exposed name and by server."""
    by_tool: dict[str, int] = {}
    by_server: dict[str, int] = {}
    for tool in tools:
        by_tool[tool.name] = _tokens(_definition(tool))
        by_server[tool.server] = by_server.get(tool.server, 0) + by_tool[tool.name]
    return DefinitionTokens(by_tool, by_server)


@functools.lru_cache(maxsize=4096)
def _tokens(definition: str) -> int:
    """Counted once: the attempts of a run share most of their tools."""
    return estimated_tokens(definition)


def _definition(tool: ToolSpec) -> str:
    shown = {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    return json.dumps(shown, ensure_ascii=False)
