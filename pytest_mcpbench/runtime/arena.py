"""What an agent works in for one attempt: exposed tools on connected servers."""

import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING

from pydantic import JsonValue

from pytest_mcpbench.core.conditions import NO_DISPATCHER
from pytest_mcpbench.core.dispatch import Dispatch, pick
from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult, ToolSpec
from pytest_mcpbench.runtime.dispatchers.factory import Dispatchers
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.refusal import refusal
from pytest_mcpbench.runtime.servers.exposure import did_you_mean, expose, place_of, servers_needed
from pytest_mcpbench.runtime.servers.pool import ConnectionPool

if TYPE_CHECKING:
    from pytest_mcpbench.runtime.servers.connection import Connection

WORLD_RESOURCE = "mcpbench://world"
"""The MCP resource by which a server in another process shows its world, as JSON."""


@dataclass(frozen=True)
class Arena:
    """Tools, and the servers behind them."""

    task: Task
    suite: SuiteManifest
    sandbox: Sandbox
    tools: tuple[ToolSpec, ...]
    """What the agent sees, in the suite's order of servers and each server's order of tools."""
    unavailable_tools: tuple[str, ...]
    """Tools that the task lists and no server offers."""
    notes: tuple[str, ...]
    connections: Mapping[str, "Connection"]
    """By server."""
    dispatch: Dispatch | None = None
    """How a dispatcher picked the tools, where one did."""
    trial: int = 0
    """Which attempt at the task this is, from 0."""

    @property
    def servers(self) -> tuple[ServerFacts, ...]:
        """What the connected servers said of themselves."""
        return tuple(connection.facts for connection in self.connections.values())

    async def call(self, call: Call) -> CallRecord:
        """The call with what became of it: whatever is wrong with it is a result that the agent reads.

        Raises:
            ServerError: the server is gone.
        """
        tool = next((tool for tool in self.tools if tool.name == call.name), None)
        refused = refusal(call, [tool.name for tool in self.tools], self._existing_names)
        target = {"tool": tool.tool, "server": tool.server} if tool else {}
        if refused is not None:
            return refused.model_copy(update=target)
        assert tool is not None, "a call of an unknown tool is refused"
        began = time.perf_counter()
        result = await self.connections[tool.server].call(tool.tool, call.arguments)
        return CallRecord(**call.model_dump(), **target, result=result, seconds=time.perf_counter() - began)

    async def read(self, server: str | None, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        """What any tool of a connected server gives back, exposed or not.

        Args:
            server: May be left out where only one offers the tool.
            tool: The server's own name of it.
            arguments: By name.

        Raises:
            TaskError: no connected server, or more than one, offers the tool.
            ServerError: the server is gone.
        """
        return await self._offering(server, tool).call(tool, dict(arguments))

    async def world(self, server: str) -> JsonValue:
        """The world that a server shows in the resource ``mcpbench://world``; ``None`` where it shows none."""
        text = await self.connections[server].read_text(WORLD_RESOURCE)
        world: JsonValue = None if text is None else json.loads(text)
        return world

    async def foreign_worlds(self) -> dict[str, JsonValue]:
        """The worlds of this attempt's own servers in other processes, by server, of those that show one."""
        worlds = {}
        for name, connection in self.connections.items():
            is_foreign = connection.ref.transport != "in_process" and not connection.ref.is_shared
            if is_foreign and await connection.shows(WORLD_RESOURCE):
                worlds[name] = await self.world(name)
        return {name: world for name, world in worlds.items() if world is not None}

    @property
    def _existing_names(self) -> set[str]:
        """Those of all tools of the connected servers: their own, and with the server's before them."""
        offered = [tool for connection in self.connections.values() for tool in connection.tools]
        return {name for tool in offered for name in (tool.tool, f"{tool.server}_{tool.tool}")}

    def _offering(self, server: str | None, tool: str) -> "Connection":
        candidates = [
            connection
            for name, connection in self.connections.items()
            if server in (None, name) and any(offered.tool == tool for offered in connection.tools)
        ]
        if len(candidates) != 1:
            raise self._not_readable(server, tool, [connection.ref.name for connection in candidates])
        return candidates[0]

    def _not_readable(self, server: str | None, tool: str, candidates: Sequence[str]) -> TaskError:
        place = place_of(self.task, self.suite)
        if candidates:
            return TaskError(f"{tool!r} is offered by {', '.join(candidates)}; name the server.", place, "verify")
        if server is not None and server not in self.connections:
            there_are = ", ".join(self.connections) or "none"
            remedy = did_you_mean(server, self.connections)
            return TaskError(
                f"no server of the task is called {server!r}; there are: {there_are}.", place, "verify", remedy
            )
        who = f"server {server!r}" if server else "any connected server"
        offered = {offered.tool for connection in self.connections.values() for offered in connection.tools} - {tool}
        return TaskError(f"{tool!r} is not offered by {who}.", place, "verify", did_you_mean(tool, offered))


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
            before = await arena.foreign_worlds()
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
