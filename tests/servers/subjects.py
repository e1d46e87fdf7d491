"""Servers, suites, arenas and connections for tests."""

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest

from pytest_mcpbench.attempt.arena import Arena
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, ToolResult
from pytest_mcpbench.servers.pool import ConnectionPool
from pytest_mcpbench.servers.server_connection import ServerConnection
from tests.builders import a_task
from tests.listening import wait_until_it_listens

REPOSITORY = Path(__file__).parents[2]
SCRIPTS = REPOSITORY / "fixtures" / "servers"
INSTALLED = Path(os.environ.get("MCPBENCH_TEST_SERVERS", REPOSITORY / ".venv-servers"))

IMPATIENT = ServerTimeouts(start_seconds=0.2, list_seconds=0.2, call_seconds=0.2)


def odd(manner: str = "plain", *more: str, name: str = "odd", **fields: Any) -> ServerRef:
    """Return a stdio server, written with the standard library only, that misbehaves in this manner."""
    arguments = ("-S", str(SCRIPTS / "odd.py"), manner, *more)
    return ServerRef(
        **{"name": name, "transport": "stdio", "command": sys.executable, "arguments": arguments, **fields}
    )


def in_process(attribute: str, *, name: str = "inner", **fields: Any) -> ServerRef:
    """Return a server of ``fixtures.servers.in_process``."""
    factory = f"fixtures.servers.in_process:{attribute}"
    return ServerRef(**{"name": name, "transport": "in_process", "factory": factory, **fields})


def npm(package: str, *arguments: str, name: str, **fields: Any) -> ServerRef:
    """Return a server from npm; skip the test if it is not installed."""
    script = INSTALLED / "npm" / "node_modules" / "@modelcontextprotocol" / package / "dist" / "index.js"
    return _installed(script, name=name, command="node", arguments=(str(script), *arguments), **fields)


def isolated(script: str, *, name: str, **fields: Any) -> ServerRef:
    """Return a server from PyPI in its own environment; skip the test if it is not installed."""
    path = INSTALLED / "python" / "bin" / script
    return _installed(path, name=name, command=str(path), **fields)


def _installed(path: Path, **fields: Any) -> ServerRef:
    if not path.exists():
        pytest.skip(f"{path} is missing; .ci/setup installs it")
    return ServerRef(transport="stdio", **fields)


def a_suite(*servers: ServerRef, **fields: Any) -> SuiteManifest:
    files = (TaskFileRef(path="tasks.yaml", loader="native"),)
    by_name = {server.name: server for server in servers}
    return SuiteManifest(**{"name": "suite", "directory": "/", "files": files, "servers": by_name, **fields})


@asynccontextmanager
async def an_arena(suite: SuiteManifest, sandbox: Sandbox, task: Task | None = None) -> AsyncIterator[Arena]:
    async with ServerPool() as pool, pool.arena(task or a_task(), suite, sandbox) as arena:
        yield arena


@asynccontextmanager
async def open_connection(server: ServerRef, directory: Path) -> AsyncIterator[ServerConnection]:
    """Open a connection in its own pool and wait until it is ready."""
    pool = ConnectionPool(root=directory)
    try:
        connection = pool.connection(server, Sandbox(path=directory), directory)
        await connection.ready()
        yield connection
    finally:
        await pool.close()


async def text_of(connection: ServerConnection, tool: str, **arguments: Any) -> str:
    return (await connection.call(tool, arguments)).text


async def result_of(arena: Arena, tool: str, **arguments: Any) -> ToolResult:
    """Return the result of a call through the arena."""
    record = await arena.call(Call(id="1", name=tool, arguments=arguments))
    assert record.result is not None
    return record.result


def is_alive(pid: int) -> bool:
    """Return whether the process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def becomes_true(is_true: Callable[[], bool], *, within_seconds: float = 10) -> bool:
    """Wait until a condition is met that depends on another process; return whether it was met in time."""
    deadline = time.monotonic() + within_seconds
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@contextmanager
def url_server(script: str = "by_url.py", *arguments: str) -> Iterator[str]:
    """Run a script of ``fixtures/servers`` and yield the URL that it prints, once it listens."""
    process = subprocess.Popen([sys.executable, SCRIPTS / script, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        wait_until_it_listens(process, urlsplit(url).port or 0)
        yield url
    finally:
        process.kill()
        process.communicate()


def failure_of(server: ServerRef, directory: Path) -> ServerError:
    """Return the error with which the start of the server fails."""

    async def connect() -> None:
        async with open_connection(server, directory):
            pass

    with pytest.raises(ServerError) as caught:
        anyio.run(connect)
    return caught.value
