"""Requests for operations with their reference calls, and the checks that every request must pass."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.simulated.engine import Simulation

Fact = tuple[str, ...]
"""Accepted spellings of a fact that a mail must state."""


@dataclass(frozen=True)
class ToolCall:
    """One reference call."""

    tool: str
    arguments: dict[str, Any]
    required_facts: tuple[Fact, ...] = ()
    """Facts that the call's free text must state, in any wording."""


@dataclass(frozen=True)
class Request:
    """A user's prompt and the calls that fulfil it, in order. Lookups are not listed."""

    prompt: str
    calls: tuple[ToolCall, ...]

    @property
    def required_facts(self) -> tuple[Fact, ...]:
        """Return the facts that the free text of all calls must state."""
        return tuple(fact for call in self.calls for fact in call.required_facts)


def request(prompt: str, *calls: ToolCall) -> Request:
    """Return a request whose prompt starts with a capital letter, because descriptions are written in lower case."""
    return Request(prompt[:1].upper() + prompt[1:], calls)


class GenerationError(ValueError):
    """Error for a request that is ambiguous in the simulated world or that the world refuses."""


def fresh_world(name: str, now: datetime = DEFAULT_NOW) -> World:
    """Return a fresh world that writes no files."""
    return World(name, Path("/nonexistent"), now, Ids("generation"))


def check_reference_calls(
    requests: Iterable[Request], simulation: Simulation, world: Callable[[], World], writes_files: Sequence[str] = ()
) -> None:
    """Execute each request's calls in a fresh world and raise ``GenerationError`` if one is refused.

    Calls of the tools in ``writes_files`` are skipped; the code that creates them checks them.
    """
    for each in requests:
        state = simulation.state(world())
        for call in each.calls:
            if call.tool not in writes_files:
                _play(simulation, state, call, each)


def _play(simulation: Simulation, state: Any, call: ToolCall, request: Request) -> None:
    try:
        simulation.call(state, call.tool, call.arguments)
    except Exception as error:
        raise GenerationError(f"{request.prompt!r}: {call.tool} {call.arguments} fails: {error}") from error
