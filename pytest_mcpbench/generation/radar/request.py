"""A request for an operation with the calls that answer it, and the checks that every request must pass."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, World
from pytest_mcpbench.simulated.engine import Simulation

Fact = tuple[str, ...]
"""Something that a mail must say, in several spellings of which any will do."""


@dataclass(frozen=True)
class ToolCall:
    """One reference call."""

    tool: str
    arguments: dict[str, Any]
    required_facts: tuple[Fact, ...] = ()
    """What must be said in the free text, in whatever words around it."""


@dataclass(frozen=True)
class Request:
    """What a user asks for, and the calls that matter, in their order. Looking things up is not among them."""

    prompt: str
    calls: tuple[ToolCall, ...]

    @property
    def required_facts(self) -> tuple[Fact, ...]:
        """What the text of its calls must say."""
        return tuple(fact for call in self.calls for fact in call.required_facts)


def request(prompt: str, *calls: ToolCall) -> Request:
    """A request, its first letter in upper case: descriptions that begin it are written in lower case."""
    return Request(prompt[:1].upper() + prompt[1:], calls)


class GenerationError(ValueError):
    """A request that the world does not decide, or that it refuses."""


def fresh_world(name: str, now: datetime = DEFAULT_NOW) -> World:
    """A fresh world that writes no files."""
    return World(name, Path("/nonexistent"), now, Ids("generation"))


def check_reference_calls(
    requests: Iterable[Request], simulation: Simulation, world: Callable[[], World], writes_files: Sequence[str] = ()
) -> None:
    """Play each request's calls on a world of its own; raises where one is refused.

    Calls of the tools in ``writes_files`` are left out: what they need is checked where they are made.
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
        raise GenerationError(f"{request.prompt!r}: {call.tool} {call.arguments} is refused: {error}") from error
