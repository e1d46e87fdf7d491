"""Proxies of an attempt for programs that start their servers: each command connects back to this process."""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

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
                await incoming_send.send(_message(line))

    async def write() -> None:
        async for message in outgoing_receive:
            writer.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await writer.drain()

    async with anyio.create_task_group() as group, incoming, outgoing, outgoing_receive:
        group.start_soon(read)
        group.start_soon(write)
        await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error
