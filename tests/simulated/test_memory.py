"""The memory server: the real server's answers over a graph of the attempt."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.memory.server import SIMULATION, KnowledgeGraph, seed
from tests.servers.subjects import a_suite, an_arena, npm, result_of

ANN = {"name": "Ann", "entityType": "person", "observations": ["Plays the harp", "Lives in Calder"]}
BO = {"name": "Bo", "entityType": "person", "observations": []}
KNOWS = {"from": "Ann", "to": "Bo", "relationType": "knows"}
SCRIPT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("read_graph", {}),
    ("create_entities", {"entities": [ANN, BO]}),
    ("create_entities", {"entities": [ANN, {"name": "Cy", "entityType": "dog", "observations": ["Barks"]}]}),
    ("create_relations", {"relations": [KNOWS, {"from": "Cy", "to": "Nobody", "relationType": "misses"}]}),
    ("create_relations", {"relations": [KNOWS]}),
    ("add_observations", {"observations": [{"entityName": "Bo", "contents": ["Sings", "Sings", "Cooks"]}]}),
    ("add_observations", {"observations": [{"entityName": "Bo", "contents": ["Sings"]}]}),
    ("add_observations", {"observations": [{"entityName": "Dee", "contents": ["x"]}]}),
    ("search_nodes", {"query": "HARP"}),
    ("search_nodes", {"query": "person"}),
    ("search_nodes", {"query": "no such thing"}),
    ("open_nodes", {"names": ["Cy", "Dee"]}),
    ("delete_observations", {"deletions": [{"entityName": "Ann", "observations": ["Plays the harp", "x"]}]}),
    ("delete_observations", {"deletions": [{"entityName": "Dee", "observations": ["x"]}]}),
    ("delete_relations", {"relations": [KNOWS, KNOWS]}),
    ("delete_entities", {"entityNames": ["Cy", "Dee"]}),
    ("read_graph", {}),
    ("open_nodes", {"names": "Ann"}),
    ("create_entities", {"entities": [{"name": "Eve"}]}),
    ("search_nodes", {}),
)


def a_graph(tree: Any = "empty") -> KnowledgeGraph:
    return KnowledgeGraph(Sandbox(path=Path("/nowhere"), seeds={"memory": tree}).world("memory"))


def ours(graph: KnowledgeGraph, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    try:
        value = SIMULATION.call(graph, tool, arguments)
    except ToolFailure as failure:
        return str(failure), True
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2), False


@pytest.mark.npm
def test_every_answer_is_that_of_the_real_server(tmp_path: Path) -> None:
    memory = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
    real = results(npm("server-memory", name="memory", environment=memory), tmp_path)
    graph = a_graph()
    expected = [(result.text, result.is_error) for result in real]
    mine = [ours(graph, tool, arguments) for tool, arguments in SCRIPT]
    different = [SCRIPT[at][0] for at, pair in enumerate(zip(mine, expected, strict=True)) if pair[0] != pair[1]]
    assert different == []


def results(server: ServerRef, directory: Path) -> list[ToolResult]:
    async def call_all() -> list[ToolResult]:
        async with an_arena(a_suite(server), Sandbox(path=directory)) as arena:
            return [await result_of(arena, tool, **arguments) for tool, arguments in SCRIPT]

    return anyio.run(call_all)


@pytest.mark.npm
def test_the_tools_take_what_those_of_the_real_server_take(tmp_path: Path) -> None:
    async def schemas() -> dict[str, dict[str, Any]]:
        memory = {"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")}
        server = npm("server-memory", name="memory", environment=memory)
        async with an_arena(a_suite(server), Sandbox(path=tmp_path)) as arena:
            return {tool.tool: tool.input_schema for tool in arena.tools}

    real = anyio.run(schemas)
    mine = {name: tool.input_schema for name, tool in SIMULATION.table.items()}
    assert {name: shape(each) for name, each in mine.items()} == {name: shape(each) for name, each in real.items()}


def shape(schema: Any) -> Any:
    """Types, names and what is required, without descriptions."""
    if not isinstance(schema, dict):
        return schema
    kept = {key: schema[key] for key in ("type", "required") if key in schema}
    if "properties" in schema:
        kept["properties"] = {name: shape(each) for name, each in schema["properties"].items()}
    return kept | ({"items": shape(schema["items"])} if "items" in schema else {})


def test_one_unknown_entity_keeps_all_of_them_from_being_changed() -> None:
    graph = a_graph({"entities": {"Bo": BO}, "relations": {}})
    additions = [{"entityName": "Bo", "contents": ["Sings"]}, {"entityName": "Dee", "contents": ["x"]}]
    assert ours(graph, "add_observations", {"observations": additions}) == ("Entity with name Dee not found", True)
    assert graph.tree.get("entities[Bo].observations") == []


def test_each_attempt_begins_with_a_graph_of_its_own() -> None:
    first, second = a_graph(None), a_graph(None)
    first.delete_entities(["Nora Lindqvist"])
    assert len(second.complete()["entities"]) == len(seed()["entities"]) == len(first.complete()["entities"]) + 1


def test_every_relation_of_the_seed_begins_or_ends_at_an_entity() -> None:
    graph = seed()
    loose = [each for each in graph["relations"].values() if not {each["from"], each["to"]} & graph["entities"].keys()]
    assert loose == []
