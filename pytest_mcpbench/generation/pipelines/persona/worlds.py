"""Servers in a fresh state: their worlds, results of read tools, and what calls change."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.payload import decode_json, payload
from pytest_mcpbench.core.placeholders import unwrap_result
from pytest_mcpbench.core.root_causes import root_cause
from pytest_mcpbench.core.task import Context, Task, Turn
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.runtime.arena import WORLD_RESOURCE
from pytest_mcpbench.runtime.sandbox import open_sandbox
from pytest_mcpbench.runtime.servers.connection import Connection


@dataclass(frozen=True)
class App:
    """A connection to a server in a fresh state."""

    connection: Connection
    world: Any
    """Tree of the server's world; ``None`` if the server publishes none."""

    async def read(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Return the value of a result; ``None`` if the call comes to nothing."""
        result = await self.connection.call(tool, arguments)
        record = CallRecord(id="read", name=tool, tool=tool, result=result)
        return None if root_cause(record) is not None else unwrap_result(payload(result))


@asynccontextmanager
async def open_app(setup: Setup, server: str) -> AsyncIterator[App]:
    """Open a server in a sandbox of its own."""
    suite = setup.suite
    with open_sandbox(blank_task(setup, [server]), suite.directory) as sandbox:
        opened = setup.pool.session(suite.servers[server], sandbox.path, directory=Path(suite.directory))
        async with opened as connection:
            text = await connection.read_text(WORLD_RESOURCE)
            yield App(connection, None if text is None else decode_json(text))


def blank_task(setup: Setup, servers: Sequence[str]) -> Task:
    """Return a task for trials, with the files of the run."""
    context = Context(files=None if setup.files is None else setup.files.name)
    return Task(id="trial", turns=(Turn(user="-"),), servers=tuple(servers), context=context)
