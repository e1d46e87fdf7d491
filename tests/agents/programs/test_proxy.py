"""The MCP server of a proxy, as clients of both eras of the protocol see it."""

from typing import Any

import pytest
from mcp import Client

from pytest_mcpbench.agents.programs.call_recorder import CallRecorder
from pytest_mcpbench.agents.programs.proxy import proxy_server
from pytest_mcpbench.agents.programs.proxy_settings import ProxySettings
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.task import Limits
from pytest_mcpbench.core.tool import Content, ToolResult
from tests.agents.arenas import TinyArena
from tests.builders import a_tool

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("mode", "schemas", "results"),
    [
        ("auto", [{"type": "array"}, {"type": "object"}], [["a"], {"a": 1}]),
        ("legacy", [None, {"type": "object"}], [None, {"a": 1}]),
    ],
)
async def test_structured_results_of_any_type_reach_clients_that_know_them(
    mode: str, schemas: list[Any], results: list[Any]
) -> None:
    values: dict[str, Any] = {"list": ["a"], "map": {"a": 1}}
    tools = tuple(
        a_tool(name, output_schema={"type": "array" if isinstance(value, list) else "object"})
        for name, value in values.items()
    )

    def answer(name: str) -> Any:
        content = (Content(type="text", text="text"),)
        return lambda _arguments: ToolResult(content=content, structured=values[name])

    arena = TinyArena(tools, {name: answer(name) for name in values})
    server = proxy_server(ServerFacts(name=tools[0].server), tools, CallRecorder(arena, Limits()), ProxySettings())
    async with Client(server, mode=mode) as client:
        listed = (await client.list_tools()).tools
        found = [(await client.call_tool(name, {})).structured_content for name in values]
    assert ([tool.output_schema for tool in listed], found) == (schemas, results)
