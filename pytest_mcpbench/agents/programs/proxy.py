"""Recording proxies of all servers of an attempt."""

import asyncio
import errno
import re
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, TypeAdapter
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.programs.call_recorder import CallRecorder, tools_of_servers
from pytest_mcpbench.agents.programs.program_client import OpenRounds, ProgramClient, RequestingClient, open_rounds
from pytest_mcpbench.agents.programs.proxy_settings import BRIDGE, HOST, ProxiedServer, ProxySettings
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.frozen import DEFERRED
from pytest_mcpbench.core.prompt import NOT_MADE
from pytest_mcpbench.core.tool import CallRecord, Content, ContextMethod, ToolResult, ToolSpec
from pytest_mcpbench.servers.open_call import CALLING_CLIENT

# Proxies of an attempt at URLs of the loopback interface, which contain a random token.


@asynccontextmanager
async def serve_http(servers: Mapping[str, "Server[Any]"], token: str, listener: socket.socket) -> AsyncIterator[str]:
    """Serve MCP servers over streamable HTTP; yield the URL to which the name of a server is appended.

    Args:
        servers: Servers by name.
        token: Part of the URL that nobody can guess.
        listener: Socket on which they are served.
    """
    managers: dict[str, StreamableHTTPSessionManager] = {}

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        manager = managers.get(scope["path"].rstrip("/"))
        if manager is None:
            await PlainTextResponse("Not found", status_code=404)(scope, receive, send)
        else:
            await manager.handle_request(scope, receive, send)

    async with AsyncExitStack() as exits:
        for name, server in servers.items():
            # Requests of pages in a browser are refused.
            security = TransportSecuritySettings(enable_dns_rebinding_protection=True, allowed_hosts=[f"{HOST}:*"])
            # Replies are streams, in which a server can report progress and ask its client something.
            manager = StreamableHTTPSessionManager(server, security_settings=security)
            await exits.enter_async_context(manager.run())
            managers[f"/{token}/{name}"] = manager
        async with _serving(application, listener):
            yield f"http://{HOST}:{listener.getsockname()[1]}/{token}/"


class _Server(uvicorn.Server):
    """Server on an event loop that it shares; it leaves signals to the process."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_ready = anyio.Event()
        self.is_over = anyio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_ready.set()

    async def main_loop(self) -> None:
        # Not the loop of uvicorn, which checks ten times a second whether it should end.
        await self.on_tick(0)
        await self.is_over.wait()


@asynccontextmanager
async def _serving(application: ASGIApp, listener: socket.socket) -> AsyncIterator[None]:
    config = uvicorn.Config(
        application,
        log_config=None,
        log_level="critical",
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
    )
    server = _Server(config)
    async with anyio.create_task_group() as group:
        group.start_soon(server.serve, [listener])
        await server.is_ready.wait()
        try:
            yield
        finally:
            # The program has ended, so that nobody reads the streams that it left open.
            server.force_exit = True
            server.is_over.set()


# Proxies of an attempt for programs that start their servers: each command connects back to this process.

_LONGEST_LINE = 64 * 2**20


@asynccontextmanager
async def serve_commands(
    servers: Mapping[str, "Server[Any]"], token: str, listener: socket.socket
) -> AsyncIterator[None]:
    """Serve MCP servers to bridges, which name token and server in their first line."""
    async with anyio.create_task_group() as group:
        connections: list[asyncio.StreamWriter] = []
        accepted: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connections.append(writer)
            accepted.put_nowait((reader, writer))

        async def serve_accepted() -> None:
            # A callback of asyncio runs outside of any task, where anyio cannot start one.
            while True:
                group.start_soon(_serve_connection, servers, token, *await accepted.get())

        group.start_soon(serve_accepted)
        server = await asyncio.start_server(accept, sock=listener, limit=_LONGEST_LINE)
        try:
            yield
        finally:
            server.close()
            for writer in connections:
                writer.close()
            group.cancel_scope.cancel()


async def _serve_connection(
    servers: Mapping[str, "Server[Any]"], token: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    with suppress(OSError, ValueError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        given, _, name = (await reader.readline()).decode(errors="replace").strip().partition(" ")
        if secrets.compare_digest(given.encode(), token.encode()) and name in servers:
            await _serve_streams(servers[name], reader, writer)
    writer.close()


async def _serve_streams(server: "Server[Any]", reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    incoming_send, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, outgoing_receive = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        async with incoming_send:
            while line := await reader.readline():
                message: SessionMessage | Exception
                try:
                    message = SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
                except ValueError as error:
                    message = error
                await incoming_send.send(message)

    async def write() -> None:
        async for message in outgoing_receive:
            writer.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await writer.drain()

    async with anyio.create_task_group() as group, incoming, outgoing, outgoing_receive:
        group.start_soon(read)
        group.start_soon(write)
        await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


# MCP server that stands for one server of an attempt: it lists the exposed tools and relays the calls.


class _ChangingServer(Server[Any]):
    """Server that declares that its tools may change."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *others: Any, **named: Any
    ) -> InitializationOptions:
        changing = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(changing, *others, **named)


def proxy_server(facts: ServerFacts, recorder: CallRecorder, settings: ProxySettings) -> "Server[Any]":
    """Return the MCP server of a proxy.

    Args:
        facts: What the server tells about itself; its resources and prompts are passed on, if it has any.
        recorder: Executor of the calls, which knows the exposed tools.
        settings: Names of the tools, and the length of their results.
    """
    name = facts.name

    async def list_tools(context: ServerRequestContext[Any], _parameters: object) -> types.ListToolsResult:
        accepts_any = _accepts_any_type(context)
        tools = [_tool(tool, settings, accepts_any=accepts_any) for tool in recorder.list_tools(name)]
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        context: ServerRequestContext[OpenRounds], parameters: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        async def call(client: ProgramClient) -> types.CallToolResult:
            CALLING_CLIENT.set(client)
            record = await recorder.call(name, parameters.name, parameters.arguments or {})
            if record.result is not None and record.result.relisted is not None:
                await client.context.session.send_tool_list_changed()
            return _result(record, settings.result_characters, accepts_any=_accepts_any_type(context))

        answers = settings.answering == "program"
        if answers and not context.session.can_send_request:
            return await context.lifespan_context.call(context, parameters, call)
        return await call(RequestingClient(context, answers=answers))

    server = _ChangingServer(
        name,
        instructions=facts.instructions or None,
        lifespan=open_rounds,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    for capability, methods in _CONTEXT.items():
        for method, parameters, result in methods if capability in facts.capabilities else ():
            server.add_request_handler(method, parameters, _relay(name, method, result, recorder))
    return server


_CONTEXT: Mapping[str, Sequence[tuple[ContextMethod, type[BaseModel], type[BaseModel]]]] = {
    "resources": (
        ("resources/list", types.PaginatedRequestParams, types.ListResourcesResult),
        ("resources/templates/list", types.PaginatedRequestParams, types.ListResourceTemplatesResult),
        ("resources/read", types.ReadResourceRequestParams, types.ReadResourceResult),
    ),
    "prompts": (
        ("prompts/list", types.PaginatedRequestParams, types.ListPromptsResult),
        ("prompts/get", types.GetPromptRequestParams, types.GetPromptResult),
    ),
}
"""Requests by the capability to which they belong, with the types of their parameters and results."""


def _relay(
    server: str, method: ContextMethod, kind: type[BaseModel], recorder: CallRecorder
) -> Callable[[ServerRequestContext[Any], BaseModel | None], Awaitable[BaseModel]]:
    async def relay(_context: ServerRequestContext[Any], parameters: BaseModel | None) -> BaseModel:
        named = {"uri", "name", "arguments"}
        arguments = {} if parameters is None else parameters.model_dump(mode="json", include=named)
        result = await recorder.request(server, method, arguments)
        if result.is_error:
            raise MCPError(types.INVALID_PARAMS, result.text)
        if method == "resources/read":
            return kind.model_validate({"contents": [_resource(block) for block in result.content]})
        return kind.model_validate(result.structured)

    return relay


def _accepts_any_type(context: ServerRequestContext[Any]) -> bool:
    """Return whether the client knows structured results that are no objects, as the protocol does since 2026-07-28."""
    return context.session.protocol_version in MODERN_PROTOCOL_VERSIONS


def _tool(tool: ToolSpec, settings: ProxySettings, *, accepts_any: bool) -> types.Tool:
    is_object = (tool.output_schema or {}).get("type") == "object"
    # A client checks structured results against it, and results that are cut have none.
    has_schema = settings.result_characters is None and (is_object or accepts_any)
    # The listing of a recorded server is not stored.
    listing = tool.listing or {"title": tool.annotations.get("title"), "annotations": tool.annotations or None}
    own = {
        "name": tool.tool if settings.tool_names == "own" else tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema if has_schema else None,
    }
    return types.Tool.model_validate({**listing, **own}, by_name=False)


def _result(record: CallRecord, most_characters: int | None, *, accepts_any: bool) -> types.CallToolResult:
    result = record.result or ToolResult.failure(NOT_MADE, "protocol")
    if most_characters is not None:
        return types.CallToolResult(content=_cut(result.content, most_characters), is_error=result.is_error)
    structured = result.structured if accepts_any or isinstance(result.structured, dict) else None
    return types.CallToolResult(
        content=[_block(block) for block in result.content],
        structured_content=structured,
        is_error=result.is_error,
        _meta=result.meta or None,
    )


def _cut(content: tuple[Content, ...], most: int) -> list[types.ContentBlock]:
    """Return the blocks with at most that many characters of text, with a note where they are cut."""
    blocks: list[types.ContentBlock] = []
    for block in content:
        text = block.text or ""
        if len(text) > most:
            note = f"\n[cut: {most} of {len(text)} characters are shown]"
            return [*blocks, types.TextContent(text=text[:most] + note)]
        most -= len(text)
        blocks.append(_block(block))
    return blocks


_BLOCK: TypeAdapter[types.ContentBlock] = TypeAdapter(types.ContentBlock, config=DEFERRED)


def _block(block: Content) -> types.ContentBlock:
    own: dict[str, object]
    if block.type in ("image", "audio"):
        media = block.mime_type or "application/octet-stream"
        own = {"type": block.type, "data": block.data or "", "mimeType": media}
    elif block.type == "resource":
        own = {"type": "resource", "resource": _resource(block)}
    # The text of a link describes it for models; older recordings of one have no name, which the protocol needs.
    elif block.type == "resource_link" and "name" in block.listing:
        own = {"type": "resource_link", "uri": block.uri, "mimeType": block.mime_type}
    else:
        own = {"type": "text", "text": block.text or ""}
    return _BLOCK.validate_python({**block.listing, **own}, by_name=False)


def _resource(block: Content) -> types.TextResourceContents | types.BlobResourceContents:
    uri = block.uri or "resource:"
    if block.text is not None:
        return types.TextResourceContents(uri=uri, mime_type=block.mime_type, text=block.text)
    return types.BlobResourceContents(uri=uri, mime_type=block.mime_type, blob=block.data or "")


@asynccontextmanager
async def open_proxies(
    arena: AgentEnvironment, recorder: CallRecorder, settings: ProxySettings
) -> AsyncIterator[tuple[ProxiedServer, ...]]:
    """Serve a proxy for each server with exposed tools, on the loopback interface, until the context ends.

    Raises:
        UsageError: the port is taken.
    """
    tools = tools_of_servers(arena.tools)
    names = plain_names(tools)
    facts = {each.name: each for each in arena.servers}
    servers = {
        names[server]: proxy_server(facts.get(server, ServerFacts(name=server)), recorder, settings) for server in tools
    }
    has_own_names = settings.tool_names == "own"
    listed = {
        names[server]: tuple(tool.tool if has_own_names else tool.name for tool in each)
        for server, each in tools.items()
    }
    with listen(settings.port) as listener:
        async with _serve(servers, listed, settings, listener) as proxied:
            yield proxied


def listen(port: int) -> socket.socket:
    """Return a socket that listens on a port of the loopback interface; 0 is a free one.

    Raises:
        UsageError: the port is taken.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        raise UsageError(f"port {port} of {HOST} is taken; choose another one, or 0 for a free one") from None
    return listener


@asynccontextmanager
async def _serve(
    servers: Mapping[str, "Server[Any]"],
    listed: Mapping[str, tuple[str, ...]],
    settings: ProxySettings,
    listener: socket.socket,
) -> AsyncIterator[tuple[ProxiedServer, ...]]:
    token = secrets.token_urlsafe(24)
    if settings.transport == "http":
        async with serve_http(servers, token, listener) as url:
            yield tuple(ProxiedServer(name, listed[name], url=url + name) for name in servers)
        return
    address = f"{HOST}:{listener.getsockname()[1]}"
    async with serve_commands(servers, token, listener):
        variables = {name: {"MCPBENCH_PROXY": address, "MCPBENCH_PROXY_TOKEN": f"{token} {name}"} for name in servers}
        yield tuple(ProxiedServer(name, listed[name], command=BRIDGE, environment=variables[name]) for name in servers)


def plain_names(servers: Iterable[str]) -> dict[str, str]:
    """Return a name for each server that every program accepts."""
    names: dict[str, str] = {}
    for server in servers:
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", server)
        candidates = (plain, *(f"{plain}_{number}" for number in range(2, 1000)))
        names[server] = next(name for name in candidates if name not in names.values())
    return names
