"""Client that sends single JSON-RPC messages to a server, without the corrections of a complete MCP client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import anyio
import mcp_types as types
from mcp.server import MCPServer
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage

from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.runtime.servers.server_process import ServerProcess
from pytest_mcpbench.runtime.servers.transports import ConnectionContext, make_transport

PROTOCOL = "2025-11-25"
"""Version that the client offers."""


class NoReplyError(Exception):
    """Error for a reply that did not come in time, or not before the connection ended."""


@dataclass(frozen=True)
class Reply:
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
    _ids: Any = field(default_factory=lambda: count(1))

    async def request(self, method: str, params: dict[str, Any] | None = None, *, id: str | int | None = None) -> Reply:  # noqa: A002  # the protocol's word
        """Send a request and return its reply. Raises NoReplyError if there is none."""
        request_id = next(self._ids) if id is None else id
        # A member that is set to None would be sent as null, which servers refuse.
        given = {} if params is None else {"params": params}
        request = types.JSONRPCRequest(jsonrpc="2.0", id=request_id, method=method, **given)
        try:
            with anyio.fail_after(self.seconds):
                await self.outgoing.send(SessionMessage(request))
                return await self._reply_to(request_id)
        except TimeoutError:
            raise NoReplyError(f"{method} was not answered within {self.seconds:g} seconds") from None
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise NoReplyError(f"the connection ended at {method}") from None

    async def notify(self, method: str) -> None:
        """Send a notification."""
        await self.outgoing.send(SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method=method)))

    async def initialize(self, version: str = PROTOCOL) -> Reply:
        """Send ``initialize`` and, if a result comes, ``notifications/initialized``."""
        client = {"name": "mcpbench", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        reply = await self.request("initialize", params)
        if reply.result is not None:
            await self.notify("notifications/initialized")
        return reply

    async def _reply_to(self, request_id: str | int) -> Reply:
        while True:
            received = await self.incoming.receive()
            message = getattr(received, "message", None)
            if isinstance(message, types.JSONRPCRequest):
                await self._refuse(message)
            elif isinstance(message, types.JSONRPCResponse) and str(message.id) == str(request_id):
                return Reply(message.id, result=message.result)
            elif isinstance(message, types.JSONRPCError) and str(message.id) in (str(request_id), "None"):
                return Reply(message.id, error_code=message.error.code, message=message.error.message)

    async def _refuse(self, request: types.JSONRPCRequest) -> None:
        """Answer a request of the server; this client offers no capability."""
        error = types.ErrorData(code=types.METHOD_NOT_FOUND, message="not offered")
        await self.outgoing.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=request.id, error=error)))


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
