"""The calculator as MCP clients see it."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.sandbox import Ids, World
from pytest_mcpbench.simulated.math.server import SIMULATION, server
from tests.shared_data import DATA

SCHEMAS = DATA / "radar" / "calculator_4tools_schema.json"


def _call(tool: str, arguments: dict[str, Any]) -> tuple[Any, bool]:
    from mcp import Client

    async def ask() -> tuple[Any, bool]:
        world = World("math", Path(), datetime(2026, 3, 2, tzinfo=UTC), Ids("a-task"))
        async with Client(server(world)) as client:
            result = await client.call_tool(tool, arguments)
            return result.content[0].text, bool(result.is_error)  # type: ignore[union-attr]  # all tools answer in text

    return anyio.run(ask)


@pytest.mark.skipif(not SCHEMAS.exists(), reason=f"{SCHEMAS} is missing")
def test_the_parameters_are_those_of_the_real_server() -> None:
    real = {tool["name"]: tool["inputSchema"] for tool in json.loads(SCHEMAS.read_text())}
    assert {tool.name: tool.input_schema for tool in SIMULATION.table.values()} == real


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("calculate", {"expression": "2 * 3 + 4"}, {"result": 10}),
        ("solve_equation", {"equation": "2*x + 3 = 7"}, {"solutions": "[2]"}),
        ("differentiate", {"expression": "x*y", "variable": "y"}, {"result": "x"}),
        ("integrate", {"expression": "exp(x)"}, {"result": "exp(x)"}),
        ("calculate", {"expression": "1/0"}, {"error": "division by zero"}),
    ],
)
def test_a_call_is_answered_as_json(tool: str, arguments: dict[str, Any], answer: object) -> None:
    text, is_error = _call(tool, arguments)
    assert (json.loads(text), is_error) == (answer, False)


def test_a_missing_argument_is_an_error_that_names_it() -> None:
    text, is_error = _call("calculate", {})
    assert is_error
    assert "expression" in text
