import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import Implementation

from pytest_mcpbench.core.context import Collection, ContextTree, Shape
from pytest_mcpbench.core.sandbox import Sandbox, World
from pytest_mcpbench.core.tool import Content
from pytest_mcpbench.simulated.engine import Simulation, ToolFailure

pytestmark = pytest.mark.anyio


class Notes:
    def __init__(self, world: World) -> None:
        shape = Shape((Collection("notes", id_field="id"),))
        self.tree: ContextTree = world.tree(lambda: {"notes": {"1": {"id": "1", "text": "milk"}}}, shape=shape)


def read_note(notes: Notes, note_id: str) -> dict[str, Any]:
    """Read a note."""
    note: dict[str, Any] = notes.tree.get(f"notes[{note_id}]")
    return note


def add_note(notes: Notes, text: str) -> str:
    """Add a note."""
    if not text:
        raise ToolFailure("a note needs a text")
    if text == "!":
        raise ToolFailure("Quota used up", verbatim=True)
    return notes.tree.create("notes", {"text": text})


def draw(_notes: Notes) -> tuple[Content, ...]:
    """Draw something."""
    return (Content(type="image", data="AA==", mime_type="image/png"), Content(type="text", text="a dot"))


def how_many(notes: Notes) -> str:
    return f"{len(notes.tree.list('notes'))} notes"


SIMULATION = Simulation(
    name="notes",
    state=Notes,
    tools=(read_note, add_note, draw),
    failure="Error: {message}",
    resources={"notes://count": how_many},
)


def a_world() -> World:
    return Sandbox(Path("/nowhere"), identity="a-task").world("notes")


async def test_tools_are_listed_in_their_order() -> None:
    async with Client(SIMULATION.server(a_world())) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["read_note", "add_note", "draw"]
        assert client.server_info == Implementation(name="notes", version="1.0.0")


async def test_text_json_and_images_come_back_as_what_they_are() -> None:
    world = a_world()
    async with Client(SIMULATION.server(world)) as client:
        made = await client.call_tool("add_note", {"text": "tea"})
        read = await client.call_tool("read_note", {"note_id": made.content[0].text})  # type: ignore[union-attr]
        drawn = await client.call_tool("draw", {})
    assert json.loads(read.content[0].text)["text"] == "tea"  # type: ignore[union-attr]
    assert [block.type for block in drawn.content] == ["image", "text"]
    assert made.is_error is False


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("add_note", {"text": ""}, "Error: a note needs a text"),
        ("add_note", {"text": "!"}, "Quota used up"),
        ("read_note", {"note_id": "9"}, "Error: notes[9] leads nowhere: there is no notes[9]."),
        ("read_note", {"note_id": "]"}, "Error: path 'notes[]]', character 6: an empty selector"),
        ("remove_note", {}, "Error: Unknown tool: remove_note"),
        ("read_note", {}, 'Error: [\n  {\n    "code": "invalid_type"'),
    ],
)
async def test_a_failure_is_a_result_that_the_agent_reads(tool: str, arguments: dict[str, Any], text: str) -> None:
    async with Client(SIMULATION.server(a_world())) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error is True
    assert result.content[0].text.startswith(text)  # type: ignore[union-attr]


async def test_the_world_is_a_resource_before_and_after() -> None:
    async with Client(SIMULATION.server(a_world())) as client:
        await client.call_tool("add_note", {"text": "tea"})
        listed = [str(resource.uri) for resource in (await client.list_resources()).resources]
        trees = [await client.read_resource(uri) for uri in ("mcpbench://world/before", "mcpbench://world")]
        count = await client.read_resource("notes://count")
    before, after = (json.loads(tree.contents[0].text) for tree in trees)  # type: ignore[union-attr]
    assert listed == ["notes://count", "mcpbench://world", "mcpbench://world/before"]
    assert before == {"notes": {"1": {"id": "1", "text": "milk"}}}
    assert [note["text"] for note in after["notes"].values()] == ["milk", "tea"]
    assert count.contents[0].text == "2 notes"  # type: ignore[union-attr]


async def test_an_unknown_resource_is_an_error_that_names_those_that_there_are() -> None:
    async with Client(SIMULATION.server(a_world())) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource("notes://none")
    assert caught.value.message == (
        "there is no resource notes://none; there are: notes://count, mcpbench://world, mcpbench://world/before."
    )


async def test_two_servers_of_one_simulation_share_no_state() -> None:
    one, two = a_world(), a_world()
    async with Client(SIMULATION.server(one)) as first, Client(SIMULATION.server(two)) as second:
        made = [await client.call_tool("add_note", {"text": text}) for client, text in ((first, "a"), (second, "b"))]
        await first.call_tool("add_note", {"text": "c"})
    assert made[0].content == made[1].content
    assert [note["text"] for note in one.tree().list("notes")] == ["milk", "a", "c"]
    assert [note["text"] for note in two.tree().list("notes")] == ["milk", "b"]
