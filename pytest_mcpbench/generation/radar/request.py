"""Requests for operations with their reference calls, parsed from source files, and the checks that all must pass."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.result_templates import ResultTemplateError, fill, fill_slots
from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.generation.source.calls import ReferenceCall
from pytest_mcpbench.generation.source.files import SourceEntry, read_entries, source_directory
from pytest_mcpbench.generation.spelling import spellings
from pytest_mcpbench.loaders.short_forms import split_arguments
from pytest_mcpbench.simulated.engine import Simulation
from pytest_mcpbench.text.suggestions import hint

NO_VALUES: Mapping[str, Any] = MappingProxyType({})


class WrittenRequest(SourceEntry):
    """A user's prompt and the calls that fulfil it, in order, with slots. Lookups are not listed."""

    ask: str
    calls: tuple[ReferenceCall, ...]
    says: tuple[JsonValue, ...] = ()
    """Facts that the free text of the calls must state: one spelling each, or a list of accepted spellings."""
    answer: JsonValue = None
    """The definite value that the user asks for; ``None`` if they ask for an action, or to be shown something."""


@dataclass(frozen=True)
class RadarRequest:
    """A user's prompt and the calls that fulfil it, in order."""

    prompt: str
    calls: tuple[ReferenceCall, ...]
    required_facts: tuple[tuple[str, ...], ...]
    place: SourceLocation
    answer: str | None = None


class AmbiguousRequestError(ValueError):
    """Error for a request that is ambiguous in the simulated world or that the world refuses."""


def source(name: str) -> Path:
    """Return the path of a source file of the suite."""
    return source_directory("radar") / name


def read_requests(name: str, values: Mapping[str, Any] = NO_VALUES) -> list[RadarRequest]:
    """Return the requests of a source file, with their slots filled."""
    return [filled_request(each, values) for each in read_entries(source(name), WrittenRequest)]


def filled_request(written: WrittenRequest, values: Mapping[str, Any]) -> RadarRequest:
    """Return a request with its slots filled. Raises ``TaskError``.

    The prompt starts with a capital letter even if a description in lower case stands first.
    """
    try:
        prompt = fill_slots(written.ask, values)
        calls = [ReferenceCall(tool=each.tool, arguments=fill(each.arguments, values)) for each in written.calls]
        facts = tuple(tuple(spellings(fact)) for fact in fill(written.says, values))
        answer = None if written.answer is None else str(fill(written.answer, values))
    except (ResultTemplateError, AmbiguousRequestError) as error:
        raise TaskError(f"{error}.", written.place) from error
    return RadarRequest(prompt[:1].upper() + prompt[1:], tuple(calls), facts, written.place, answer)


def fresh_world(name: str, now: datetime = DEFAULT_NOW) -> World:
    """Return a fresh world that writes no files."""
    return World(name, Path("/nonexistent"), now, Ids("generation"))


def check_reference_calls(
    requests: Iterable[RadarRequest],
    simulation: Simulation,
    world: Callable[[], World],
    writes_files: Sequence[str] = (),
) -> None:
    """Execute each request's calls in a fresh world and raise ``TaskError`` if one is refused.

    Calls of the tools in ``writes_files`` are skipped; the code that creates them checks them.
    """
    for each in requests:
        state = simulation.state(world())
        for call in each.calls:
            if call.tool in writes_files:
                continue
            if call.tool not in simulation.table:
                remedy = hint(call.tool, simulation.table)
                raise TaskError(f"the server has no tool {call.tool!r}.", each.place, remedy=remedy)
            try:
                simulation.call(state, call.tool, split_arguments(call.arguments, call.tool).arguments)
            except Exception as error:
                problem = f"{each.prompt!r}: {call.tool} {dict(call.arguments)} fails: {error}."
                raise TaskError(problem, each.place) from error
