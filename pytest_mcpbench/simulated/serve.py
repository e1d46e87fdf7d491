"""Running a simulated server as a process of its own, over stdio or streamable HTTP."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anyio

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.sandbox import Ids, World, clock
from pytest_mcpbench.core.suggestions import did_you_mean
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
    """The server of the catalogue with the name, or of somebody's own factory, on the world.

    A factory is ``module:attribute``, or the path of a Python file in which it is called ``server``.
    """
    if name not in SERVERS and ":" not in name and not name.endswith(".py"):
        raise UsageError(unknown(name))
    try:
        factory = _factory(name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the server {name!r} cannot be imported: {error}") from error
    server: Server[Any] = factory(world)
    return server


def unknown(name: str) -> str:
    """Return an error message that suggests the servers whose names begin with the name or are near, and lists all."""
    longer = [known for known in SERVERS if known.startswith(f"{name}_")]
    question = did_you_mean(longer[0] if longer else name, SERVERS)
    every = f"There are: {', '.join(sorted(SERVERS))}."
    return " ".join(filter(None, (f"no simulated server is called {name!r}.", question, every)))


def _factory(name: str) -> Any:
    if name.endswith(".py"):
        file = Path(name).resolve()
        sys.path.insert(0, str(file.parent))
        return import_module(file.stem).server
    module, _, attribute = SERVERS.get(name, name).partition(":")
    return getattr(import_module(module), attribute)


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
