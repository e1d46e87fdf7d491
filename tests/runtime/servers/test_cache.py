from pathlib import Path

import anyio
import pytest
from mcp.server import MCPServer

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.runtime.servers.connection import Connection
from pytest_mcpbench.runtime.servers.pool import ConnectionPool

VERSIONS: list[str] = []
"""What the server is from its next start on."""


def changing() -> MCPServer:
    """A server that is another one at each start."""
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


async def results_of(versions: list[str], directory: Path) -> list[tuple[ToolResult, Connection]]:
    VERSIONS[:] = versions
    pool = ConnectionPool(root=directory)
    made = []
    for _ in versions:
        connection = pool.connection(REF, Sandbox(path=directory), directory)
        await connection.ready()
        made.append((await connection.call("measure", {}), connection))
        await pool.release([connection])
    await pool.close()
    return made


def test_connections_to_the_same_server_share_what_follows_from_its_tools(tmp_path: Path) -> None:
    (_, first), (_, second) = anyio.run(results_of, ["a", "a"], tmp_path)

    assert first.tools is second.tools
    assert first.facts == second.facts


@pytest.mark.parametrize("versions", [["a", "number", "a"], ["number", "a", "number"]], ids=["text", "number"])
def test_a_server_that_has_changed_is_learned_anew(versions: list[str], tmp_path: Path) -> None:
    made = anyio.run(results_of, versions, tmp_path)

    assert [result.is_error for result, _ in made] == [False] * 3
    assert made[0][1].facts == made[2][1].facts
    assert made[0][1].facts.tools_hash != made[1][1].facts.tools_hash
