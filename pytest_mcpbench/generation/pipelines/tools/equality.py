"""Tools that do the same, so that a task accepts either of them.

Equal results do not suffice: a tool that closes a ticket, and one that reads it, return the same once it is closed.
Two tools are equal if each of them, called in a fresh state with all arguments that are known, returns the same, and
leaves the same behind: in the files, and in what all tools then say.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import combinations

import anyio

from pytest_mcpbench.attempt.sandbox import snapshot
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.trial_servers import open_server
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments

_SLOWEST_SECONDS = 20
"""Time for all calls that compare one tool."""


async def equal_tools(
    setup: Setup, server: str, known: Mapping[str, Sequence[Arguments]]
) -> Mapping[str, tuple[str, ...]]:
    """Return the other tools of a server that do the same, by tool; tools without any are left out.

    Args:
        setup: The run.
        server: Name of the server.
        known: Arguments with which each tool returns a result.
    """
    found: dict[str, list[str]] = {}
    reading = [tool for tool in known if setup.tool(server, tool).promises_to_read_only]
    # A tool that may change something could hide from the next one what the compared tool has changed.
    observers = [[], reading, *([tool] for tool in known if tool not in reading)]
    for one, other in combinations(known, 2):
        tools = setup.tool(server, one), setup.tool(server, other)
        sets = [each for each in known[one] if each and all(_accepts(tool, each) for tool in tools)]
        sets += [each for each in known[other] if each not in sets and all(_accepts(tool, each) for tool in tools)]
        # Without arguments, nothing shows that the tools are about the same thing.
        if not any(sets) or tools[0].promises_to_read_only != tools[1].promises_to_read_only:
            continue
        for names in observers:
            after = [(name, each) for name in names for each in known[name]]
            first = await _said_in_turn(setup, server, [*((one, each) for each in sets), *after])
            if first is None or first != await _said_in_turn(
                setup, server, [*((other, each) for each in sets), *after]
            ):
                break
        else:
            found.setdefault(one, []).append(other)
            found.setdefault(other, []).append(one)
    return {tool: tuple(others) for tool, others in found.items()}


def _accepts(tool: ToolDefinition, arguments: Arguments) -> bool:
    return set(tool.required) <= arguments.keys() <= tool.properties.keys()


async def _said_in_turn(
    setup: Setup, server: str, calls: Sequence[tuple[str, Arguments]]
) -> tuple[list[tuple[bool, str]], str] | None:
    """Return the results of calls in a fresh state, and the files after them; ``None`` if a call gets no answer."""
    with suppress(ServerError), anyio.move_on_after(_SLOWEST_SECONDS):
        async with open_server(setup, server) as (connection, directory):
            results = [await connection.call(tool, arguments) for tool, arguments in calls]
            return [(result.is_error, result.text) for result in results], snapshot(directory).text()
    return None
