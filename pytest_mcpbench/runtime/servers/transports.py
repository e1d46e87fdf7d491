"""Transports to a server: what mcp's client connects to, and diagnostics for the case that the connection fails."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from mcp import MCPError

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.secret_sources import public_url, secrets_of_server
from pytest_mcpbench.core.secrets import Secrets
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.runtime.bounded_decoding import ENCODINGS
from pytest_mcpbench.runtime.servers.atlas_transport import AtlasTransport
from pytest_mcpbench.runtime.servers.command import command_line, working_directory
from pytest_mcpbench.runtime.servers.connection_diagnostics import ConnectionDiagnostics
from pytest_mcpbench.runtime.servers.environment import server_environment
from pytest_mcpbench.runtime.servers.factories import WorldOf, server_object
from pytest_mcpbench.runtime.servers.failures import is_closed_connection
from pytest_mcpbench.runtime.servers.forking import ZygotePool, ZygoteProcess, is_supported
from pytest_mcpbench.runtime.servers.http_replies import HttpReplies
from pytest_mcpbench.runtime.servers.isolation import NO_ISOLATION, Isolation
from pytest_mcpbench.runtime.servers.python_command import python_command
from pytest_mcpbench.runtime.servers.sandbox_paths import in_sandbox
from pytest_mcpbench.runtime.servers.server_process import ServerProcess
from pytest_mcpbench.runtime.servers.watchdog import Watchdog


class Transport(Protocol):
    """Transport to one server for one connection."""

    @property
    def target(self) -> Any:
        """Argument for ``mcp.Client``: a server object or a context manager of message streams."""
        ...

    @property
    def is_lost(self) -> bool:
        """``True`` if no message can arrive from the server any more."""
        ...

    @property
    def pid(self) -> int | None:
        """Id of the process that this side has started, if any."""
        ...

    def warnings(self, server: str) -> tuple[str, ...]:
        """Return sentences about what this client tolerates."""
        ...

    def report_error(self, error: MCPError) -> bool:
        """Report the error of a request; return whether it means that the connection is lost."""
        ...

    def lost_reply(self, error: BaseException) -> str:
        """Return what the server sent, unreadable, in place of the reply to a failed request; empty if nothing."""
        ...

    async def diagnostics(self) -> ConnectionDiagnostics:
        """Return what is known about a failure of the connection."""
        ...


@dataclass(frozen=True)
class ConnectionContext:
    """Surroundings in which a connection is opened: those of one attempt, or of all attempts for a shared server."""

    suite_directory: Path
    default_directory: Path
    """Working directory of a command that has none in its configuration."""
    watchdog: Watchdog
    world: WorldOf | None = None
    roots: tuple[Path, ...] = ()
    """Directories in the answer to ``roots/list``."""
    zygotes: ZygotePool | None = None
    isolation: Isolation = NO_ISOLATION


def make_transport(ref: ServerRef, context: ConnectionContext) -> Transport:
    """Create the transport to a server without starting anything.

    Raises:
        ServerError: the configuration cannot work.
    """
    if ref.problem:
        raise ServerError(ref.problem, ref.name, "configure")
    ref = in_sandbox(ref, context.default_directory)
    if ref.transport == "in_process":
        return InProcessTransport(server_object(ref, context.world))
    if ref.transport == "stdio":
        return _stdio_transport(ref, context)
    if ref.transport == "atlas":
        return AtlasTransport(ref)
    return HttpTransport(ref, dict(ref.headers), auth=_auth(ref))


@dataclass(frozen=True)
class InProcessTransport:
    """Transport to a server object in this process; it cannot be lost."""

    target: Any
    is_lost: bool = False
    pid: int | None = None

    def warnings(self, _server: str) -> tuple[str, ...]:
        return ()

    def report_error(self, _error: MCPError) -> bool:
        return False

    def lost_reply(self, _error: BaseException) -> str:
        return ""

    async def diagnostics(self) -> ConnectionDiagnostics:
        return ConnectionDiagnostics()


def _stdio_transport(ref: ServerRef, context: ConnectionContext) -> "StdioTransport":
    suite_directory = context.suite_directory
    environment = server_environment(ref.environment)
    directory = working_directory(ref, suite_directory=suite_directory, default=context.default_directory)
    command = command_line(ref, environment, directory=directory, suite_directory=suite_directory)
    process = ServerProcess(
        context.isolation.wrap(
            command,
            ref,
            directory=directory,
            suite_directory=suite_directory,
            writable=() if ref.is_shared or directory != context.default_directory else (directory,),
        ),
        environment=environment,
        directory=directory,
        watchdog=context.watchdog,
        zygote=_zygote(ref, command, environment, directory, context),
    )
    return StdioTransport(process, secrets_of_server(ref))


def _zygote(
    ref: ServerRef,
    command: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    context: ConnectionContext,
) -> ZygoteProcess | None:
    """Return the zygote of a server; ``None`` if it is not configured to be forked, or the system cannot fork."""
    is_possible = context.zygotes is not None and is_supported()
    # Under bubblewrap each process sees the directory of its attempt only, which its zygote would have to know.
    if not ref.fork or not is_possible or context.isolation.bwrap is not None:
        return None
    assert context.zygotes is not None
    # The zygote outlives attempts, so that it must not work in the sandbox of one of them.
    import_directory = directory if ref.working_directory else context.suite_directory
    return context.zygotes.get(ref, python_command(ref, command, directory), environment, import_directory)


@dataclass(frozen=True)
class StdioTransport:
    """Transport to a child process that exchanges messages on its stdin and stdout."""

    target: ServerProcess
    secrets: Secrets
    """Values that are removed from the diagnostics."""

    @property
    def is_lost(self) -> bool:
        return self.target.is_lost

    @property
    def pid(self) -> int | None:
        return self.target.pid

    def warnings(self, server: str) -> tuple[str, ...]:
        lines = self.target.output_before_first_message
        if not lines:
            return ()
        first = self.secrets.remove(lines[0])
        return (
            f"server {server!r} wrote to stdout before its first message, for example {first!r}. Clients that are less "
            "tolerant close the connection: write logs to stderr.",
        )

    def report_error(self, error: MCPError) -> bool:
        return is_closed_connection(error)

    def lost_reply(self, error: BaseException) -> str:
        if isinstance(error, TimeoutError):
            self.target.report_lost_reply()
        return self.secrets.remove(self.target.lost_reply)

    async def diagnostics(self) -> ConnectionDiagnostics:
        await self.target.settle()
        return ConnectionDiagnostics(
            hint=self.secrets.remove(self._hint()),
            stderr=self.secrets.remove(self.target.stderr),
            returncode=self.target.returncode,
        )

    def _hint(self) -> str:
        count, first = self.target.stray_output
        if not count:
            return ""
        lines = "1 line that is not an MCP message" if count == 1 else f"{count} lines that are not MCP messages"
        return f"it wrote {lines} to stdout, the first: {first[0]!r}"


def _auth(ref: ServerRef) -> Any:
    """Return the authentication for mcp's HTTP client, or ``None``."""
    if ref.auth is None:
        return None
    from pytest_mcpbench.runtime.servers.oauth import stored_oauth

    return stored_oauth(ref)


@dataclass
class HttpTransport:
    """Transport to a server at a URL, by streamable HTTP or SSE."""

    ref: ServerRef
    headers: Mapping[str, str]
    auth: Any = None
    """Authentication of ``httpx2``, or ``None``."""
    is_lost: bool = False
    pid: int | None = None
    _bad_status: str = field(default="", init=False)
    """Description of the last response with an error status."""
    _replies: HttpReplies = field(default_factory=HttpReplies, init=False)

    @property
    def target(self) -> Any:
        return self._streams()

    def warnings(self, _server: str) -> tuple[str, ...]:
        return ()

    def report_error(self, error: MCPError) -> bool:
        # Up to protocol 2025-11-25 an error status means a problem with the session or in front of the server. Since
        # 2026-07-28 (mode "auto") a server also answers ordinary protocol errors with 400 or 404.
        if not is_closed_connection(error) and (self.ref.mode == "auto" or not self._bad_status):
            return False
        self.is_lost = True
        return True

    def lost_reply(self, error: BaseException) -> str:
        return self._replies.lost_reply(error)

    async def diagnostics(self) -> ConnectionDiagnostics:
        return ConnectionDiagnostics(hint=self._bad_status)

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[Any]:
        from mcp.client.sse import sse_client
        from mcp.client.streamable_http import streamable_http_client

        url = str(self.ref.url)
        if self.ref.transport == "sse":
            async with sse_client(url, httpx_client_factory=self._http_client) as streams:
                yield self._replies.streams(*streams)
            return
        async with self._http_client() as client, streamable_http_client(url, http_client=client) as streams:
            yield self._replies.streams(*streams)

    def _http_client(self, *_: Any, **__: Any) -> Any:
        """Return an HTTP client without a read timeout; the arguments that mcp passes are ignored."""
        import httpx2

        return httpx2.AsyncClient(
            headers={"Accept-Encoding": ENCODINGS, **self.headers},
            auth=self.auth,
            # No limit for reading: the connection limits the duration of calls, which may be longer than a start.
            timeout=httpx2.Timeout(self.ref.timeouts.start_seconds, read=None),
            event_hooks={"response": [self._record_status]},
        )

    async def _record_status(self, response: Any) -> None:
        self._replies.watch_body(response)
        # Only of POST: servers without a stream of notifications answer the client's GET with 405.
        if response.status_code >= 400 and response.request.method == "POST":
            url = public_url(str(self.ref.url))
            self._bad_status = f"HTTP {response.status_code} {response.reason_phrase} from {url}"
            if response.status_code == 401 and self.auth is None and "resource_metadata" in _challenge(response):
                self._bad_status += f'; it asks for OAuth: run `mcpbench login {url}` and set auth = "oauth"'


def _challenge(response: Any) -> str:
    """Return the demand of a response for authentication."""
    return str(response.headers.get("www-authenticate", ""))
