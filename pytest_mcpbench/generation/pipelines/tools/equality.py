"""Tools that do the same, so that a task accepts either of them.

Equal results do not suffice: a tool that closes a ticket, and one that reads it, return the same once it is closed.
Two tools are equal if each of them, called in a fresh state with all arguments that are known, returns the same, and
leaves the same behind: in the files, and in what all tools then say. Of tools that surely only read, one that tells all
that another one tells, and more, does in its place: a listing of a directory with sizes has what one without them has.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import anyio

from pytest_mcpbench.attempt.sandbox import snapshot
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.placeholders import payload, unwrap_result
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.generation.pipeline.paths import scalars
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.trial_servers import Directed, open_server
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments
from pytest_mcpbench.generation.reading_tools import only_looks
from pytest_mcpbench.metrics.comparison.schema import schema_violations

_SLOWEST_SECONDS = 20
"""Time for all calls that compare one tool."""
_SETS = 2
"""Arguments of each tool with which the tools are compared."""


@dataclass(frozen=True)
class _Said:
    """Result of a call; two with the same text are equal."""

    is_error: bool
    text: str
    value: Any = field(compare=False)
    """The structured value, the value of a text in JSON, or the text."""


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
        # No check of what is left behind follows here, so that both have to read beyond doubt.
        if only_looks(setup.tool(server, one)) and only_looks(setup.tool(server, other)):
            for tool, wider in ((one, other), (other, one)):
                if _tells_more([(alone[wider].get(str(each)), alone[tool].get(str(each))) for each in sets]):
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
) -> Mapping[str, _Said]:
    """Return the result of a tool by its arguments, in turn from a fresh state; none if it gets no answer."""
    said = await _said_in_turn(setup, server, [(tool, each) for each in accepted[tool]])
    return {} if said is None else dict(zip(map(str, accepted[tool]), said[0], strict=True))


def _tells_more(results: Sequence[tuple[_Said | None, _Said | None]]) -> bool:
    """Return whether in each pair the first result tells all that the second one tells, and more.

    The second ones have to differ with the arguments: what a tool always says may be in another result by chance.
    """
    values: list[Any] = []
    for wider, told in results:
        if wider is None or told is None or wider.is_error or told.is_error or not _has_substance(told.value):
            return False
        if not _tells(wider.value, told.value) or _tells(told.value, wider.value):
            return False
        values.append(told.value)
    return any(each != values[0] for each in values)


def _has_substance(value: Any) -> bool:
    """Return whether a result is more than a truth value, a small number or a single word."""
    if isinstance(value, str):
        return len(value.split()) > 1
    members = scalars(value) if isinstance(value, dict | list) else ()
    return any(len(str(each)) > 2 for _, each in members if not isinstance(each, bool))


def _tells(wider: Any, told: Any) -> bool:
    """Return whether a value has all members of another one, at the same names, and as many elements in each list.

    Further elements of a list would hide which ones are meant. Of a text, each line begins a line of the wider one.
    """
    if isinstance(wider, dict) and isinstance(told, dict):
        return all(name in wider and _tells(wider[name], part) for name, part in told.items())
    if isinstance(wider, list) and isinstance(told, list):
        return _has_each(wider, told, _tells)
    if isinstance(wider, str) and isinstance(told, str):
        theirs, own = ([part.splitlines() for part in re.split(r"\n\s*\n", text.strip())] for text in (wider, told))
        # Further paragraphs may follow, such as the sum of all sizes.
        return len(own) <= len(theirs) and all(map(partial(_has_each, tells=_begins), theirs, own))
    return type(wider) is type(told) and bool(wider == told)


def _begins(line: str, told: str) -> bool:
    """Return whether a line begins with all words of another one."""
    return line == told or (line.startswith(told) and line[len(told)].isspace())


def _has_each(wider: Sequence[Any], told: Sequence[Any], tells: Callable[[Any, Any], bool]) -> bool:
    """Return whether each element of the first list tells one of the second, in any order, and none is left."""
    left = list(wider)
    if len(left) != len(told):
        return False
    for each in told:
        at = next((at for at, other in enumerate(left) if tells(other, each)), None)
        if at is None:
            return False
        del left[at]
    return True


def _accepts(tool: ToolDefinition, arguments: Arguments) -> bool:
    is_complete = set(tool.required) <= arguments.keys() <= tool.properties.keys()
    return is_complete and not schema_violations(arguments, tool.input_schema)


async def _said_in_turn(
    setup: Setup, server: str, calls: Sequence[tuple[str, Arguments]]
) -> tuple[list[_Said], str] | None:
    """Return the results of calls in a fresh state, and the files after them; ``None`` if a call gets no answer."""
    with suppress(ServerError), anyio.move_on_after(_SLOWEST_SECONDS):
        async with open_server(setup, server) as (connection, directory):
            directed = Directed(connection, directory)
            results = [await directed.call(tool, arguments) for tool, arguments in calls]
            said = [_Said(each.is_error, each.text, unwrap_result(payload(each))) for each in results]
            return said, snapshot(directory).text()
    return None
