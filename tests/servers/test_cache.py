from pathlib import Path

import anyio
import pytest
from mcp.server import MCPServer

from pytest_mcpbench.core.sandbox import Sandbox, World
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.servers.pool import ConnectionPool
from pytest_mcpbench.servers.server_connection import ServerConnection

VERSIONS: list[str] = []
"""Versions of the server for its next starts."""


def changing() -> MCPServer:
    """Return a server that is different at each start."""
    version = VERSIONS.pop(0)
    server = MCPServer("changing", log_level="CRITICAL")
    if version == "number":

        @server.tool(name="measure")
        def number() -> int:
            return 1

    else:

        @server.tool(name="measure")
        def text() -> str:
            return version

    return server


REF = ServerRef(name="changing", transport="in_process", factory=f"{__name__}:changing", state="per_task")


async def results_of(versions: list[str], directory: Path) -> list[tuple[ToolResult, ServerConnection]]:
    VERSIONS[:] = versions
    pool = ConnectionPool(root=directory)
    results: list[tuple[ToolResult, ServerConnection]] = []
    for _ in versions:
        connection = pool.connection(REF, Sandbox(path=directory), directory)
        await connection.ready()
        results.append((await connection.call("measure", {}), connection))
        await pool.release([connection])
    await pool.close()
    return results


def test_connections_to_the_same_server_share_what_follows_from_its_tools(tmp_path: Path) -> None:
    (_, first), (_, second) = anyio.run(results_of, ["a", "a"], tmp_path)

    assert first.tools is second.tools
    assert first.facts == second.facts


@pytest.mark.parametrize("versions", [["a", "number", "a"], ["number", "a", "number"]], ids=["text", "number"])
def test_a_changed_server_is_not_taken_from_the_cache(versions: list[str], tmp_path: Path) -> None:
    results = anyio.run(results_of, versions, tmp_path)

    assert [result.is_error for result, _ in results] == [False] * 3
    assert results[0][1].facts == results[2][1].facts
    assert results[0][1].facts.tools_hash != results[1][1].facts.tools_hash


def placed(world: World) -> MCPServer:
    """Return a server that names the directory of its attempt."""
    return MCPServer("placed", instructions=f"Work in {world.path}.", log_level="CRITICAL")


def test_each_connection_has_the_instructions_of_its_own_attempt(tmp_path: Path) -> None:
    async def instructions(*directories: Path) -> list[str]:
        pool = ConnectionPool(root=tmp_path)
        read = []
        for each in directories:
            connection = pool.connection(
                REF.model_copy(update={"factory": f"{__name__}:placed"}), Sandbox(path=each), tmp_path
            )
            await connection.ready()
            read.append(connection.facts.instructions)
            await pool.release([connection])
        await pool.close()
        return read

    assert anyio.run(instructions, tmp_path / "a", tmp_path / "b") == [f"Work in {tmp_path}/{name}." for name in "ab"]
