"""Proxies of an attempt at URLs of the loopback interface, which contain a random token."""

import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pytest_mcpbench.runtime.external_agents.proxy_settings import HOST


@asynccontextmanager
async def serve_http(servers: Mapping[str, "Server[Any]"], token: str, listener: socket.socket) -> AsyncIterator[str]:
    """Serve MCP servers over streamable HTTP; yield the URL to which the name of a server is appended."""
    async with AsyncExitStack() as exits:
        managers = {}
        for name, server in servers.items():
            manager = StreamableHTTPSessionManager(server, json_response=True, security_settings=_only_loopback())
            await exits.enter_async_context(manager.run())
            managers[f"/{token}/{name}"] = manager
        async with _serving(_application(managers), listener):
            yield f"http://{HOST}:{listener.getsockname()[1]}/{token}/"


def _only_loopback() -> TransportSecuritySettings:
    """Return settings that refuse requests of pages in a browser."""
    return TransportSecuritySettings(enable_dns_rebinding_protection=True, allowed_hosts=[f"{HOST}:*"])


def _application(managers: Mapping[str, StreamableHTTPSessionManager]) -> ASGIApp:
    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        manager = managers.get(scope["path"].rstrip("/"))
        if manager is None:
            await PlainTextResponse("Not found", status_code=404)(scope, receive, send)
        else:
            await manager.handle_request(scope, receive, send)

    return application


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
