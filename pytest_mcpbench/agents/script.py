"""Scripted attempts: fixed calls and texts, and the agent that plays them."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.call_batch import CallBatch
from pytest_mcpbench.agents.users.dialogue import Dialogue
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.sandbox import with_directory
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, CallRecord
from pytest_mcpbench.core.trajectory import Step, Trajectory, said_to_user


@dataclass(frozen=True)
class ScriptedCall:
    """A call with every argument fixed."""

    name: str
    """The tool's exposed name."""
    arguments: dict[str, JsonValue]
    server: str | None = None


@dataclass(frozen=True)
class ScriptedStep:
    """One assistant message: parallel calls, or a text."""

    turn: int = 0
    calls: tuple[ScriptedCall, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Script:
    """The steps of an attempt, in order."""

    steps: tuple[ScriptedStep, ...]

    @classmethod
    def of(cls, trajectory: Trajectory) -> "Script":
        """Return the script that repeats a trajectory."""
        steps = []
        for step in trajectory.steps:
            calls = tuple(ScriptedCall(call.name, dict(call.arguments), call.server) for call in step.calls)
            steps.append(ScriptedStep(step.turn, calls, step.text))
        return cls(tuple(steps))

    @property
    def answer(self) -> str:
        """The last non-empty text; empty if there is none."""
        return next((step.text for step in reversed(self.steps) if step.text.strip()), "")

    @property
    def calls(self) -> tuple[ScriptedCall, ...]:
        """Every call in order."""
        return tuple(call for step in self.steps for call in step.calls)

    def with_calls(self, position: int, calls: Iterable[ScriptedCall]) -> "Script":
        """Return the script with the calls of the step at ``position`` replaced; a step left empty is dropped."""
        step = replace(self.steps[position], calls=tuple(calls))
        middle = (step,) if step.calls or step.text else ()
        return Script((*self.steps[:position], *middle, *self.steps[position + 1 :]))

    def with_step(self, position: int, step: ScriptedStep) -> "Script":
        """Return the script with a step inserted before ``position``."""
        return Script((*self.steps[:position], step, *self.steps[position:]))

    def with_answer(self, text: str) -> "Script":
        """Return the script with its last non-empty text replaced."""
        last = max(index for index, step in enumerate(self.steps) if step.text.strip())
        return Script((*self.steps[:last], replace(self.steps[last], text=text), *self.steps[last + 1 :]))


@dataclass(frozen=True)
class ScriptAgent:
    """An agent that plays a script, whatever the servers answer, until the user ends the conversation.

    ``{sandbox}`` in an argument becomes the attempt's directory.
    """

    script: Script
    name: str = "script"

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        """Make the script's calls step by step and return them with its texts."""
        steps: list[Step] = []
        dialogue = Dialogue(task, arena.user)
        start = time.perf_counter()
        for turn in range(1 + max((step.turn for step in self.script.steps), default=0)):
            for scripted in (step for step in self.script.steps if step.turn == turn):
                steps.append(Step(turn=turn, text=scripted.text, calls=await _records(scripted, steps, arena)))
            last = steps[-1] if steps and steps[-1].turn == turn else None
            if await dialogue.next_turn(said_to_user(last)) is None:
                break
        seconds = time.perf_counter() - start
        return Trajectory(steps=tuple(steps), seconds=seconds, conversation=dialogue.record)


async def _records(scripted: ScriptedStep, before: Sequence[Step], arena: AgentEnvironment) -> tuple[CallRecord, ...]:
    """Make the calls of a step. A fault of a server carries the steps before."""
    filled = with_directory([call.arguments for call in scripted.calls], lambda: arena.directory)
    batch = CallBatch(
        [
            Call(id=f"script-{len(before)}-{index}", name=call.name, arguments=filled[index])
            for index, call in enumerate(scripted.calls)
        ]
    )
    try:
        await batch.execute(arena)
    except McpBenchError as error:
        error.trajectory = Trajectory(steps=tuple(before))
        raise
    return batch.records
