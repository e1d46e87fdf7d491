"""Running a simulated server as a process of its own, over stdio or streamable HTTP."""

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anyio

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.sandbox import Ids, World, clock
from pytest_mcpbench.simulated.catalogue import SERVERS

if TYPE_CHECKING:
    from mcp.server import Server


def serve(  # noqa: PLR0913 (each is an option of the command)
    name: str,
    *,
    transport: Literal["stdio", "http"] = "stdio",
    host: str = "127.0.0.1",
    port: int = 8000,
    seed: Path | str | None = None,
    now: str | None = None,
) -> None:
    """Serve until the client leaves (stdio) or the process is ended (HTTP, at ``/mcp``).

    The world begins as the JSON file ``seed`` says, or as the server's own; its files are in the working directory, and
    its resources ``mcpbench://world`` and ``mcpbench://world/before`` have its tree. All clients of an HTTP server see
    the same world.
    """
    server = made(name, world(name, seed=seed, now=now))
    if transport == "stdio":
        anyio.run(_over_stdio, server)
    else:
        anyio.run(_over_http, server, host, port)


def world(name: str, *, seed: Path | str | None = None, now: str | None = None) -> World:
    """A world in the working directory that belongs to no task."""
    tree = None if seed is None else _tree(Path(seed))
    return World(name=name, path=Path.cwd(), now=clock(now), ids=Ids(f"serve/{name}"), seed=tree)


def made(name: str, world: World) -> "Server[Any]":
    """The server of the catalogue with the name, on the world."""
    if name not in SERVERS:
        raise UsageError(f"no simulated server is called {name!r}; there are: {', '.join(sorted(SERVERS))}.")
    module, _, attribute = SERVERS[name].partition(":")
    server: Server[Any] = getattr(import_module(module), attribute)(world)
    return server


def _tree(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"the seed {file} cannot be read as JSON: {error}") from error


async def _over_stdio(server: "Server[Any]") -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _over_http(server: "Server[Any]", host: str, port: int) -> None:
    import uvicorn

    app = server.streamable_http_app(host=host)
    await uvicorn.Server(uvicorn.Config(app, host=host, port=port, log_level="warning")).serve()
