"""Serving a simulated server as a separate process, over stdio or streamable HTTP."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import anyio

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.sandbox import Ids, World, parse_clock
from pytest_mcpbench.simulated.catalogue import SERVERS
from pytest_mcpbench.text.suggestions import did_you_mean

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
    """Serve until the client disconnects (stdio) or the process is ended (HTTP, at ``/mcp``).

    The world starts with the tree in the JSON file ``seed``, or with the server's own seed. Its files are in the
    working directory, and the resources ``mcpbench://world`` and ``mcpbench://world/before`` return its tree. All
    clients of an HTTP server share one world.
    """
    server = build_server(name, world(name, seed=seed, now=now))
    if transport == "stdio":
        anyio.run(_over_stdio, server)
    else:
        anyio.run(_over_http, server, host, port)


def world(name: str, *, seed: Path | str | None = None, now: str | None = None) -> World:
    """Return a world in the working directory that belongs to no task."""
    if seed is None:
        tree = None
    else:
        file = Path(seed)
        try:
            tree = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"the seed {file} cannot be read as JSON: {error}") from error
    return World(name=name, path=Path.cwd(), now=parse_clock(now), ids=Ids(f"serve/{name}"), seed=tree)


def build_server(name: str, world: World) -> "Server[Any]":
    """Build a server of the catalogue, or of a user's own factory, over the world.

    A factory is ``module:attribute``, or the path of a Python file that defines it as ``server``, or of a directory
    with such a ``server.py``.
    """
    if name not in SERVERS and ":" not in name and server_file(name) is None:
        raise UsageError(unknown_server_message(name))
    try:
        file = server_file(name)
        if file is not None:
            sys.path.insert(0, str(file.parent))
            factory = import_module(file.stem).server
        else:
            module, _, attribute = SERVERS.get(name, name).partition(":")
            factory = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the server {name!r} cannot be imported: {error}") from error
    server: Server[Any] = factory(world)
    return server


def server_file(name: str) -> Path | None:
    """Return the Python file that a path names, or ``server.py`` of a directory; ``None`` for any other name."""
    path = Path(name).resolve()
    if name.endswith(".py"):
        return path
    return path / "server.py" if (path / "server.py").is_file() else None


def unknown_server_message(name: str) -> str:
    """Return the error message for an unknown server name, with similar names and the list of all."""
    longer = [known for known in SERVERS if known.startswith(f"{name}_")]
    suggestion = did_you_mean(longer[0] if longer else name, SERVERS)
    every = f"There are: {', '.join(sorted(SERVERS))}."
    return " ".join(filter(None, (f"no simulated server is called {name!r}.", suggestion, every)))


async def _over_stdio(server: "Server[Any]") -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _over_http(server: "Server[Any]", host: str, port: int) -> None:
    import uvicorn

    app = server.streamable_http_app(host=host)
    await uvicorn.Server(uvicorn.Config(app, host=host, port=port, log_level="warning")).serve()
