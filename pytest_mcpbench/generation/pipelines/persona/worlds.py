"""Worlds of people: servers in a fresh state, and calls of them."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.attempt.attempt import AttemptResult
from pytest_mcpbench.core.placeholders import decode_json, payload, unwrap_result
from pytest_mcpbench.core.root_causes import cause_of_result
from pytest_mcpbench.core.world import WORLD_RESOURCE
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.trial_servers import open_server
from pytest_mcpbench.generation.pipelines.persona.casting import recast
from pytest_mcpbench.generation.proof.playing import read_task
from pytest_mcpbench.servers.server_connection import ServerConnection


@dataclass(frozen=True)
class App:
    """A connection to a server in a fresh state."""

    connection: ServerConnection
    world: Any
    """Tree of the server's world; ``None`` if the server publishes none."""

    async def read(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Return the value of a result; ``None`` if the call fails or returns nothing."""
        result = await self.connection.call(tool, arguments)
        return None if cause_of_result(result) is not None else unwrap_result(payload(result))


@asynccontextmanager
async def open_app(setup: Setup, server: str, seed: JsonValue = None) -> AsyncIterator[App]:
    """Open a server in a sandbox of its own, with another world than its own if there is a seed."""
    async with open_server(setup, server, seeds=None if seed is None else {server: seed}) as (connection, _):
        text = await connection.read_text(WORLD_RESOURCE)
        yield App(connection, None if text is None else decode_json(text))


@dataclass
class Worlds:
    """Worlds of all people of a run."""

    setup: Setup
    _own: dict[str, Any] = field(default_factory=dict)
    """Server -> tree of the world that it starts with."""

    async def own(self, server: str) -> Any:
        """Return the tree of the world that a server starts with; ``None`` if it publishes none."""
        if server not in self._own:
            async with open_app(self.setup, server) as app:
                self._own[server] = app.world
        return self._own[server]

    def takes_seeds(self, server: str) -> bool:
        """Return whether a server runs in this process, so that a task can give it another world."""
        return self.setup.suite.servers[server].factory is not None

    async def seed(self, server: str, cast: Mapping[str, str]) -> JsonValue:
        """Return the world of the person with these contacts; ``None`` for the one that the server starts with."""
        own = await self.own(server)
        return recast(own, cast) if cast and own is not None else None

    async def context(self, servers: Iterable[str], cast: Mapping[str, str]) -> dict[str, JsonValue]:
        """Return the files and worlds of a task's context."""
        seeds: dict[str, JsonValue] = {
            server: seed for server in servers if (seed := await self.seed(server, cast)) is not None
        }
        files: dict[str, JsonValue] = {} if self.setup.files is None else {"files": self.setup.files.name}
        return {**files, **({"seeds": seeds} if seeds else {})}

    async def play_call(
        self, server: str, tool: str, arguments: JsonValue, cast: Mapping[str, str]
    ) -> AttemptResult | Drop:
        """Return the attempt that makes one call in the world of a person; the reason if it cannot be a task."""
        call: JsonValue = {"server": server, "tool": tool, "arguments": arguments}
        content: dict[str, JsonValue] = {"ask": "-", "servers": [server], "calls": [call]}
        content["context"] = await self.context([server], cast)
        task = read_task(TaskCandidate(id="trial", task=content))
        return task if isinstance(task, Drop) else await self.setup.player.play(task, OracleAgent())
