"""A server that offers the tools of a record and gives recorded answers, so that calls can be scored without accounts.

Arguments are checked against the recorded schemas; nothing is done and nothing is kept.
"""

from collections.abc import Sequence
from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from mcp.server import Server, ServerRequestContext
from referencing import Registry
from referencing.exceptions import Unresolvable

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.recorded.replay import Replay, not_recorded

Request = ServerRequestContext[Any]


def server(world: World, tools: Sequence[dict[str, Any]]) -> Server[Any]:
    """The factory; ``tools`` are as in ``tools/list``, the world's seed holds the task's answers."""
    session = _Session({tool["name"]: tool for tool in tools}, Replay.of(world.seed))
    return Server(world.name, version="recorded", on_list_tools=session.list_tools, on_call_tool=session.call_tool)


class _Session:
    """The handlers of one server."""

    def __init__(self, tools: dict[str, dict[str, Any]], replay: Replay) -> None:
        self._tools = tools
        self._replay = replay

    async def list_tools(self, _request: Request, _page: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(tool) for tool in self._tools.values()])

    async def call_tool(self, _request: Request, call: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = call.arguments or {}
        problem = self._problem(call.name, arguments)
        text = problem or self._replay.answer(call.name, arguments) or not_recorded()
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=problem is not None)

    def _problem(self, name: str, arguments: dict[str, Any]) -> str | None:
        if name not in self._tools:
            return f"MCP error -32602: Tool {name} not found"
        complaint = _violation(_schema(self._tools[name]), arguments)
        return complaint and f"MCP error -32602: Input validation error: {complaint}"


def _listed(tool: dict[str, Any]) -> types.Tool:
    return types.Tool(name=tool["name"], description=tool.get("description"), input_schema=_schema(tool))


def _schema(tool: dict[str, Any]) -> dict[str, Any]:
    """The recorded schema; the protocol wants that it says that it is of an object."""
    return {**(tool.get("inputSchema") or {}), "type": "object"}


def _violation(schema: dict[str, Any], arguments: dict[str, Any]) -> str | None:
    """What in the arguments does not fit; nothing where the recorded schema is none."""
    try:
        Draft202012Validator.check_schema(schema)
        # A registry of its own, so that a reference to another document is not downloaded.
        found = best_match(Draft202012Validator(schema, registry=Registry()).iter_errors(arguments))
    except (SchemaError, Unresolvable):
        return None
    return found.message if found else None
