"""Creation of server objects from the ``factory`` of in-process servers."""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from mcp.server import MCPServer, Server

from pytest_mcpbench.core.errors import SandboxError, ServerError
from pytest_mcpbench.core.server import ServerRef

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
        raise _problem(ref, f"its factory {address!r} cannot be imported: {_describe(error)}") from error
    return value


def _call_factory(ref: ServerRef, factory: Callable[..., Any], world: WorldOf | None) -> Any:
    arguments = (_world(ref, world),) if _takes_world(factory, ref.settings) else ()
    try:
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
