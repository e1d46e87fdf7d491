"""Server that many attempts share: it is opened again when it is lost, and given up for a while if that goes on.

A shared server has no state of an attempt, so that a call may be made on the connection that replaces a lost one. Only
a call that was in flight may have taken effect: it is made again if its tool is read-only or idempotent. The same is
true of a request that the network loses without the connection.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from pytest_mcpbench.core.errors import CallNotSentError, ReplyLostError, ServerError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ContextMethod, ToolResult, ToolSpec
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.servers.server_connection import ServerRespondent

if TYPE_CHECKING:
    from pytest_mcpbench.servers.connection import Connection

Answer = TypeVar("Answer")

MOST_FAILURES = 5
"""Number of losses and failed starts, with no answered call between them, after which the circuit opens."""
MOST_SENDS = 3
"""Number of times that a call whose reply is lost is made."""
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
            error: ServerError | None = None
            try:
                await current.ready()
            except ServerError as raised:
                error = raised
            if error is None and not current.is_lost and not self._circuit.is_open:
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

    @property
    def failures(self) -> int:
        """Number of all failures until now, to tell whether a request was made before the last one."""
        return self._circuit.all_failures

    def count_lost_request(self, error: ServerError, *, failures: int) -> None:
        """Count the loss of a request that was made after so many failures; those in flight together count once."""
        if failures == self.failures:
            self._circuit.count(None, _once_more(error), opens=False)

    async def pause(self) -> None:
        """Wait before a request is made again. Raises ServerError while the circuit is open."""
        await self._circuit.wait()

    async def _replace(self, lost: "Connection", error: ServerError | None) -> None:
        """Open a connection in place of a lost one, or probe the server once the circuit has been open long enough."""
        # Lost requests are counted as they are lost; with them the circuit opens while the connection is whole.
        if (error is not None or lost.is_lost) and not self._circuit.has_counted(lost):
            self._count_failure(lost, error or await lost.loss())
        await self._circuit.wait()
        self._close(lost)
        self._opened_at = _now()
        opened = self._open()
        self.unreported_restarts += 1
        if self._circuit.is_open:
            # The server must answer once more; the circuit stays open if it does not.
            try:
                await opened.ready()
                if self._answered_read is not None:
                    await opened.call(*self._answered_read)
            except ServerError as failure:
                self._count_failure(opened, failure)
            else:
                if not opened.is_lost:
                    self._circuit.half_close()
        # Only now: no attempt uses the connection before the probe has passed.
        self._current = opened

    def _count_failure(self, lost: "Connection", error: ServerError) -> None:
        """Count the failure of a connection. Raises ServerError for a definition that cannot work."""
        if error.phase == "configure":
            raise error
        # A definition that cannot start is not tried five times, nor is a server that lets every attempt wait.
        never_started = not self._was_ready and self.ref.url is None
        timed_out = not lost.is_lost and _now() - self._opened_at >= self.ref.timeouts.start_seconds
        self._circuit.count(lost, _once_more(error) if self._was_ready else error, opens=never_started or timed_out)


def _once_more(error: ServerError) -> ServerError:
    return replace(error, problem="it is left alone for a while, because it failed again: " + error.problem)


class _Circuit:
    """Failures in a row, and the time until which a server that fails again and again is left alone."""

    def __init__(self) -> None:
        self.all_failures = 0
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
        """Count the failure of a connection, or of a request; it may open the circuit at once."""
        if self.is_open:  # a probe failed
            self._pause_seconds = min(2 * self._pause_seconds, LONGEST_PAUSE_SECONDS)
        self._counted, self._error = connection, error
        self.all_failures += 1
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
        result, sends = await self._answer(
            lambda connection: connection.call(tool, arguments, respondent),
            name=tool,
            is_repeatable=spec is not None and spec.is_repeatable,
        )
        if result.error_kind != "timeout":
            self._server.note_answer(spec, arguments)
        return result.model_copy(update={"was_repeated": True}) if sends > 1 else result

    async def _answer(
        self, ask: "Callable[[Connection], Awaitable[Answer]]", *, name: str, is_repeatable: bool
    ) -> tuple[Answer, int]:
        """Return the answer to a request, and how often it may have reached the server."""
        sends = 0
        while True:
            connection = await self._server.connection()
            failures = self._server.failures
            try:
                return await ask(connection), sends + 1
            except ServerError as error:
                if not connection.is_lost:
                    if not isinstance(error, CallNotSentError | ReplyLostError):
                        raise
                    self._server.count_lost_request(error, failures=failures)
                if not isinstance(error, CallNotSentError):
                    sends += 1
                    if (reason := _final_reason(name, sends, is_repeatable=is_repeatable)) is not None:
                        raise replace(error, problem=error.problem + reason) from None
                if not connection.is_lost:
                    await self._server.pause()

    async def request(self, method: ContextMethod, arguments: dict[str, Any]) -> ToolResult:
        """Return the answer to a request about resources or prompts; errors that the agent may read are results.

        Raises:
            ServerError: the server is lost.
        """
        return await self._read(lambda connection: connection.request(method, arguments), method)

    async def has_resource(self, uri: str) -> bool:
        """Return whether the server lists a resource."""
        return await self._read(lambda connection: connection.has_resource(uri), "resources/list")

    async def resources(self) -> frozenset[str]:
        """Return the URIs of the resources that the server lists."""
        return await self._read(lambda connection: connection.resources(), "resources/list")

    async def read_text(self, uri: str) -> str | None:
        """Return the text of a resource; ``None`` if the server has no such resource."""
        return await self._read(lambda connection: connection.read_text(uri), "resources/read")

    async def _read(self, ask: "Callable[[Connection], Awaitable[Answer]]", name: str) -> Answer:
        answer, _ = await self._answer(ask, name=name, is_repeatable=True)
        return answer

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


def _final_reason(name: str, sends: int, *, is_repeatable: bool) -> str | None:
    """Return why a call that was lost is not made again, and ``None`` if it is."""
    if not is_repeatable:
        return f"; {name!r} was not called again, because it is neither marked as read-only nor as idempotent"
    return f", {sends} times in one call of {name!r}" if sends == MOST_SENDS else None


def _now() -> float:
    return asyncio.get_running_loop().time()
