"""The stand-in for servers of which only records exist."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.simulated.recorded.server import NOT_RECORDED, Replay, placeholder_text, server

SCHEMA = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
TOOLS = [{"name": "quote", "description": "A quote.", "inputSchema": SCHEMA}, {"name": "rank", "inputSchema": {}}]
SEED = {
    "answers": [
        {"tool": "quote", "arguments": {"code": "A"}, "result": "1"},
        {"tool": "quote", "arguments": {"code": "B"}, "result": "2"},
    ]
}


def _called(*calls: tuple[str, dict[str, Any]], seed: Any = None) -> list[tuple[str, bool]]:
    """Text and ``isError`` of each answer."""

    async def call_all() -> list[tuple[str, bool]]:
        world = World("fund", Path("/nonexistent"), DEFAULT_NOW, Ids("x"), seed)
        async with Client(server(world, TOOLS)) as client:
            results = [await client.call_tool(name, arguments) for name, arguments in calls]
        return [(getattr(result.content[0], "text", ""), bool(result.is_error)) for result in results]

    return anyio.run(call_all)


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        pytest.param(["B", "A"], ["2", "1"], id="by their arguments"),
        pytest.param(["A", "A"], ["1", "1"], id="the same call again"),
        pytest.param(["C", "B", "D"], ["1", "2", None], id="other arguments get what is left"),
    ],
)
def test_recorded_answers_are_given(asked: list[str], answers: list[str | None]) -> None:
    replay = Replay.of(SEED)
    assert [replay.answer("quote", {"code": code}) for code in asked] == answers


def test_a_call_without_a_record_gets_a_marked_placeholder() -> None:
    assert _called(("rank", {"any": 1})) == [(placeholder_text(), False)]
    assert NOT_RECORDED["placeholder"] is True


def test_recorded_answers_come_through_the_protocol() -> None:
    assert _called(("quote", {"code": "B"}), seed=SEED) == [("2", False)]


def test_what_does_not_fit_the_recorded_schema_is_refused() -> None:
    wrong, unknown = _called(("quote", {"code": 5}), ("sell", {}), seed=SEED)
    assert wrong == ("MCP error -32602: Input validation error: 5 is not of type 'string'", True)
    assert unknown == ("MCP error -32602: Tool sell not found", True)
