"""Tools of the simulated servers, to find calls that no server has."""

from collections.abc import Iterable
from functools import cache
from importlib import import_module

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.persona.request import Request
from pytest_mcpbench.simulated.catalogue import SERVERS
from pytest_mcpbench.text.suggestions import hint


def require_known_tools(requests: Iterable[Request]) -> None:
    """Raise ``TaskError`` for the first call of an unknown server or tool."""
    for request in requests:
        for call in request.calls:
            if call.server not in SERVERS:
                remedy = hint(call.server, SERVERS)
                raise TaskError(f"there is no server {call.server!r}.", request.place, remedy=remedy)
            if call.tool not in _tools(call.server):
                remedy = hint(call.tool, _tools(call.server))
                raise TaskError(f"{call.server} has no tool {call.tool!r}.", request.place, remedy=remedy)


@cache
def _tools(server: str) -> frozenset[str]:
    module = import_module(SERVERS[server].partition(":")[0])
    return frozenset(module.SIMULATION.table)
