"""The server object that an in-process ``factory`` stands for."""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from mcp.server import MCPServer, Server

from pytest_mcpbench.core.errors import SandboxError, ServerError
from pytest_mcpbench.core.server import ServerRef

WorldOf = Callable[[], Any]
"""Gives the :class:`~pytest_mcpbench.core.sandbox.World` of the attempt, made when it is asked for."""


def server_object(ref: ServerRef, world: WorldOf | None) -> Any:
    """What ``mcp.Client`` connects to in this process.

    The factory is called with a world if it has a parameter ``world`` or a first parameter without default, and with
    the server's settings as keywords; a server object is used as it is.

    Args:
        ref: A server of the transport ``in_process``.
        world: ``None`` where the connection is shared and there is no attempt's world.

    Raises:
        ServerError: it cannot be imported, raises, or gives no MCP server.
    """
    factory = _imported(ref, ref.factory) if isinstance(ref.factory, str) else ref.factory
    made = _bare(factory)
    if not _is_server(made) and callable(factory):
        made = _bare(_called(ref, factory, world))
    if not _is_server(made):
        raise _problem(ref, f"its factory gives {type(made).__name__}, not an MCP server")
    return made


def _is_server(made: object) -> bool:
    return isinstance(made, MCPServer | Server)


def _bare(made: Any) -> Any:
    """FastMCP keeps the server that mcp's client understands in ``_mcp_server``."""
    return getattr(made, "_mcp_server", made)


def _imported(ref: ServerRef, address: str) -> Any:
    module, _, attribute = address.partition(":")
    try:
        found: Any = import_module(module)
        for name in attribute.split("."):
            found = getattr(found, name)
    except Exception as error:
        raise _problem(ref, f"its factory {address!r} cannot be imported: {_said(error)}") from error
    return found


def _called(ref: ServerRef, factory: Callable[..., Any], world: WorldOf | None) -> Any:
    arguments = (_world(ref, world),) if _takes_world(factory, ref.settings) else ()
    try:
        return factory(*arguments, **ref.settings)
    except SandboxError as error:
        raise _problem(ref, str(error)) from error
    except Exception as error:
        raise _problem(ref, f"its factory raised {_said(error)}") from error


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


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
