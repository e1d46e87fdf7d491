"""Direct calls of a server's tools in users' own tests, without a task and an agent."""

import functools
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.execution.engines import LocalAttempts
from pytest_mcpbench.servers.server_connection import ServerConnection


class ToolCaller:
    """Function that calls a tool of one server; the server starts with the first call and lives until the test ends."""

    def __init__(self, server: ServerRef, local: LocalAttempts, directory: Path) -> None:
        self.server = server
        self.directory = directory
        """Directory in which the server works; files that a test writes before the first call are there."""
        self._local = local
        self._exits = AsyncExitStack()
        self._connection: ServerConnection | None = None

    def __call__(self, tool: str, /, **arguments: Any) -> ToolResult:
        """Return the result of a call; an error of the tool is a result with ``is_error``.

        Raises:
            AttemptError: the server does not start, or is gone.
        """
        try:
            return self._local.executor.call(functools.partial(self._call, tool, arguments))
        except McpBenchError as error:
            raise AttemptError(error) from None

    def close(self) -> None:
        """End the server."""
        if self._connection is not None:
            self._local.executor.call(self._close)

    async def _call(self, tool: str, arguments: dict[str, Any], pool: ServerPool) -> ToolResult:
        if self._connection is None:
            self._connection = await self._exits.enter_async_context(pool.session(self.server, self.directory))
        return await self._connection.call(tool, arguments)

    async def _close(self, _pool: ServerPool) -> None:
        await self._exits.aclose()


def tool_caller(server: ServerRef, local: LocalAttempts, directory: Path) -> Iterator[ToolCaller]:
    """Yield the function, for a server that works in a new directory; end the server behind it."""
    directory.mkdir()
    caller = ToolCaller(server, local, directory)
    yield caller
    caller.close()
