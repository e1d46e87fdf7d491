"""The trajectory of a request: a model makes it on the servers, and it must follow the chain (FinMCP-Bench 2.2)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.task import Limits, Task, Turn
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.model_attempts import attempt_with_model
from pytest_mcpbench.generation.pipeline.paths import with_value
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, Outcome
from pytest_mcpbench.generation.pipelines.chains.candidates import (
    ReferenceCall,
    RequestCandidate,
    SampleCall,
    Tool,
    TrajectoryCandidate,
)
from pytest_mcpbench.generation.pipelines.chains.flows import argument_values, flow_into
from pytest_mcpbench.generation.pipelines.chains.samples import sample_call

PLAYING = Asking(prompt_tokens=3000, reply_tokens=150, questions=5)
_LIMITS = Limits(rounds=15, tool_calls=20)


async def play(setup: Setup, candidate: RequestCandidate) -> Outcome:
    """Return the candidate with the calls that the model made; drop one whose calls do not follow the chain."""
    assert setup.questions is not None, "without a model rules plan the calls"
    task = Task(
        id=candidate.id,
        turns=(Turn(user=candidate.request),),
        servers=tuple(sorted({tool.server for tool in candidate.tools})),
        limits=_LIMITS,
    )
    evidence = await attempt_with_model(setup, setup.questions, task)
    return evidence if isinstance(evidence, Drop) else _with_trajectory(candidate, evidence.trajectory)


def _with_trajectory(candidate: RequestCandidate, trajectory: Trajectory) -> Outcome:
    if trajectory.stop != "answered":
        return Drop("the model does not finish the request", trajectory.stop)
    steps = tuple(
        tuple(map(sample_call, (call for call in step.calls if not call.is_error))) for step in trajectory.steps
    )
    steps = tuple(step for step in steps if step)
    if not follows(steps, candidate.tools):
        return Drop("the calls do not follow the chain", " -> ".join(call.tool for step in steps for call in step))
    calls = with_references(steps, candidate.request)
    return [TrajectoryCandidate(**candidate.model_dump(), calls=calls)]


def follows(steps: Sequence[Sequence[SampleCall]], tools: Iterable[Tool]) -> bool:
    """Return whether the tools were called in this order, each in a later step; other calls may stand between."""
    left = iter(steps)
    return all(any(_has_call(step, tool) for step in left) for tool in tools)


def _has_call(step: Sequence[SampleCall], tool: Tool) -> bool:
    return any((call.server, call.tool) == tool.key for call in step)


def with_references(steps: Sequence[Sequence[SampleCall]], request: str) -> tuple[tuple[ReferenceCall, ...], ...]:
    """Return the calls with ids; values that come from earlier results refer to them."""
    earlier: list[SampleCall] = []
    made: list[tuple[ReferenceCall, ...]] = []
    for step in steps:
        group: list[ReferenceCall] = []
        for call in step:
            number = len(earlier) + len(group) + 1
            arguments = _arguments_with_references(call.arguments, earlier, request)
            group.append(
                ReferenceCall(
                    id=str(number), server=call.server, tool=call.tool, arguments=arguments, result=call.result
                )
            )
        earlier += step
        made.append(tuple(group))
    return tuple(made)


def _arguments_with_references(
    arguments: Mapping[str, JsonValue], earlier: Sequence[SampleCall], request: str
) -> dict[str, JsonValue]:
    referring: Any = dict(arguments)
    for path, value in argument_values(arguments):
        source = flow_into(value, earlier, request)
        if source is not None:
            referring = with_value(referring, ".".join(map(str, path)), f"<{source[0] + 1}_result{source[1]}>")
    return dict(referring)
