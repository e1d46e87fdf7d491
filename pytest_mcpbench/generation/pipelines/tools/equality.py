"""Tools that do the same, so that a task accepts either of them.

Equal results do not suffice: a tool that closes a ticket, and one that reads it, return the same once it is closed.
Two tools are equal if each of them, called in a fresh state with all arguments that are known, returns the same, and
leaves the same behind: in the files, and in what all tools then say. Of tools that only read, one that tells all that
another one tells, and more, does in its place: the tree of a directory has the names that its listing has.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations

import anyio

from pytest_mcpbench.attempt.sandbox import snapshot
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.trial_servers import Directed, open_server
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments
from pytest_mcpbench.generation.reading_tools import only_reads
from pytest_mcpbench.metrics.comparison.schema import schema_violations

_SLOWEST_SECONDS = 20
"""Time for all calls that compare one tool."""
_SETS = 2
"""Arguments of each tool with which the tools are compared."""


async def equal_tools(
    setup: Setup, server: str, known: Mapping[str, Sequence[Arguments]]
) -> Mapping[str, tuple[str, ...]]:
    """Return the other tools of a server that do the same or tell more, by tool; tools without any are left out.

    Args:
        setup: The run.
        server: Name of the server.
        known: Arguments with which each tool returns a result.
    """
    found: dict[str, list[str]] = {}
    reading = [tool for tool in known if setup.tool(server, tool).promises_to_read_only]
    # A tool that may change something could hide from the next one what the compared tool has changed.
    observers = [reading, *([tool] for tool in known if tool not in reading)]
    drawn = [each for sets in known.values() for each in sets[:_SETS]]
    accepted = {tool: [each for each in drawn if _accepts(setup.tool(server, tool), each)] for tool in known}
    pairs: list[tuple[str, str, list[Arguments]]] = []
    for one, other in combinations(known, 2):
        sets = [each for each in accepted[one] if each in accepted[other]]
        # Without arguments, nothing shows that the tools are about the same thing.
        if any(sets) and (one in reading) == (other in reading):
            pairs.append((one, other, sets))
    # Most tools differ in what they return: each is called once, and not once for each other one.
    compared = [tool for tool in known if any(tool in pair[:2] for pair in pairs)]
    results = partial(_results_of, setup, server, accepted)
    alone = dict(zip(compared, await concurrent_map(compared, results, concurrency=setup.concurrency), strict=True))
    for one, other, sets in pairs:
        if only_reads(setup.tool(server, one)) and only_reads(setup.tool(server, other)):
            for tool, wider in ((one, other), (other, one)):
                if all(_tells_more(alone[wider].get(str(each)), alone[tool].get(str(each))) for each in sets):
                    found.setdefault(tool, []).append(wider)
        if any(alone[one].get(str(each)) != alone[other].get(str(each)) for each in sets):
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


async def _results_of(
    setup: Setup, server: str, accepted: Mapping[str, Sequence[Arguments]], tool: str
) -> Mapping[str, tuple[bool, str]]:
    """Return the result of a tool by its arguments, in turn from a fresh state; none if it gets no answer."""
    said = await _said_in_turn(setup, server, [(tool, each) for each in accepted[tool]])
    return {} if said is None else dict(zip(map(str, accepted[tool]), said[0], strict=True))


def _tells_more(wider: tuple[bool, str] | None, told: tuple[bool, str] | None) -> bool:
    """Return whether a result has all words of another one, and more."""
    if wider is None or told is None or wider[0] or told[0]:
        return False
    all_words, words = (set(re.findall(r"\w+", text.casefold())) for _, text in (wider, told))
    return bool(words) and words < all_words


def _accepts(tool: ToolDefinition, arguments: Arguments) -> bool:
    is_complete = set(tool.required) <= arguments.keys() <= tool.properties.keys()
    return is_complete and not schema_violations(arguments, tool.input_schema)


async def _said_in_turn(
    setup: Setup, server: str, calls: Sequence[tuple[str, Arguments]]
) -> tuple[list[tuple[bool, str]], str] | None:
    """Return the results of calls in a fresh state, and the files after them; ``None`` if a call gets no answer."""
    with suppress(ServerError), anyio.move_on_after(_SLOWEST_SECONDS):
        async with open_server(setup, server) as (connection, directory):
            directed = Directed(connection, directory)
            results = [await directed.call(tool, arguments) for tool, arguments in calls]
            return [(result.is_error, result.text) for result in results], snapshot(directory).text()
    return None
