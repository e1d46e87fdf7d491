"""All connections of one event loop: shared ones are opened once, private ones for one attempt."""

import asyncio
import os
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.runtime.servers.forking import ZygotePool
from pytest_mcpbench.runtime.servers.watchdog import Watchdog

if TYPE_CHECKING:
    from pytest_mcpbench.runtime.servers.cache import ServerCache
    from pytest_mcpbench.runtime.servers.connection import Connection
    from pytest_mcpbench.runtime.servers.transports import ConnectionContext

RESTARTS = 3
"""How often a shared server that died is started again for later attempts."""

Key = tuple[str, str, int]


class ConnectionPool:
    """Opens and closes connections. mcp is imported with the first."""

    def __init__(self, *, root: Path | None = None) -> None:
        self._root = root or Path.cwd()
        self._watchdog = Watchdog()
        self._zygotes = ZygotePool(self._watchdog)
        self._shared: dict[Key, Connection] = {}
        self._restarts: dict[Key, int] = {}
        self._open: set[Connection] = set()
        self._learned: dict[Key, ServerCache] = {}
        # Starting is work for a processor: too many at once, and all of them miss their deadline.
        self._starts = asyncio.Semaphore(2 + (os.cpu_count() or 1))

    def connection(self, ref: ServerRef, sandbox: Sandbox, suite_directory: Path) -> "Connection":
        """A connection that is open or being opened; to be given back with :meth:`release`.

        A shared one that failed to open stays failed; one that was ready and died is opened again, a few times.
        """
        if not ref.is_shared:
            return self._begin(ref, self._private(ref, sandbox, suite_directory))
        key = _key(ref, suite_directory)
        known = self._shared.get(key)
        if known is None or (known.is_lost and self._may_restart(key)):
            self._shared[key] = self._begin(ref, self._common(suite_directory))
        return self._shared[key]

    async def release(self, connections: Iterable["Connection"]) -> None:
        """Close those that are private."""
        await self._close([connection for connection in connections if not connection.ref.is_shared])

    async def close(self) -> None:
        """Close everything; no server is left."""
        await self._close(list(self._open))
        await self._zygotes.close()
        self._watchdog.close()

    def kill(self) -> None:
        """Kill every process that is left; from any thread, without waiting."""
        self._watchdog.kill()

    def _begin(self, ref: ServerRef, surroundings: "ConnectionContext") -> "Connection":
        from pytest_mcpbench.runtime.servers.connection import Connection

        connection = Connection(ref, surroundings, self._gate(ref), self._learned_of(ref, surroundings.suite_directory))
        self._open.add(connection)
        connection.start()
        return connection

    def _learned_of(self, ref: ServerRef, suite_directory: Path) -> "ServerCache | None":
        """What is known of the server; nothing where it is made by a callable, which may make another one each time."""
        from pytest_mcpbench.runtime.servers.cache import ServerCache

        if ref.factory is not None and not isinstance(ref.factory, str):
            return None
        return self._learned.setdefault(_key(ref, suite_directory), ServerCache())

    def _gate(self, ref: ServerRef) -> AbstractAsyncContextManager[Any]:
        return self._starts if ref.transport == "stdio" and not ref.fork else nullcontext()

    def _private(self, ref: ServerRef, sandbox: Sandbox, suite_directory: Path) -> "ConnectionContext":
        from pytest_mcpbench.runtime.servers.transports import ConnectionContext

        return ConnectionContext(
            suite_directory=suite_directory,
            default_directory=sandbox.path,
            watchdog=self._watchdog,
            world=lambda: sandbox.world(ref.name),
            roots=(sandbox.path,),
            zygotes=self._zygotes,
        )

    def _common(self, suite_directory: Path) -> "ConnectionContext":
        from pytest_mcpbench.runtime.servers.transports import ConnectionContext

        return ConnectionContext(suite_directory=suite_directory, default_directory=self._root, watchdog=self._watchdog)

    def _may_restart(self, key: Key) -> bool:
        self._restarts[key] = self._restarts.get(key, 0) + 1
        return self._restarts[key] <= RESTARTS

    async def _close(self, connections: list["Connection"]) -> None:
        with anyio.CancelScope(shield=True):
            await asyncio.gather(*(connection.close() for connection in connections))
        self._open.difference_update(connections)


def _key(ref: ServerRef, suite_directory: Path) -> Key:
    """Equal for references that mean the same server."""
    said = ref.model_dump_json(exclude={"factory"})
    factory = ref.factory if isinstance(ref.factory, str) else ""
    return f"{said} {factory}", str(suite_directory), 0 if factory or ref.factory is None else id(ref.factory)
