"""Server that many attempts share: it is opened again when it is lost, and given up for a while if that goes on.

A shared server has no state of an attempt, so that a call may be made on the connection that replaces a lost one. Only
a call that was in flight may have taken effect: it is made again if its tool is read-only or idempotent.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from pytest_mcpbench.core.errors import CallNotSentError, ServerError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ContextMethod, ToolResult, ToolSpec
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.servers.server_connection import ServerRespondent

if TYPE_CHECKING:
    from pytest_mcpbench.servers.connection import Connection

MOST_FAILURES = 5
"""Number of losses and failed starts, with no answered call between them, after which the circuit opens."""
FIRST_DELAY_SECONDS = 0.1
"""Wait before the first restart; it doubles with each further failure."""
FIRST_PAUSE_SECONDS = 5.0
"""Time for which the circuit is open before a probe; it doubles with each probe that fails."""
LONGEST_PAUSE_SECONDS = 60.0


class SharedServer:
    """Connection to a server that outlives its losses; attempts use it through a :class:`SharedConnection`.

    Args:
        ref: Server to connect to.
        open_connection: Function that starts to open a connection.
        close_connection: Function that closes a connection in the background.
    """

    def __init__(
        self,
        ref: ServerRef,
        open_connection: "Callable[[], Connection]",
        close_connection: "Callable[[Connection], None]",
    ) -> None:
        self.ref = ref
        self.unreported_restarts = 0
        """Number of restarts that no attempt has taken into its evidence."""
        self._open = open_connection
        self._close = close_connection
        self._circuit = _Circuit()
        self._current = open_connection()
        self._opened_at = _now()
        self._was_ready = False
        self._answered_read: tuple[str, dict[str, Any]] | None = None
        """Latest answered call of a read-only tool, which a probe makes again."""
        self._replacing = asyncio.Lock()

    async def connection(self) -> "Connection":
        """Return an open connection, after restarts if need be.

        Raises:
            ServerError: it cannot be opened, or the circuit is open.
        """
        while True:
            current = self._current
            error = await _opening_error(current)
            if error is None and not current.is_lost:
                self._was_ready = True
                return current
            async with self._replacing:
                # Those who waited for the lock find the connection that the first of them has opened.
                if self._current is current:
                    await self._replace(current, error)

    def note_answer(self, tool: ToolSpec | None, arguments: dict[str, Any]) -> None:
        """Count failures anew, because the server has answered a call."""
        self._circuit.close()
        if tool is not None and tool.is_read_only:
            self._answered_read = tool.tool, arguments

    async def _replace(self, lost: "Connection", error: ServerError | None) -> None:
        """Open a connection in place of a lost one, or probe the server once the circuit has been open long enough."""
        if not self._circuit.has_counted(lost):
            self._count_failure(lost, error or await lost.loss())
        await self._circuit.wait()
        self._close(lost)
        self._opened_at = _now()
        opened = self._open()
        self.unreported_restarts += 1
        if self._circuit.is_open:
            await self._probe(opened)
        # Only now: no attempt uses the connection before the probe has passed.
        self._current = opened

    def _count_failure(self, lost: "Connection", error: ServerError) -> None:
        """Count the failure of a connection. Raises ServerError for a definition that cannot work."""
        if error.phase == "configure":
            raise error
        # A definition that cannot start is not tried five times, nor is a server that lets every attempt wait.
        never_started = not self._was_ready and self.ref.url is None
        timed_out = not lost.is_lost and _now() - self._opened_at >= self.ref.timeouts.start_seconds
        if self._was_ready:
            problem = "it is left alone for a while, because it failed again: "
            error = replace(error, problem=problem + error.problem)
        self._circuit.count(lost, error, opens=never_started or timed_out)

    async def _probe(self, connection: "Connection") -> None:
        """Let the server answer once more; the circuit stays open if it does not."""
        with suppress(ServerError):
            await connection.ready()
            if self._answered_read is not None:
                await connection.call(*self._answered_read)
            if not connection.is_lost:
                self._circuit.half_close()


class _Circuit:
    """Failures in a row, and the time until which a server that fails again and again is left alone."""

    def __init__(self) -> None:
        self._failures = 0
        self._counted: object = None
        self._error: ServerError | None = None
        self._pause_seconds = FIRST_PAUSE_SECONDS
        self._probe_at = 0.0

    @property
    def is_open(self) -> bool:
        return self._failures >= MOST_FAILURES

    def has_counted(self, connection: object) -> bool:
        """Return whether the failure of a connection has been counted: many attempts find it lost."""
        return connection is self._counted

    def count(self, connection: object, error: ServerError, *, opens: bool) -> None:
        """Count the failure of a connection; it may open the circuit at once. An open circuit raises the error."""
        if self.is_open:  # a probe failed
            self._pause_seconds = min(2 * self._pause_seconds, LONGEST_PAUSE_SECONDS)
        self._counted, self._error = connection, error
        self._failures = MOST_FAILURES if opens else self._failures + 1
        self._probe_at = _now() + self._pause_seconds

    async def wait(self) -> None:
        """Wait before a restart. Raises ServerError while the circuit is open."""
        if not self.is_open:
            await anyio.sleep(FIRST_DELAY_SECONDS * 2 ** (self._failures - 1))
        elif _now() < self._probe_at:
            assert self._error is not None
            raise replace(self._error)

    def half_close(self) -> None:
        """Allow calls after a probe; the next failure opens the circuit again."""
        self._failures = MOST_FAILURES - 1

    def close(self) -> None:
        self._failures = 0
        self._pause_seconds = FIRST_PAUSE_SECONDS


class SharedConnection:
    """One attempt's view of a shared server."""

    def __init__(self, server: SharedServer) -> None:
        self.ref = server.ref
        self._server = server
        self._opened: Connection | None = None

    async def ready(self) -> None:
        """Wait until the tools are listed.

        Raises:
            ServerError: the server cannot be started, or fails so often that it is left alone for a while.
        """
        self._opened = await self._server.connection()

    async def call(
        self, tool: str, arguments: dict[str, Any], respondent: ServerRespondent | None = None
    ) -> ToolResult:
        """Call a tool and return its result; a call that is lost with its server is made again if its tool allows it.

        Raises:
            ServerError: the server is lost, or its reply is not valid MCP.
        """
        spec = next((each for each in self.tools if each.tool == tool), None)
        connection = await self._server.connection()
        was_sent = False
        try:
            result = await connection.call(tool, arguments, respondent)
        except ServerError as error:
            if not connection.is_lost:
                raise
            was_sent = not isinstance(error, CallNotSentError)
            if was_sent and not (spec and spec.is_repeatable):
                hint = f"{tool!r} was not called again, because it is neither marked as read-only nor as idempotent"
                raise replace(error, problem=f"{error.problem}; {hint}") from None
            result = await self._call_again(tool, arguments, respondent)
        if result.error_kind != "timeout":
            self._server.note_answer(spec, arguments)
        return result.model_copy(update={"was_repeated": True}) if was_sent else result

    async def _call_again(
        self, tool: str, arguments: dict[str, Any], respondent: ServerRespondent | None
    ) -> ToolResult:
        connection = await self._server.connection()
        try:
            return await connection.call(tool, arguments, respondent)
        except ServerError as error:
            raise replace(error, problem=f"{error.problem}, twice in one call of {tool!r}") from None

    async def request(self, method: ContextMethod, arguments: dict[str, Any]) -> ToolResult:
        """Return the answer to a request about resources or prompts; errors that the agent may read are results.

        Raises:
            ServerError: the server is lost.
        """
        return await (await self._server.connection()).request(method, arguments)

    async def has_resource(self, uri: str) -> bool:
        """Return whether the server lists a resource."""
        return await (await self._server.connection()).has_resource(uri)

    async def resources(self) -> frozenset[str]:
        """Return the URIs of the resources that the server lists."""
        return await (await self._server.connection()).resources()

    async def read_text(self, uri: str) -> str | None:
        """Return the text of a resource; ``None`` if the server has no such resource."""
        return await (await self._server.connection()).read_text(uri)

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """All tools of the server under its own names, in its own order."""
        return self._open.tools

    @property
    def facts(self) -> ServerFacts:
        return self._open.facts

    @property
    def definition(self) -> ServerDefinition:
        """Everything that a client learns about the server before the first call."""
        return self._open.definition

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the server's author about behaviour that only this client tolerates."""
        return self._open.warnings

    @property
    def pid(self) -> int | None:
        """Id of the server's process, if it is one of this client."""
        return self._open.pid

    @property
    def directory(self) -> Path | None:
        """Configured working directory of the server's process."""
        return self._open.directory

    @property
    def _open(self) -> "Connection":
        assert self._opened is not None, "ready() was not awaited"
        return self._opened


async def _opening_error(connection: "Connection") -> ServerError | None:
    """Return why a connection could not be opened, or why it has failed since; ``None`` if it is open."""
    try:
        await connection.ready()
    except ServerError as error:
        return error
    return None


def _now() -> float:
    return asyncio.get_running_loop().time()
