"""A server that offers the tools of a recording and returns recorded responses, so that calls can be scored offline.

Arguments are validated against the recorded schemas; calls have no effect and no state is kept.
"""

from collections.abc import Sequence
from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from mcp.server import Server, ServerRequestContext
from referencing import Registry
from referencing.exceptions import Unresolvable

from pytest_mcpbench.core.evidence import RECORDED_VERSION
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.recorded.replay import Replay, placeholder_text

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
        return types.ListToolsResult(tools=[_tool(tool) for tool in self._tools.values()])

    async def call_tool(self, _request: Request, call: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = call.arguments or {}
        problem = self._problem(call.name, arguments)
        text = problem or self._replay.answer(call.name, arguments) or placeholder_text()
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=problem is not None)

    def _problem(self, name: str, arguments: dict[str, Any]) -> str | None:
        if name not in self._tools:
            return f"MCP error -32602: Tool {name} not found"
        violation = _violation(_schema(self._tools[name]), arguments)
        return violation and f"MCP error -32602: Input validation error: {violation}"


def _tool(tool: dict[str, Any]) -> types.Tool:
    return types.Tool(name=tool["name"], description=tool.get("description"), input_schema=_schema(tool))


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
