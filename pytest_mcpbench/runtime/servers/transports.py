"""The ways to a server: what mcp's client connects to, and what is known of the way when it fails."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

from mcp import MCPError

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.runtime.servers.command import command_line, working_directory
from pytest_mcpbench.runtime.servers.environment import redacted, secrets_in, server_environment
from pytest_mcpbench.runtime.servers.factories import WorldOf, server_object
from pytest_mcpbench.runtime.servers.failures import is_closed_connection
from pytest_mcpbench.runtime.servers.forking import Zygote, ZygotePool, is_possible, python_command
from pytest_mcpbench.runtime.servers.server_process import ServerProcess
from pytest_mcpbench.runtime.servers.watchdog import Watchdog


@dataclass(frozen=True)
class Evidence:
    """What the way itself knows about a failure."""

    hint: str = ""
    stderr: str = ""
    returncode: int | None = None


class Transport(Protocol):
    """A way to one server, used for one connection."""

    @property
    def target(self) -> Any:
        """What ``mcp.Client`` takes: a server object or a transport."""
        ...

    @property
    def is_lost(self) -> bool:
        """Whether nothing can come from the server any more."""
        ...

    def note(self, error: MCPError) -> bool:
        """Take note of an error that a request ended with; whether it came from the way and not from the server."""
        ...

    async def evidence(self) -> Evidence: ...


@dataclass(frozen=True)
class ConnectionContext:
    """Where a connection is opened: for an attempt, or for all of them."""

    suite_directory: Path
    default_directory: Path
    """Where a command runs that has no working directory of its own."""
    watchdog: Watchdog
    world: WorldOf | None = None
    roots: tuple[Path, ...] = ()
    """The directories that ``roots/list`` is answered with."""
    zygotes: ZygotePool | None = None


def make_transport(ref: ServerRef, surroundings: ConnectionContext) -> Transport:
    """The way to a server; nothing is started yet.

    Raises:
        ServerError: the configuration cannot work.
    """
    if ref.problem:
        raise ServerError(ref.problem, ref.name, "configure")
    if ref.transport == "in_process":
        return InProcessTransport(server_object(ref, surroundings.world))
    if ref.transport == "stdio":
        return _stdio(ref, surroundings)
    return HttpTransport(ref, _headers(ref, surroundings))


@dataclass(frozen=True)
class InProcessTransport:
    """A server object in this process: it cannot be lost."""

    target: Any
    is_lost: bool = False

    def note(self, _error: MCPError) -> bool:
        return False

    async def evidence(self) -> Evidence:
        return Evidence()


def _stdio(ref: ServerRef, surroundings: ConnectionContext) -> "StdioTransport":
    suite_directory = surroundings.suite_directory
    environment = server_environment(ref.environment)
    directory = working_directory(ref, suite_directory=suite_directory, default=surroundings.default_directory)
    command = command_line(ref, environment, directory=directory, suite_directory=suite_directory)
    transport = ServerProcess(
        command,
        environment=environment,
        directory=directory,
        watchdog=surroundings.watchdog,
        zygote=_zygote(ref, command, environment, directory, surroundings),
    )
    return StdioTransport(transport, secrets_in(ref.environment))


def _zygote(
    ref: ServerRef,
    command: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    surroundings: ConnectionContext,
) -> Zygote | None:
    """What the server is forked from, if it is to be and this system can."""
    if not ref.fork or surroundings.zygotes is None or not is_possible():
        return None
    place = directory if ref.working_directory else surroundings.suite_directory
    return surroundings.zygotes.of(ref, python_command(ref, command, directory), environment, place)


@dataclass(frozen=True)
class StdioTransport:
    """A command of which stdin and stdout carry the messages."""

    target: ServerProcess
    secrets: tuple[str, ...]

    @property
    def is_lost(self) -> bool:
        return self.target.is_lost

    def note(self, error: MCPError) -> bool:
        return is_closed_connection(error)

    async def evidence(self) -> Evidence:
        await self.target.settled()
        return Evidence(
            hint=redacted(self._hint(), self.secrets),
            stderr=redacted(self.target.stderr, self.secrets),
            returncode=self.target.returncode,
        )

    def _hint(self) -> str:
        count, shown = self.target.stray_output
        if not count:
            return ""
        lines = "1 line that is" if count == 1 else f"{count} lines that are"
        return f"it wrote {lines} no MCP message to stdout, the first: {shown[0]!r}"


def _headers(ref: ServerRef, surroundings: ConnectionContext) -> dict[str, str]:
    """The configured ones, with the attempt's directory for ``{sandbox}``: a session of its own can work in it."""
    if ref.is_shared:
        return dict(ref.headers)
    return {
        name: value.replace("{sandbox}", str(surroundings.default_directory)) for name, value in ref.headers.items()
    }


@dataclass
class HttpTransport:
    """A server elsewhere, by streamable HTTP or SSE."""

    ref: ServerRef
    headers: Mapping[str, str]
    is_lost: bool = False
    _bad_status: str = field(default="", init=False)
    """The last reply that was not good as HTTP."""

    @property
    def target(self) -> Any:
        return self._streams()

    def note(self, error: MCPError) -> bool:
        """Up to protocol 2025-11-25 a bad status means trouble with the session or in front of the server.

        Since 2026-07-28 a server answers ordinary protocol errors with 400 or 404.
        """
        if not is_closed_connection(error) and (self.ref.mode == "auto" or not self._bad_status):
            return False
        self.is_lost = True
        return True

    async def evidence(self) -> Evidence:
        return Evidence(hint=self._bad_status)

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[Any]:
        from mcp.client.sse import sse_client
        from mcp.client.streamable_http import streamable_http_client

        url = str(self.ref.url)
        if self.ref.transport == "sse":
            async with sse_client(url, httpx_client_factory=self._http_client) as streams:
                yield streams
            return
        async with self._http_client() as client, streamable_http_client(url, http_client=client) as streams:
            yield streams

    def _http_client(self, *_: Any, **__: Any) -> Any:
        """Without a timeout for reading: how long a call may take is the connection's to say."""
        import httpx2

        return httpx2.AsyncClient(
            headers=self.headers,
            timeout=httpx2.Timeout(self.ref.timeouts.start_seconds, read=None),
            event_hooks={"response": [self._note_status]},
        )

    async def _note_status(self, response: Any) -> None:
        if response.status_code >= 400 and response.request.method == "POST":
            self._bad_status = f"HTTP {response.status_code} {response.reason_phrase} from {public(str(self.ref.url))}"


def public(url: str) -> str:
    """The URL without what may be secret in it: user, password and query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
