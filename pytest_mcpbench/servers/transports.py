"""Transports to which mcp's client connects, with diagnostics for failed connections."""

import inspect
import os
import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from mcp import MCPError
from mcp.server import MCPServer, Server

from pytest_mcpbench.core.errors import SandboxError, ServerError
from pytest_mcpbench.core.sandbox import with_directory
from pytest_mcpbench.core.secret_sources import public_url, secrets_of_server
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.files.bounded_decoding import ENCODINGS
from pytest_mcpbench.servers.atlas_transport import AtlasTransport
from pytest_mcpbench.servers.environment import server_environment
from pytest_mcpbench.servers.failures import CLOSED, ConnectionDiagnostics, is_closed_connection
from pytest_mcpbench.servers.forking import ZygotePool, ZygoteProcess, is_supported, python_command
from pytest_mcpbench.servers.http_replies import LOST_STATUS, HttpReplies, RequestClient, http_timeout, is_message
from pytest_mcpbench.servers.isolation import NO_ISOLATION, Isolation
from pytest_mcpbench.servers.mcp_caches import reused_tools
from pytest_mcpbench.servers.server_process import ServerProcess
from pytest_mcpbench.servers.watchdog import Watchdog
from pytest_mcpbench.text.paths import SANDBOX

# Command line and working directory of a stdio server.


def working_directory(ref: ServerRef, *, suite_directory: Path, default: Path) -> Path:
    """Return the configured directory, relative to the suite's, or the default.

    Raises:
        ServerError: the directory does not exist.
    """
    directory = suite_directory / ref.working_directory if ref.working_directory else default
    if not directory.is_dir():
        raise ServerError(f"its working directory {directory} does not exist", ref.name, "configure")
    return directory


def command_line(
    ref: ServerRef, environment: Mapping[str, str], *, directory: Path, suite_directory: Path
) -> tuple[str, ...]:
    """Return the command as an absolute path, followed by its arguments.

    An argument that is the path of a file in the suite's directory, but not in the working directory, becomes
    absolute: so ``python server.py`` also works for a server that runs in a sandbox directory.

    Raises:
        ServerError: the command does not exist or is not executable.
    """
    arguments = (_resolve_suite_file(argument, directory, suite_directory) for argument in ref.arguments)
    command = str(ref.command)
    if os.sep not in command:
        # The PATH of the server, not of this process.
        executable = shutil.which(command, path=environment.get("PATH"))
        where = "on PATH"
    else:
        candidates = (shutil.which(str(base / command)) for base in (directory, suite_directory))
        executable = next(filter(None, candidates), None)
        where = f"in {directory} or {suite_directory}" if not os.path.isabs(command) else "there"  # noqa: PTH117
    if executable is None:
        problem = f"its command {command!r} was not found {where}, or cannot be executed"
        hint = "; a command is one word: write its arguments as `args`" if " " in command else ""
        raise ServerError(problem + hint, ref.name, "start")
    return (executable, *arguments)


def _resolve_suite_file(argument: str, directory: Path, suite_directory: Path) -> str:
    candidate = suite_directory / argument
    if argument and _is_file(candidate) and not (directory / argument).exists():
        return str(candidate)
    return argument


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # an argument that is not a path at all: too long, or with a NUL character
        return False


def in_sandbox(ref: ServerRef, directory: Callable[[], Path]) -> ServerRef:
    """Return the server with ``{sandbox}`` replaced in its command, arguments, variables, URL, headers and settings.

    Args:
        ref: Server.
        directory: Function that returns the directory; it is called if the server names it.

    Raises:
        ServerError: the server is shared by attempts, so that it has no directory of its own.
    """
    fields = {name: getattr(ref, name) for name in _EXPANDED}
    expanded = {name: with_directory(value, directory) for name, value in fields.items()}
    if expanded == fields:
        return ref
    if ref.is_shared:
        problem = f"its definition uses {SANDBOX}, but one connection serves all attempts; set state = 'per_task'"
        raise ServerError(problem, ref.name, "configure")
    # A process that imports the server beforehand, to be forked for each attempt, cannot know the directory of one.
    return ref.model_copy(update={**expanded, "fork": False})


_EXPANDED = ("command", "arguments", "environment", "working_directory", "url", "headers", "settings")


WorldOf = Callable[[], Any]
"""Function that returns the :class:`~pytest_mcpbench.core.sandbox.World` of the attempt, created at the first call."""


def server_object(ref: ServerRef, world: WorldOf | None) -> Any:
    """Return the server object to which ``mcp.Client`` connects in this process.

    A factory that is a server object is returned as it is. Any other is called with the server's settings as keyword
    arguments and, if its first parameter is called ``world`` or has no default, with a world.

    Args:
        ref: Server with the transport ``in_process``.
        world: Source of the attempt's world; ``None`` for a shared connection, which has none.

    Raises:
        ServerError: the factory cannot be imported, raises an exception, or does not return an MCP server.
    """
    factory = _import_factory(ref, ref.factory) if isinstance(ref.factory, str) else ref.factory
    server = _unwrap(factory)
    if not _is_server(server) and callable(factory):
        server = _unwrap(_call_factory(ref, factory, world))
    if not _is_server(server):
        raise _problem(ref, f"its factory returns {type(server).__name__}, not an MCP server")
    return server


def _is_server(candidate: object) -> bool:
    return isinstance(candidate, MCPServer | Server)


def _unwrap(candidate: Any) -> Any:
    """Return the low-level server of a FastMCP object; any other object unchanged."""
    # mcp's client does not know the class FastMCP of the package fastmcp, which stores its low-level server in this
    # private attribute. The tests use a stand-in for it, not fastmcp itself.
    return getattr(candidate, "_mcp_server", candidate)


def _import_factory(ref: ServerRef, address: str) -> Any:
    module, _, attribute = address.partition(":")
    try:
        value: Any = import_module(module)
        for name in attribute.split("."):
            value = getattr(value, name)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        problem = f"its factory {address!r} cannot be imported: {_describe(error)}"
        if isinstance(error, RuntimeError) and "asyncio" in str(error):
            # `server.run()` of the SDK starts an event loop, and this thread has one.
            problem += f"; call run() below `if __name__ == '__main__':`, or start it with 'python -m {module}'"
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            problem += (
                "; it was looked for in sys.path, which lacks the directory of the task file: name that of the module "
                "in `pythonpath` in pytest's configuration, or start the server as a process, `server: python FILE.py`"
            )
        raise _problem(ref, problem) from error
    return value


def _call_factory(ref: ServerRef, factory: Callable[..., Any], world: WorldOf | None) -> Any:
    arguments = (_world(ref, world),) if _takes_world(factory, ref.settings) else ()
    try:
        with reused_tools():
            return factory(*arguments, **ref.settings)
    except SandboxError as error:
        raise _problem(ref, str(error)) from error
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        raise _problem(ref, f"its factory raised {_describe(error)}") from error


def _takes_world(factory: Callable[..., Any], settings: dict[str, Any]) -> bool:
    first = next(iter(inspect.signature(factory).parameters.values()), None)
    if first is None or first.name in settings or first.kind not in _POSITIONAL:
        return False
    return first.name == "world" or first.default is inspect.Parameter.empty


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _world(ref: ServerRef, world: WorldOf | None) -> Any:
    if world is None:
        raise _problem(ref, "its factory takes a world, so it cannot be shared; set state = 'per_task'")
    return world()


def _problem(ref: ServerRef, problem: str) -> ServerError:
    return ServerError(problem, ref.name, "configure")


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


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
        """Return warnings about behaviour that this client tolerates."""
        ...

    def report_error(self, error: MCPError) -> bool:
        """Report the error of a request; return whether it means that the connection is lost."""
        ...

    def lost_reply(self, error: BaseException) -> str:
        """Return the unreadable text that the server sent instead of a reply; empty if there is none."""
        ...

    async def diagnostics(self) -> ConnectionDiagnostics:
        """Return what is known about a failure of the connection."""
        ...


@dataclass(frozen=True)
class ConnectionContext:
    """Surroundings in which a connection is opened: those of one attempt, or of all attempts for a shared server."""

    suite_directory: Path
    default_directory: Callable[[], Path]
    """Function that returns the working directory of a command that has none in its configuration, and makes it."""
    watchdog: Watchdog
    world: WorldOf | None = None
    roots: Callable[[], tuple[Path, ...]] = tuple
    """Function that returns the directories in the answer to ``roots/list``."""
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
    default = context.default_directory()
    directory = working_directory(ref, suite_directory=suite_directory, default=default)
    command = command_line(ref, environment, directory=directory, suite_directory=suite_directory)
    process = ServerProcess(
        context.isolation.wrap(
            command,
            ref,
            directory=directory,
            suite_directory=suite_directory,
            writable=() if ref.is_shared or directory != default else (directory,),
        ),
        environment=environment,
        directory=directory,
        watchdog=context.watchdog,
        zygote=_zygote(ref, command, environment, directory, context),
        secrets=secrets_of_server(ref),
    )
    return StdioTransport(process)


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

    @property
    def is_lost(self) -> bool:
        return self.target.is_lost

    @property
    def pid(self) -> int | None:
        return self.target.pid

    def warnings(self, server: str) -> tuple[str, ...]:
        early = self.target.output_before_first_message
        _, lines = self.target.stray_output
        noise = {"before its first message": early, "between its messages": lines[len(early) :]}
        return tuple(
            f"server {server!r} wrote to stdout {moment}, for example {written[0]!r}. Clients that are less tolerant "
            "close the connection: write logs to stderr."
            for moment, written in noise.items()
            if written
        )

    def report_error(self, error: MCPError) -> bool:
        return is_closed_connection(error)

    def lost_reply(self, error: BaseException) -> str:
        if isinstance(error, TimeoutError):
            self.target.report_lost_reply()
        return self.target.lost_reply

    async def diagnostics(self) -> ConnectionDiagnostics:
        await self.target.settle()
        return ConnectionDiagnostics(hint=self._hint(), stderr=self.target.stderr, returncode=self.target.returncode)

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
    from pytest_mcpbench.servers.oauth import RunOAuth, stored_oauth

    return stored_oauth(ref) if ref.auth == "oauth" else RunOAuth(ref, ref.auth)


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
    _is_modern: bool = field(default=False, init=False)
    _replies: HttpReplies = field(init=False)

    def __post_init__(self) -> None:
        self._replies = HttpReplies(secrets_of_server(self.ref), is_old=self.ref.transport == "sse")

    @property
    def target(self) -> Any:
        return self._streams()

    def warnings(self, _server: str) -> tuple[str, ...]:
        return ()

    def report_error(self, error: MCPError) -> bool:
        # Up to protocol 2025-11-25 an error status means a problem with the session or in front of the server. Since
        # 2026-07-28 a server also answers ordinary protocol errors with 400 or 404.
        if not is_closed_connection(error) and (self._is_modern or not self._bad_status):
            return False
        self.is_lost = True
        return True

    def settle_era(self, *, is_modern: bool) -> None:
        """Learn the era after the handshake; forget the status with which a server of the earlier one has refused."""
        self._replies.is_connected = True
        self._is_modern = is_modern
        self._bad_status = ""

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
            async with (
                sse_client(url, httpx_client_factory=self._http_client) as streams,
                self._replies.separate_streams(*streams) as watched,
            ):
                yield watched
            return
        async with (
            self._http_client() as client,
            # The size of an event is bounded with the body.
            streamable_http_client(url, http_client=client, max_sse_event_size=None) as streams,
        ):
            yield self._replies.streams(*streams)

    def _http_client(self, *_: Any, **__: Any) -> Any:
        """Return an HTTP client without a read timeout; the arguments that mcp passes are ignored."""
        return RequestClient(
            self._replies,
            headers={"Accept-Encoding": ENCODINGS, **self.headers},
            auth=self.auth,
            timeout=http_timeout(self.ref.timeouts.start_seconds),
            event_hooks={"response": [self._record_status]},
        )

    def _is_of_one_message(self, response: Any) -> bool:
        """Return whether a status after the handshake says nothing about later requests: a loss, or a notification."""
        if not self._replies.is_connected:
            return False
        is_loss = response.status_code in LOST_STATUS
        request = response.request
        return is_loss or (is_message(request) and self._replies.substitute(request, CLOSED) is None)

    async def _record_status(self, response: Any) -> None:
        self._replies.watch_body(response)
        # Only of POST: servers without a stream of notifications answer the client's GET with 405.
        is_refused = response.status_code >= 400 and response.request.method == "POST"
        if is_refused and not self._is_of_one_message(response):
            url = public_url(str(self.ref.url))
            self._bad_status = f"HTTP {response.status_code} {response.reason_phrase} from {url}"
            challenge = response.headers.get("www-authenticate", "")
            if response.status_code == 401 and self.auth is None and "resource_metadata" in challenge:
                self._bad_status += f'; it asks for OAuth: run `mcpbench login {url}` and set auth = "oauth"'
