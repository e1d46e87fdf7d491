"""Check of a server against the protocol: the life of a connection, its errors, and its end.

The rules are those of the MCP specification 2025-11-25 ("Lifecycle", "Ping", "Tools", "Pagination", "Transports") and
of JSON-RPC 2.0; of a server that knows no handshake, those of 2026-07-28 ("Discovery", "Versioning"). No tool is called
with arguments that its schema accepts.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp.server import MCPServer
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    encode_header_value,
)
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import ClientMessageMetadata, SessionMessage

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.protocol_findings import CHECKS, ProtocolFinding
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.secret_sources import public_url
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.metrics.comparison.schema import parameters
from pytest_mcpbench.servers.failures import describe_error, root_cause
from pytest_mcpbench.servers.server_process import ServerProcess
from pytest_mcpbench.servers.transports import ConnectionContext, make_transport
from pytest_mcpbench.servers.watchdog import Watchdog

# Client that sends single JSON-RPC messages to a server, without the corrections of a complete MCP client.

PROTOCOL = "2025-11-25"
"""Version that the client offers in a handshake."""
MODERN = "2026-07-28"
"""Version of requests without a handshake."""


class NoReplyError(Exception):
    """Error for a reply that did not come in time, or not before the connection ended."""


@dataclass(frozen=True)
class RequestReply:
    """Reply to a request: a result, or the code and message of an error."""

    id: str | int | None
    result: dict[str, Any] | None = None
    error_code: int | None = None
    message: str = ""


@dataclass
class Peer:
    """Connection over the streams of a transport."""

    incoming: Any
    outgoing: Any
    seconds: float
    """Time that a reply may take."""
    process: ServerProcess | None = None
    version: str | None = None
    """Version that each request states, as it does since 2026-07-28; ``None`` if a handshake does."""
    _ids: Any = field(default_factory=lambda: count(1))

    async def request(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        id: str | int | None = None,  # noqa: A002 (the protocol's word)
    ) -> RequestReply:
        """Send a request and return its reply. Raises NoReplyError if there is none."""
        request_id = next(self._ids) if id is None else id
        # A member that is set to None would be sent as null, which servers refuse.
        given: dict[str, Any] = {} if params is None else {"params": params}
        metadata = None
        if self.version is not None:
            meta = {
                types.PROTOCOL_VERSION_META_KEY: self.version,
                types.CLIENT_INFO_META_KEY: {"name": "mcpbench", "version": "1"},
                types.CLIENT_CAPABILITIES_META_KEY: {},
            }
            given = {"params": {**(params or {}), "_meta": meta}}
            # The HTTP headers of a request repeat what its body says.
            headers = {MCP_PROTOCOL_VERSION_HEADER: self.version, MCP_METHOD_HEADER: method}
            if params and "name" in params:
                headers[MCP_NAME_HEADER] = encode_header_value(params["name"])
            metadata = ClientMessageMetadata(headers=headers)
        request = types.JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method, **given)
        try:
            with anyio.fail_after(self.seconds):
                await self.outgoing.send(SessionMessage(request, metadata=metadata))
                return await self._reply_to(request_id)
        except TimeoutError:
            raise NoReplyError(f"{method} was not answered within {self.seconds:g} seconds") from None
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise NoReplyError(f"the connection ended at {method}") from None

    async def notify(self, method: str) -> None:
        """Send a notification."""
        await self.outgoing.send(SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method=method)))

    async def initialize(self, version: str = PROTOCOL) -> RequestReply:
        """Send ``initialize`` and, if a result comes, ``notifications/initialized``."""
        client = {"name": "mcpbench", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        reply = await self.request("initialize", params)
        if reply.result is not None:
            await self.notify("notifications/initialized")
        return reply

    async def _reply_to(self, request_id: str | int) -> RequestReply:
        while True:
            received = await self.incoming.receive()
            message = getattr(received, "message", None)
            if isinstance(message, types.JSONRPCRequest):
                # This client offers no capability.
                error = types.ErrorData(code=types.METHOD_NOT_FOUND, message="not offered")
                await self.outgoing.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=message.id, error=error)))
            elif isinstance(message, types.JSONRPCResponse) and str(message.id) == str(request_id):
                return RequestReply(message.id, result=message.result)
            elif isinstance(message, types.JSONRPCError) and str(message.id) in (str(request_id), "None"):
                return RequestReply(message.id, error_code=message.error.code, message=message.error.message)


@asynccontextmanager
async def open_peer(ref: ServerRef, context: ConnectionContext, *, seconds: float) -> AsyncIterator[Peer]:
    """Start the server or connect to it. Raises ServerError if its definition cannot work."""
    transport = make_transport(ref, context)
    if ref.transport == "in_process":
        async with _in_process(transport.target, seconds) as peer:
            yield peer
        return
    async with transport.target as streams:
        process = transport.target if isinstance(transport.target, ServerProcess) else None
        yield Peer(streams[0], streams[1], seconds, process)


@asynccontextmanager
async def _in_process(server: Any, seconds: float) -> AsyncIterator[Peer]:
    low_level = server._lowlevel_server if isinstance(server, MCPServer) else server
    async with create_client_server_memory_streams() as (ours, theirs), anyio.create_task_group() as group:
        group.start_soon(low_level.run, *theirs, low_level.create_initialization_options())
        yield Peer(*ours, seconds)
        group.cancel_scope.cancel()


_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
_UNSUPPORTED_VERSION = -32022
_NO_VERSION = "1999-12-31"
_METHOD_NOT_FOUND = -32601
_MOST_PAGES = 1000
_SHUTDOWN_SECONDS = 10.0
"""Longer than clients wait, so that a server which ends at once passes on a busy machine, too."""
_REPLY_SECONDS = 10.0
"""Time that each reply may take after the start."""
_UNKNOWN_TOOL = "mcpbench_no_such_tool"


class ProtocolFault(Exception):  # noqa: N818  # a fault of the server, which the check catches
    """A rule that the server breaks."""


class _Advice(Exception):  # noqa: N818
    """A recommendation that the server does not follow."""


class _NotApplicable(Exception):  # noqa: N818
    """The reason why a check does not apply to the server."""


@dataclass
class _Session:
    """An initialized connection, with the facts about the server that the checks share."""

    peer: Peer
    capabilities: dict[str, Any] = field(default_factory=dict)
    tools: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_modern(self) -> bool:
        return self.peer.version is not None


async def check_protocol(ref: ServerRef, *, directory: Path | None = None) -> tuple[ProtocolFinding, ...]:
    """Return a finding for each check, in their order.

    Args:
        ref: Server to check; it is started two or three times.
        directory: Base of its relative paths; by default the working directory.

    Raises:
        ServerError: the server cannot be started.
    """
    watchdog = Watchdog()
    try:
        with TemporaryDirectory(prefix="mcpbench-") as scratch:
            path = Path(scratch).resolve()
            start = (directory or Path.cwd()) / (ref.definition_directory or ".")
            context = ConnectionContext(
                suite_directory=start,
                default_directory=lambda: path,
                watchdog=watchdog,
                world=lambda: Sandbox(path=path).world(ref.name),
                roots=lambda: (path,),
            )
            found = {finding.check: finding for finding in await _findings(ref, context)}
    except* httpx2.TransportError as errors:
        url = public_url(ref.url or "")
        raise ServerError(f"{url}: {describe_error(root_cause(errors))}", ref.name, "start") from None
    finally:
        watchdog.close()
    return tuple(found.get(check) or ProtocolFinding(check, "skipped", "an earlier check failed") for check in CHECKS)


async def _findings(ref: ServerRef, context: ConnectionContext) -> list[ProtocolFinding]:
    private = ref.model_copy(update={"state": "per_task"})
    seconds = ref.timeouts.start_seconds
    async with open_peer(private, context, seconds=seconds) as peer:
        unknown_version = await _finding("unknown-version", _unknown_version, peer)
    async with open_peer(private, context, seconds=seconds) as peer:
        session = _Session(peer)
        initialize = await _finding("initialize", _initialize, session)
        if initialize.verdict != "fault":
            era = "with a handshake; it was not asked for the protocol without one"
            discover = ProtocolFinding("discover", "skipped", "the server is asked with a handshake")
            if private.transport in ("stdio", "http"):
                discover, era = await _discovery_beside_handshake(private, context)
            shared = [ProtocolFinding("era", "ok", era), discover, initialize, unknown_version]
            return [*shared, *[each async for each in _in_session(session)], *await _end(peer)]
    modern = await _modern_findings(private, context)
    return modern or [ProtocolFinding("era", "fault", "neither of them"), initialize, unknown_version]


async def _discovery_beside_handshake(ref: ServerRef, context: ConnectionContext) -> tuple[ProtocolFinding, str]:
    """Return what a server that knows the handshake answers to discovery, and the eras that it speaks."""
    async with open_peer(ref, context, seconds=min(ref.timeouts.start_seconds, _REPLY_SECONDS)) as peer:
        peer.version = MODERN
        finding = await _finding("discover", _discover, _Session(peer))
    if finding.verdict == "ok":
        return finding, f"both: with a handshake, and {MODERN}"
    return ProtocolFinding("discover", "skipped", "the server speaks the protocol with a handshake only"), (
        f"with a handshake only, not {MODERN}"
    )


async def _modern_findings(ref: ServerRef, context: ConnectionContext) -> list[ProtocolFinding]:
    """Return the findings about a server that knows no handshake; none if it does not answer discovery either."""
    async with open_peer(ref, context, seconds=ref.timeouts.start_seconds) as peer:
        peer.version = MODERN
        session = _Session(peer)
        discover = await _finding("discover", _discover, session)
        if discover.verdict != "ok":
            return []
        findings = [
            ProtocolFinding("era", "ok", f"without a handshake: {MODERN} only"),
            discover,
            *(ProtocolFinding(check, "skipped", f"{MODERN} has no {check}") for check in ("initialize", "ping")),
            await _finding("unknown-version", _unknown_stated_version, peer),
            ProtocolFinding("unknown-notification", "skipped", f"since {MODERN} clients send none but cancellations"),
        ]
        return [*findings, *[each async for each in _in_session(session)], *await _end(peer)]


async def _in_session(session: _Session) -> AsyncIterator[ProtocolFinding]:
    checks: dict[str, Callable[[_Session], Awaitable[None]]] = {
        **({} if session.is_modern else {"ping": _ping}),
        "unknown-method": _unknown_method,
        **({} if session.is_modern else {"unknown-notification": _unknown_notification}),
        "tools-list": _tools_list,
        "invalid-cursor": _invalid_cursor,
        "unknown-tool": _unknown_tool,
        "invalid-arguments": _invalid_arguments,
    }
    for name, check in checks.items():
        yield await _finding(name, check, session)


async def _finding(name: str, check: Callable[[Any], Awaitable[None]], subject: object) -> ProtocolFinding:
    try:
        await check(subject)
    except _NotApplicable as reason:
        return ProtocolFinding(name, "skipped", str(reason))
    except _Advice as advice:
        return ProtocolFinding(name, "warning", str(advice))
    except (ProtocolFault, NoReplyError) as fault:
        return ProtocolFinding(name, "fault", str(fault))
    return ProtocolFinding(name, "ok")


async def _unknown_version(peer: Peer) -> None:
    reply = await peer.initialize(_NO_VERSION)
    version = (reply.result or {}).get("protocolVersion")
    if reply.result is not None and version not in _VERSIONS:
        raise ProtocolFault(f"it accepts the protocol version {version!r}, which does not exist")


async def _unknown_stated_version(peer: Peer) -> None:
    peer.version = _NO_VERSION
    try:
        reply = await peer.request("tools/list", {})
    finally:
        peer.version = MODERN
    if reply.error_code != _UNSUPPORTED_VERSION:
        answer = f"error {reply.error_code}" if reply.result is None else "a result"
        raise ProtocolFault(f"it answers a request of version {_NO_VERSION} with {answer}, not {_UNSUPPORTED_VERSION}")


async def _discover(session: _Session) -> None:
    result = _result_of(await session.peer.request("server/discover", {}), "server/discover")
    versions = result.get("supportedVersions")
    if not isinstance(versions, list) or MODERN not in versions:
        raise ProtocolFault(f"supportedVersions must be a list with {MODERN}, not {versions!r}")
    if not isinstance(result.get("capabilities"), dict):
        raise ProtocolFault(f"capabilities must be an object, not {result.get('capabilities')!r}")
    session.capabilities = result["capabilities"]
    session.peer.seconds = min(session.peer.seconds, _REPLY_SECONDS)


async def _initialize(session: _Session) -> None:
    result = _result_of(await session.peer.initialize(), "initialize")
    if result.get("protocolVersion") not in _VERSIONS:
        problem = f"protocolVersion is {result.get('protocolVersion')!r} after {PROTOCOL!r}"
        raise ProtocolFault(f"{problem}; known are {', '.join(_VERSIONS)}")
    if not isinstance(result.get("capabilities"), dict):
        raise ProtocolFault(f"capabilities must be an object, not {result.get('capabilities')!r}")
    info = result.get("serverInfo")
    if not isinstance(info, dict) or not all(isinstance(info.get(key), str) for key in ("name", "version")):
        raise ProtocolFault(f"serverInfo must have the texts name and version, not {info!r}")
    session.capabilities = result["capabilities"]
    session.peer.seconds = min(session.peer.seconds, _REPLY_SECONDS)


async def _ping(session: _Session) -> None:
    for request_id in ("mcpbench-1", 7001):
        reply = await session.peer.request("ping", id=request_id)
        result = _result_of(reply, "ping")
        if {key for key in result if key != "_meta"}:
            raise ProtocolFault(f"the result of ping must be empty, not {result}")
        if type(reply.id) is not type(request_id):
            raise ProtocolFault(f"the id {request_id!r} came back as {reply.id!r}")


async def _unknown_method(session: _Session) -> None:
    reply = await session.peer.request("mcpbench/no_such_method")
    if reply.error_code is None:
        raise ProtocolFault(f"it answered with a result: {reply.result}")
    if reply.error_code != _METHOD_NOT_FOUND:
        # Servers on the Python SDK 1.x answer -32602, which their authors cannot change.
        raise _Advice(f"it answered with error {reply.error_code} ({reply.message}), not {_METHOD_NOT_FOUND}")


async def _unknown_notification(session: _Session) -> None:
    await session.peer.notify("notifications/mcpbench_no_such_notification")
    _result_of(await session.peer.request("ping"), "ping after it")


async def _tools_list(session: _Session) -> None:
    cursors: set[str] = set()
    params: dict[str, Any] = {}
    for _ in range(_MOST_PAGES):
        reply = await session.peer.request("tools/list", params)
        if reply.error_code == _METHOD_NOT_FOUND and "tools" not in session.capabilities:
            raise _NotApplicable("the server has no tools")
        page = _result_of(reply, "tools/list")
        if not isinstance(page.get("tools"), list):
            raise ProtocolFault(f"`tools` must be a list, not {page.get('tools')!r}")
        session.tools += [tool for tool in page["tools"] if isinstance(tool, dict)]
        cursor = page.get("nextCursor")
        if cursor is None:
            break
        if not isinstance(cursor, str) or cursor in cursors:
            raise ProtocolFault(f"nextCursor is {cursor!r}, which is no text or was given before")
        cursors.add(cursor)
        params = {"cursor": cursor}
    _check_tools(session)


def _check_tools(session: _Session) -> None:
    if session.tools and "tools" not in session.capabilities:
        raise ProtocolFault("it lists tools and does not declare the capability `tools`")
    names = [tool.get("name") for tool in session.tools]
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice:
        raise ProtocolFault(f"several tools are called {', '.join(twice)}")
    for tool in session.tools:
        _check_schema(tool, "inputSchema", is_object=True)
        if tool.get("outputSchema") is not None:
            # Since 2026-07-28 (SEP-2106) results may be of any type.
            _check_schema(tool, "outputSchema", is_object=not session.is_modern)


def _check_schema(tool: dict[str, Any], name: str, *, is_object: bool) -> None:
    from jsonschema import SchemaError
    from jsonschema.validators import validator_for

    schema = tool.get(name)
    if not isinstance(schema, dict) or (is_object and schema.get("type") != "object"):
        raise ProtocolFault(f"{tool.get('name')!r}: {name} must be a schema of type object, not {schema!r}"[:300])
    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        raise ProtocolFault(f"{tool.get('name')!r}: {name} is no JSON schema: {error.message}"[:300]) from None


async def _invalid_cursor(session: _Session) -> None:
    _require_tools(session)
    first = await session.peer.request("tools/list", {})
    if first.result is not None and first.result.get("nextCursor") is None:
        raise _NotApplicable("all tools are on one page, so that no client sends a cursor")
    reply = await session.peer.request("tools/list", {"cursor": "mcpbench-no-such-cursor"})
    if reply.error_code is None:
        raise _Advice("it answered with a page; the protocol recommends error -32602")


async def _unknown_tool(session: _Session) -> None:
    _require_tools(session)
    _require_error(await session.peer.request("tools/call", {"name": _UNKNOWN_TOOL, "arguments": {}}), _UNKNOWN_TOOL)


async def _invalid_arguments(session: _Session) -> None:
    _require_tools(session)
    demanding = [tool for tool in session.tools if parameters(tool.get("inputSchema") or {}).required]
    if not demanding:
        raise _NotApplicable("no tool requires an argument")
    harmless = [tool for tool in demanding if (tool.get("annotations") or {}).get("readOnlyHint") is True]
    name = (harmless or demanding)[0]["name"]
    reply = await session.peer.request("tools/call", {"name": name, "arguments": {}})
    _require_error(reply, f"{name} without arguments")


def _require_tools(session: _Session) -> None:
    if not session.tools:
        raise _NotApplicable("the server lists no tools")


def _require_error(reply: RequestReply, called: str) -> None:
    """Raise a fault unless the call was answered with an error of either kind."""
    if reply.error_code is None and (reply.result or {}).get("isError") is not True:
        raise ProtocolFault(f"the call of {called} was answered with a result that is no error: {reply.result}"[:300])


def _result_of(reply: RequestReply, method: str) -> dict[str, Any]:
    if reply.result is None:
        raise ProtocolFault(f"{method} was answered with error {reply.error_code}: {reply.message}")
    return reply.result


async def _end(peer: Peer) -> list[ProtocolFinding]:
    """Return the findings about a process: what it wrote to stdout, and whether it ends."""
    process = peer.process
    if process is None:
        why = "the server is no process of this client"
        return [ProtocolFinding(check, "skipped", why) for check in ("stdout", "shutdown")]
    number, lines = process.stray_output
    text = f"{number} lines are no messages, the first: {lines[0]!r}" if number else ""
    stdout = ProtocolFinding("stdout", "fault" if number else "ok", text)
    if await process.ends_after_eof(_SHUTDOWN_SECONDS):
        return [stdout, ProtocolFinding("shutdown", "ok")]
    late = f"it still ran {_SHUTDOWN_SECONDS:g} seconds after the end of its stdin"
    return [stdout, ProtocolFinding("shutdown", "fault", late)]
