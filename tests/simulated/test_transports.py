"""Each personal app in this process, over stdio and over HTTP: the same changes of its world are seen from outside."""

import shutil
import socket
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
import uvicorn

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.simulated.catalogue import SERVERS
from pytest_mcpbench.simulated.serve import build_server, world
from tests.builders import a_task
from tests.servers.subjects import a_suite
from tests.simulated.test_messaging_apps import APPS, WRITES

each_app = pytest.mark.parametrize("name", APPS)
pytestmark = pytest.mark.anyio


async def changes(ref: ServerRef, path: Path) -> Counter[tuple[str, str]]:
    """What the app's write changes, as the sandbox tells it: kinds and collections."""
    tool, arguments = WRITES[ref.name]
    sandbox = Sandbox(path=path)
    async with ServerPool() as pool, pool.arena(a_task(), a_suite(ref), sandbox) as arena:
        answer = await arena.read(ref.name, tool, arguments)
        assert not answer.is_error, answer.text
    (seen,) = sandbox.diff()
    return Counter((change.kind, change.collection) for change in seen.changes)


async def changes_in_process(name: str, path: Path) -> Counter[tuple[str, str]]:
    return await changes(ServerRef(name=name, transport="in_process", factory=SERVERS[name]), path)


@asynccontextmanager
async def serving(name: str) -> AsyncIterator[str]:
    """The address of the app's server over HTTP on a port that was free."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        app = build_server(name, world(name)).streamable_http_app(host="127.0.0.1")
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            while not server.started:
                await anyio.sleep(0.01)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
            server.should_exit = True


@pytest.mark.parametrize(
    "name", ["slack", *(pytest.param(name, marks=pytest.mark.extra) for name in APPS if name != "slack")]
)
async def test_a_state_check_works_over_stdio(name: str, tmp_path: Path) -> None:
    command = shutil.which("mcpbench", path=str(Path(sys.executable).parent)) or "mcpbench"
    ref = ServerRef(name=name, transport="stdio", command=command, arguments=("serve", name))
    seen = await changes(ref, tmp_path)
    assert seen == await changes_in_process(name, tmp_path)
    assert seen


@each_app
async def test_a_state_check_works_over_http(name: str, tmp_path: Path) -> None:
    async with serving(name) as address:
        seen = await changes(ServerRef(name=name, transport="http", url=address, state="per_task"), tmp_path)
    assert seen == await changes_in_process(name, tmp_path)
    assert seen
