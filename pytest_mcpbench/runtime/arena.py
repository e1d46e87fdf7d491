"""What an agent works in for one attempt: exposed tools on connected servers."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import JsonValue

from pytest_mcpbench.core.dispatch import Dispatch
from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.suggestions import did_you_mean
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult, ToolSpec
from pytest_mcpbench.runtime.refusal import refusal
from pytest_mcpbench.runtime.servers.exposure import place_of

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

    async def external_worlds(self) -> dict[str, JsonValue]:
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
