"""Replay of the responses recorded in a task file (FinMCP-Bench 3.2: teacher-forced replay)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from mcp.server import Server, ServerRequestContext
from referencing import Registry
from referencing.exceptions import Unresolvable

from pytest_mcpbench.core.evidence import RECORDED_VERSION
from pytest_mcpbench.core.sandbox import World

NOT_RECORDED = {
    "placeholder": True,
    "message": "No answer to this call was recorded; go on as if it had succeeded.",
}
"""The response to a call for which the task has no recorded one."""


@dataclass(frozen=True)
class RecordedResponse:
    """The recorded response to a reference call."""

    tool: str
    arguments: Mapping[str, Any]
    text: str


@dataclass
class Replay:
    """The responses of one task; each is returned to its own call or else once to another call of the same tool."""

    answers: Sequence[RecordedResponse]
    _used: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, seed: Any) -> "Replay":
        """Build the replay from ``{"answers": [{"tool", "arguments", "result"}]}``, or an empty one without a seed."""
        recorded = seed.get("answers", ()) if isinstance(seed, Mapping) else ()
        return cls(tuple(RecordedResponse(each["tool"], each["arguments"], each["result"]) for each in recorded))

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> str | None:
        """Return the response to a call, or ``None`` if there is none.

        An unused response to the same call comes first, then a used one, then the tool's next unused response; so a
        repeated call gets the same response again.
        """
        of_tool = [index for index, each in enumerate(self.answers) if each.tool == tool]
        same = [index for index in of_tool if self.answers[index].arguments == arguments]
        candidates = (*self._skip_used(same), *same, *self._skip_used(of_tool))
        match = next(iter(candidates), None)
        if match is None:
            return None
        self._used.add(match)
        return self.answers[match].text

    def _skip_used(self, indices: list[int]) -> list[int]:
        return [index for index in indices if index not in self._used]


def placeholder_text() -> str:
    """Return the text of :data:`NOT_RECORDED`."""
    return json.dumps(NOT_RECORDED)


# A server that offers the tools of a recording and returns recorded responses, so that calls can be scored offline.
#
# Arguments are validated against the recorded schemas; calls have no effect and no state is kept.

Request = ServerRequestContext[Any]


def server(world: World, tools: Sequence[dict[str, Any]]) -> Server[Any]:
    """Build the server; ``tools`` are as in ``tools/list``, and the world's seed holds the task's responses."""
    session = _Session({tool["name"]: tool for tool in tools}, Replay.of(world.seed))
    return Server(
        world.name, version=RECORDED_VERSION, on_list_tools=session.list_tools, on_call_tool=session.call_tool
    )


class _Session:
    """The request handlers of one server."""

    def __init__(self, tools: dict[str, dict[str, Any]], replay: Replay) -> None:
        self._tools = tools
        self._replay = replay

    async def list_tools(self, _request: Request, _page: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        tools = [
            types.Tool(name=tool["name"], description=tool.get("description"), input_schema=_schema(tool))
            for tool in self._tools.values()
        ]
        return types.ListToolsResult(tools=tools)

    async def call_tool(self, _request: Request, call: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = call.arguments or {}
        if call.name not in self._tools:
            problem: str | None = f"MCP error -32602: Tool {call.name} not found"
        else:
            violation = _violation(_schema(self._tools[call.name]), arguments)
            problem = violation and f"MCP error -32602: Input validation error: {violation}"
        text = problem or self._replay.answer(call.name, arguments) or placeholder_text()
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=problem is not None)


def _schema(tool: dict[str, Any]) -> dict[str, Any]:
    """Return the recorded schema with the type ``object``, which the protocol requires."""
    return {**(tool.get("inputSchema") or {}), "type": "object"}


def _violation(schema: dict[str, Any], arguments: dict[str, Any]) -> str | None:
    """Return the message of the first violation, or ``None`` if there is none or the recorded schema is invalid."""
    try:
        Draft202012Validator.check_schema(schema)
        # A private registry, so that a reference to another document is not downloaded.
        error = best_match(Draft202012Validator(schema, registry=Registry()).iter_errors(arguments))
    except (SchemaError, Unresolvable):
        return None
    return error.message if error else None
