"""Servers that stages start for themselves, each in a sandbox of its own."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.attempt.sandbox import open_sandbox
from pytest_mcpbench.core.sandbox import with_directory
from pytest_mcpbench.core.task import Context, Task, Turn
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.servers.server_connection import ServerConnection
from pytest_mcpbench.text.json_reading import map_texts
from pytest_mcpbench.text.paths import SANDBOX


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


@dataclass(frozen=True)
class Directed:
    """Connection whose calls and results have ``{sandbox}`` for the directory of the server."""

    connection: ServerConnection
    directory: Path

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        result = await self.connection.call(tool, with_directory(arguments, lambda: self.directory))
        # A server may tell the directory behind a link; the longer of both may contain the other.
        paths = sorted({str(self.directory), os.path.realpath(self.directory)}, key=len, reverse=True)

        def portable(text: str) -> str:
            return reduce(lambda said, path: said.replace(path, SANDBOX), paths, text)

        return ToolResult.model_validate(map_texts(result.model_dump(mode="json"), portable))
