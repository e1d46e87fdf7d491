"""Servers of one event loop: shared ones live as long as the pool, the others as long as one arena."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING

from pydantic import JsonValue

from pytest_mcpbench.core.conditions import NO_DISPATCHER
from pytest_mcpbench.core.dispatch import pick
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.runtime.arena import Arena
from pytest_mcpbench.runtime.dispatchers.factory import Dispatchers
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.servers.exposure import expose, servers_needed
from pytest_mcpbench.runtime.servers.pool import ConnectionPool

if TYPE_CHECKING:
    from pytest_mcpbench.runtime.servers.connection import Connection


class ServerPool:
    """The servers of one event loop: shared ones live as long as the pool, the others as long as an arena."""

    def __init__(self, *, root: Path | None = None, models: Models | None = None) -> None:
        self._connections = ConnectionPool(root=root)
        self._dispatchers = Dispatchers(models)

    async def __aenter__(self) -> "ServerPool":
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop every server; returns within bounded time."""
        await self._connections.close()
        await self._dispatchers.aclose()

    def kill(self) -> None:
        """Kill what a loop that hangs has not closed; from any thread, without waiting."""
        self._connections.kill()

    @asynccontextmanager
    async def arena(
        self, task: Task, suite: SuiteManifest, sandbox: Sandbox, *, trial: int = 0
    ) -> AsyncIterator[Arena]:
        """The arena of one attempt; its servers are opened side by side.

        Raises:
            TaskError: the task names a server or tools that there are not.
            ServerError: a server that the task needs failed.
        """
        opening = [
            self._connections.connection(ref, sandbox, Path(suite.directory)) for ref in servers_needed(task, suite)
        ]
        try:
            for connection in opening:
                await connection.ready()
            arena = await self._dispatched(replace(_arena(task, suite, sandbox, opening), trial=trial))
            before = await arena.external_worlds()
            yield arena
            for server, world in before.items():
                sandbox.adopt(server, world, await arena.world(server))
        finally:
            await self._connections.release(opening)

    async def _dispatched(self, arena: Arena) -> Arena:
        """The arena with the tools that the suite's dispatcher picks for all that the user says."""
        suite = arena.suite
        if suite.dispatcher == NO_DISPATCHER:
            return arena
        request = "\n".join(turn.user for turn in arena.task.turns)
        dispatcher = self._dispatchers.get(suite.dispatcher)
        scores = await dispatcher.scores(request, arena.tools)
        picked = pick(arena.tools, scores, dispatcher=dispatcher.name, top_k=suite.top_k)
        return replace(arena, tools=picked.tools, dispatch=picked.dispatch)

    async def list_tools(self, server: ServerRef, *, directory: Path | None = None) -> list[dict[str, JsonValue]]:
        """What a server answers to ``tools/list``, all pages, in its order and with the protocol's own spelling.

        Args:
            server: Opened for this alone, unless it is shared.
            directory: What its relative paths are relative to; the working directory where it is left out.

        Raises:
            ServerError: it cannot be started or listed.
        """
        with TemporaryDirectory(prefix="mcpbench-") as scratch:
            sandbox = Sandbox(path=Path(scratch), identity=server.name)
            connection = self._connections.connection(server, sandbox, directory or Path.cwd())
            try:
                await connection.ready()
                return connection.listing
            finally:
                await self._connections.release([connection])


def _arena(task: Task, suite: SuiteManifest, sandbox: Sandbox, connections: Sequence["Connection"]) -> Arena:
    exposure = expose(task, suite, [tool for connection in connections for tool in connection.tools])
    return Arena(
        task=task,
        suite=suite,
        sandbox=sandbox,
        tools=exposure.tools,
        unavailable_tools=exposure.unavailable,
        notes=exposure.notes,
        connections={connection.ref.name: connection for connection in connections},
    )
