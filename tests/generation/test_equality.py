"""Tools that count as equally right because they tell all that another one tells."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipelines.tools.equality import equal_tools

pytestmark = pytest.mark.anyio


async def equal(directory: Path, told: list[Any], wider: list[Any], view: str = "View it.") -> Mapping[str, Any]:
    """Return the equal tools of `get` and `view`, which return these values for two ids."""

    def server() -> MCPServer:
        made = MCPServer("desk", log_level="CRITICAL")

        @made.tool(description="Get it.")
        def get(number: int) -> Any:
            return told[number]

        @made.tool(name="view", description=view)
        def view_it(number: int) -> Any:
            return wider[number]

        return made

    ref = ServerRef(name="desk", transport="in_process", factory=server)
    files = (TaskFileRef(path="tasks.jsonl", loader="native"),)
    suite = SuiteManifest(name="s", directory=str(directory), files=files, servers={"desk": ref})
    async with ServerPool() as pool:
        setup = Setup(PipelineSettings(pipeline="tools"), suite, {"desk": await pool.definition(ref)}, pool)
        return await equal_tools(setup, "desk", {tool: [{"number": 0}, {"number": 1}] for tool in ("get", "view")})


TICKETS = [{"id": "T-10", "status": "open"}, {"id": "T-20", "status": "done"}]
ENDS = [{"from": "Ann", "to": "Bob"}, {"from": "Bob", "to": "Cem"}]
FILES = ["[FILE] a.md\n[DIR] notes", "[FILE] b.md\n[DIR] plans"]


@pytest.mark.parametrize(
    ("told", "wider"),
    [
        (TICKETS, [{**each, "queue": "office"} for each in TICKETS]),
        ([[each] for each in TICKETS], [[{**each, "queue": "office"}] for each in TICKETS]),
        (FILES, ["[DIR] notes\n[FILE] a.md   12 B\n\nTotal: 12 B", "[DIR] plans\n[FILE] b.md   7 B\n\nTotal: 7 B"]),
    ],
    ids=["a record with another member", "a list of such records", "lines with sizes and their sum"],
)
async def test_a_tool_that_tells_more_is_as_right(tmp_path: Path, told: list[Any], wider: list[Any]) -> None:
    assert await equal(tmp_path, told, wider) == {"get": ("view",)}


@pytest.mark.parametrize(
    ("told", "wider"),
    [
        ([1, 2], [{"id": "T-1", "rank": 1}, {"id": "T-2", "rank": 2}]),
        ([True, False], [{"urgent": True, "seen": "no"}, {"urgent": False, "seen": "no"}]),
        (["open", "done"], TICKETS),
        (TICKETS, [{"queue": "open T-10", "id": "id", "status": "status"}, {"queue": "done T-20", "id": "status"}]),
        (
            [{"from": "Ann", "to": "Bob"}, TICKETS[0]],
            [{"from": "Bob", "to": "Ann", "via": "Eve"}, TICKETS[0] | {"a": 1}],
        ),
        ([{"status": "open"}] * 2, TICKETS[:1] * 2),
        ([[each] for each in TICKETS], [TICKETS, TICKETS]),
        (FILES, [f"{each}\n[FILE] c.md" for each in FILES]),
    ],
    ids=[
        "a number that is anywhere",
        "a truth value",
        "a word",
        "words at other names",
        "exchanged values",
        "what is always said",
        "further records",
        "further lines",
    ],
)
async def test_a_tool_whose_result_has_the_same_words_is_not(tmp_path: Path, told: list[Any], wider: list[Any]) -> None:
    assert await equal(tmp_path, told, wider) == {}


async def test_a_tool_that_may_change_something_is_not(tmp_path: Path) -> None:
    wider = [{**each, "queue": "office"} for each in TICKETS]
    assert await equal(tmp_path, TICKETS, wider, "View it and mark it as seen.") == {}
