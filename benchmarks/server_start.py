"""Start time of a Python server per task, as a new process and forked from a process that has imported it.

    python benchmarks/server_start.py [NUMBER]

A start ends when the tools are listed. The two ways alternate, so that both meet the same load.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.servers.pool import ConnectionPool

SERVER = """\
from mcp.server import MCPServer
server = MCPServer("one-tool")
@server.tool()
def add(a: int, b: int) -> int:
    return a + b
if __name__ == "__main__":
    server.run()
"""


async def main() -> None:
    """Print the two means and their ratio."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        (directory / "server.py").write_text(SERVER)
        seconds = await start_times(directory, number)
    own, forked = (sum(each) / number * 1000 for each in seconds)
    print(
        f"{number} servers: {own:.0f} ms each as processes of their own, {forked:.0f} ms forked: {own / forked:.0f} x"
    )


async def start_times(directory: Path, number: int) -> tuple[list[float], list[float]]:
    """Return the seconds of each start, as a new process and forked. One-time costs of both are excluded."""
    pool = ConnectionPool(root=directory)
    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(number + 1):
        for is_forked in (False, True):
            began = time.perf_counter()
            await start_server(pool, directory, is_forked=is_forked)
            if turn:
                seconds[is_forked].append(time.perf_counter() - began)
    await pool.close()
    return seconds


async def start_server(pool: ConnectionPool, directory: Path, *, is_forked: bool) -> None:
    """Start one server. It is left to end while the next one starts."""
    command = {"command": sys.executable, "arguments": ("server.py",), "fork": is_forked}
    server = ServerRef.model_validate({"name": "s", "transport": "stdio", **command})
    connection = pool.connection(server, Sandbox(path=directory), directory)
    await connection.ready()
    asyncio.get_running_loop().call_soon(asyncio.ensure_future, pool.release([connection]))


if __name__ == "__main__":
    asyncio.run(main())
