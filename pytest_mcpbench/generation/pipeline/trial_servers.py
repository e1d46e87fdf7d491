"""Servers that stages start for themselves, each in a sandbox of its own."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import JsonValue

from pytest_mcpbench.attempt.sandbox import open_sandbox
from pytest_mcpbench.core.task import Context, Task, Turn
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.servers.server_connection import ServerConnection


@asynccontextmanager
async def open_server(
    setup: Setup, server: str, *, seeds: Mapping[str, JsonValue] | None = None
) -> AsyncIterator[tuple[ServerConnection, Path]]:
    """Open a server in a fresh state, in a directory with the files of the run; yield both.

    Args:
        setup: The run.
        server: Name of the server.
        seeds: World of each server that begins with another one than its own.
    """
    suite = setup.suite
    context = Context(files=None if setup.files is None else setup.files.name)
    task = Task(id="trial", turns=(Turn(user="-"),), servers=(server,), context=context)
    with open_sandbox(task, suite.directory) as sandbox:
        opened = setup.pool.session(suite.servers[server], sandbox.path, directory=Path(suite.directory), seeds=seeds)
        async with opened as connection:
            yield connection, sandbox.path
