"""Pool of the connections of one event loop: shared servers are opened once, private ones for each attempt."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import anyio

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerKey, ServerRef, server_key
from pytest_mcpbench.servers.cache import ServerCache
from pytest_mcpbench.servers.connection import Connection
from pytest_mcpbench.servers.forking import ZygotePool
from pytest_mcpbench.servers.isolation import NO_ISOLATION, Isolation
from pytest_mcpbench.servers.shared_server import SharedConnection, SharedServer
from pytest_mcpbench.servers.transports import ConnectionContext
from pytest_mcpbench.servers.watchdog import Watchdog

_MOST_REFS = 256
"""References whose caches are found by their ids: some are made for one attempt."""


class ConnectionPool:
    """Pool that opens and closes connections."""

    def __init__(self, *, root: Path | None = None, isolation: Isolation = NO_ISOLATION) -> None:
        self._root = root or Path.cwd()
        self._isolation = isolation
        self._watchdog = Watchdog()
        self._zygotes = ZygotePool(self._watchdog)
        self._shared: dict[ServerKey, SharedServer] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._open: set[Connection] = set()
        self._caches: dict[ServerKey, ServerCache] = {}
        self._caches_of_refs: dict[int, tuple[ServerRef, Path, ServerCache]] = {}
        """The same by the id of the reference: making a key takes longer, and all attempts of a suite have the same."""
        # Starting a server keeps a processor busy: with too many at once, all of them miss their deadline.
        self._starts = asyncio.Semaphore(2 + (os.cpu_count() or 1))

    def connection(self, ref: ServerRef, sandbox: Sandbox, suite_directory: Path) -> Connection | SharedConnection:
        """Return a connection that is open or being opened; the caller gives it back with :meth:`release`."""
        if ref.definition_directory is not None:
            suite_directory = (suite_directory / ref.definition_directory).resolve()
        if not ref.is_shared:
            return self._open_connection(ref, self._private_context(ref, sandbox, suite_directory))
        key = server_key(ref, suite_directory)
        if key not in self._shared:
            context = self._shared_context(ref, suite_directory)
            self._shared[key] = SharedServer(
                ref, partial(self._open_connection, ref, context), self._close_in_background
            )
        return SharedConnection(self._shared[key])

    async def release(self, connections: Iterable[Connection | SharedConnection]) -> None:
        """Close those of the connections that are private."""
        await self._close([each for each in connections if not isinstance(each, SharedConnection)])

    def take_restarts(self) -> dict[str, int]:
        """Return the number of restarts of each shared server since the last call of this method."""
        counts: Counter[str] = Counter()
        for server in self._shared.values():
            counts[server.ref.name] += server.unreported_restarts
            server.unreported_restarts = 0
        return dict(+counts)

    async def close(self) -> None:
        """Close all connections and end all servers."""
        await self._close(list(self._open))
        await asyncio.gather(*self._closing)
        await self._zygotes.close()
        self._watchdog.close()

    def kill(self) -> None:
        """Kill every process that is left; callable from any thread, without waiting."""
        self._watchdog.kill()

    def _open_connection(self, ref: ServerRef, context: ConnectionContext) -> Connection:
        start_limit = self._starts if ref.transport == "stdio" and not ref.fork else nullcontext()
        connection = Connection(ref, context, start_limit, self._cache(ref, context.suite_directory))
        self._open.add(connection)
        connection.start()
        return connection

    def _cache(self, ref: ServerRef, suite_directory: Path) -> ServerCache | None:
        # A factory that is a callable may return a different server each time.
        if ref.factory is not None and not isinstance(ref.factory, str):
            return None
        known = self._caches_of_refs.get(id(ref))
        if known is None or known[0] is not ref or known[1] != suite_directory:
            if len(self._caches_of_refs) >= _MOST_REFS:
                self._caches_of_refs.clear()
            cache = self._caches.setdefault(server_key(ref, suite_directory), ServerCache())
            known = self._caches_of_refs[id(ref)] = ref, suite_directory, cache
        return known[2]

    def _private_context(self, ref: ServerRef, sandbox: Sandbox, suite_directory: Path) -> ConnectionContext:
        return ConnectionContext(
            suite_directory=suite_directory,
            default_directory=lambda: sandbox.path,
            watchdog=self._watchdog,
            world=lambda: sandbox.world(ref.name),
            roots=lambda: _roots(ref, sandbox.path, default=(sandbox.path,)),
            zygotes=self._zygotes,
            isolation=self._isolation,
        )

    def _shared_context(self, ref: ServerRef, suite_directory: Path) -> ConnectionContext:
        return ConnectionContext(
            suite_directory=suite_directory,
            default_directory=lambda: self._root,
            watchdog=self._watchdog,
            roots=lambda: _roots(ref, self._root, default=()),
            isolation=self._isolation,
        )

    def _close_in_background(self, connection: Connection) -> None:
        task = asyncio.create_task(self._close([connection]))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _close(self, connections: list[Connection]) -> None:
        # Shielded: an attempt that is cancelled must still end its servers.
        with anyio.CancelScope(shield=True):
            await asyncio.gather(*(connection.close() for connection in connections))
        self._open.difference_update(connections)


def _roots(ref: ServerRef, directory: Path, *, default: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the directories that a server is told as its roots; relative ones are below a base directory."""
    return default if ref.roots is None else tuple(directory / root for root in ref.roots)
