"""Cache of server definitions, for uses that need only the definition."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Protocol

from pytest_mcpbench.core.server import ServerKey, ServerRef, server_key
from pytest_mcpbench.definitions.canonical import ServerDefinition


class FetchDefinition(Protocol):
    """Function that asks a server for its definition."""

    def __call__(self, server: ServerRef, *, directory: Path) -> Awaitable[ServerDefinition]: ...


class DefinitionCache:
    """Definitions of one event loop, each fetched once, also if many attempts ask for it at the same time."""

    def __init__(self, fetch: FetchDefinition) -> None:
        self._fetch = fetch
        self._fetched: dict[ServerKey, asyncio.Future[ServerDefinition]] = {}

    async def get(self, server: ServerRef, directory: Path) -> ServerDefinition:
        """Return the definition of a server. Raises :class:`ServerError` each time if the server fails."""
        key = server_key(server, directory)
        if key not in self._fetched:
            self._fetched[key] = asyncio.ensure_future(self._fetch(server, directory=directory))
        # Shielded: an attempt that is cancelled must not take the definition away from the others.
        return await asyncio.shield(self._fetched[key])
