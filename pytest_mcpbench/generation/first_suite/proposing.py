"""Proposals of tasks for the tools of a server, tried on the server where this is safe."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.definitions.proposals import ProposedCall, first_sentence, propose_call, values_in

_ROUNDS = 3
"""Times that tools are tried; values of one round fill arguments of the next one."""


@dataclass(frozen=True)
class Trial:
    """Outcome of playing a proposed call."""

    problem: str | None
    """Why ``oracle`` does not pass; ``None`` if it does."""
    result: Any = None


@dataclass(frozen=True)
class Proposal:
    """A proposed task."""

    call: ProposedCall
    problem: str | None
    """What keeps the reference from being played; ``None`` if ``oracle`` passes."""

    @property
    def request(self) -> str:
        """Return a draft of the request: the first sentence of the description, with the values."""
        values = ", ".join(f"{name} {value}" for name, value in self.call.arguments.items())
        return first_sentence(self.call.tool) + (f" ({values})" if values else "") + "."


async def propose_tasks(
    server: ServerDefinition, play: Callable[[ProposedCall], Awaitable[Trial]], allowed: Collection[str]
) -> list[Proposal]:
    """Return one proposal for each tool, in the server's order.

    Args:
        server: The server.
        play: Plays a call with ``oracle`` in a fresh sandbox.
        allowed: Tools that may be called although they do not promise to be read-only.
    """
    known: dict[str, Any] = {}
    trials: dict[str, tuple[ProposedCall, Trial]] = {}
    for _ in range(_ROUNDS):
        for tool in server.tools:
            call = propose_call(tool, known)
            if tool.name not in trials and not call.missing and _may_be_called(tool, allowed):
                trials[tool.name] = call, await play(call)
                known = {**values_in(trials[tool.name][1].result, tool.name), **known}
    return [_proposal(tool, trials, propose_call(tool, known), allowed) for tool in server.tools]


def _proposal(
    tool: ToolDefinition,
    trials: dict[str, tuple[ProposedCall, Trial]],
    call: ProposedCall,
    allowed: Collection[str],
) -> Proposal:
    if tool.name in trials:
        played, trial = trials[tool.name]
        return Proposal(played, trial.problem)
    if call.missing:
        return Proposal(call, f"no value is known for {', '.join(parameter.name for parameter in call.missing)}")
    assert not _may_be_called(tool, allowed)
    return Proposal(call, "the tool was not called, because it does not promise to be read-only")


def _may_be_called(tool: ToolDefinition, allowed: Collection[str]) -> bool:
    return tool.promises_to_read_only or tool.name in allowed
