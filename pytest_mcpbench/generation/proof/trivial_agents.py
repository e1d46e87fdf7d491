"""Agents that do not understand the request; a task that one of them passes measures nothing."""

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.words import content_words
from pytest_mcpbench.definitions.proposals import propose_call
from pytest_mcpbench.runtime.agent import Agent, AgentEnvironment
from pytest_mcpbench.runtime.agents.call_batch import CallBatch
from pytest_mcpbench.runtime.agents.noop import NoopAgent
from pytest_mcpbench.runtime.agents.script import Script, ScriptAgent, ScriptedStep

_PATIENCE_SECONDS = 3
"""Time for the results of all tools; a slower one is recorded as a time-out."""


def trivial_agents(task: Task, may_be_called: Callable[[ToolSpec], bool]) -> Mapping[str, Agent]:
    """Return the agents that must not pass a task, each by a description of what it does."""
    echo = Script(tuple(ScriptedStep(turn, text=said.user) for turn, said in enumerate(task.turns)))
    return {
        "doing nothing": NoopAgent(),
        "repeating the request": ScriptAgent(echo, name="echo"),
        "calling every tool": EveryToolAgent(may_be_called),
        "calling for each sentence the tool with most of its words": WordsAgent(may_be_called),
    }


@dataclass(frozen=True)
class EveryToolAgent:
    """Agent that calls each tool once, with the examples, defaults and first choices of its schema."""

    may_be_called: Callable[[ToolSpec], bool]
    """Tools that must not be called are left out: they may change something outside."""
    name: str = "every_tool"

    async def attempt(self, _task: Task, arena: AgentEnvironment) -> Trajectory:
        """Make all calls at once and answer with all results."""
        calls = [
            Call(id=f"every-{number}", name=tool.name, arguments=_arguments(tool))
            for number, tool in enumerate(filter(self.may_be_called, arena.tools), 1)
        ]
        batch = CallBatch(calls)
        with anyio.move_on_after(_PATIENCE_SECONDS):
            await batch.execute(arena)
        made = Step(calls=batch.records)
        return Trajectory(steps=(made, Step(text="\n".join(_results([made])))))


@dataclass(frozen=True)
class WordsAgent:
    """Agent that calls for each sentence the tool that has most of its words, and reads no value in it."""

    may_be_called: Callable[[ToolSpec], bool]
    name: str = "words"

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        """Make the calls one after the other, and answer each message with their results."""
        tools = [tool for tool in arena.tools if self.may_be_called(tool)]
        steps: list[Step] = []
        with anyio.move_on_after(_PATIENCE_SECONDS):
            for turn, said in enumerate(task.turns):
                made = [step async for step in _calls_by_words(turn, said.user, tools, arena)]
                steps += [*made, Step(turn=turn, text="\n".join(_results(made)))]
        return Trajectory(steps=tuple(steps))


async def _calls_by_words(
    turn: int, request: str, tools: Sequence[ToolSpec], arena: AgentEnvironment
) -> AsyncIterator[Step]:
    for number, sentence in enumerate(re.split(r"(?<=[.?!])\s+", request), 1):
        tool = _tool_by_words(sentence, tools)
        if tool is not None:
            batch = CallBatch([Call(id=f"words-{turn}-{number}", name=tool.name, arguments=_arguments(tool))])
            await batch.execute(arena)
            yield Step(turn=turn, calls=batch.records)


def _tool_by_words(sentence: str, tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """Return the first of the tools with most words of a sentence; ``None`` if no tool has any."""
    said = content_words(sentence)
    shared = [len(said & content_words(f"{tool.tool} {tool.description}")) for tool in tools]
    return tools[shared.index(max(shared))] if any(shared) else None


def _results(steps: Sequence[Step]) -> Iterator[str]:
    for record in (record for step in steps for record in step.calls):
        if record.result is not None:
            yield record.result.text


def _arguments(tool: ToolSpec) -> dict[str, Any]:
    definition = ToolDefinition({"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema})
    return dict(propose_call(definition, {}).arguments)
