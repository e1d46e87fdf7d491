"""Recording proxies of all servers of an attempt."""

import errno
import re
import secrets
import socket
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.lowlevel import Server

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.agent import AgentEnvironment
from pytest_mcpbench.runtime.external_agents.call_recorder import CallRecorder, tools_of_servers
from pytest_mcpbench.runtime.external_agents.http_proxy import serve_http
from pytest_mcpbench.runtime.external_agents.proxy_server import proxy_server
from pytest_mcpbench.runtime.external_agents.proxy_settings import BRIDGE, HOST, ProxiedServer, ProxySettings
from pytest_mcpbench.runtime.external_agents.stdio_proxy import serve_commands


@asynccontextmanager
async def open_proxies(
    arena: AgentEnvironment, recorder: CallRecorder, settings: ProxySettings
) -> AsyncIterator[tuple[ProxiedServer, ...]]:
    """Serve a proxy for each server with exposed tools, on the loopback interface, until the context ends.

    Raises:
        UsageError: the port is taken.
    """
    tools = tools_of_servers(arena.tools)
    names = _plain_names(tools)
    servers = {
        names[server]: proxy_server(server, each, recorder, settings, arena.instructions(server))
        for server, each in tools.items()
    }
    listed = {names[server]: _listed(each, settings) for server, each in tools.items()}
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
        yield tuple(_command(name, listed[name], address, token) for name in servers)


def _command(name: str, tools: tuple[str, ...], address: str, token: str) -> ProxiedServer:
    environment = {"MCPBENCH_PROXY": address, "MCPBENCH_PROXY_TOKEN": f"{token} {name}"}
    return ProxiedServer(name, tools, command=BRIDGE, environment=environment)


def _listed(tools: Iterable[Any], settings: ProxySettings) -> tuple[str, ...]:
    return tuple(tool.tool if settings.tool_names == "own" else tool.name for tool in tools)


def _plain_names(servers: Iterable[str]) -> dict[str, str]:
    """Return a name for each server that every program accepts."""
    names: dict[str, str] = {}
    for server in servers:
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", server)
        candidates = (plain, *(f"{plain}_{number}" for number in range(2, 1000)))
        names[server] = next(name for name in candidates if name not in names.values())
    return names
