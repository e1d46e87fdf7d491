"""Stages of the pipeline ``dialogue``, all of which need a model but the first and the last."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, Field

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.questions import Questions
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, EachStage, Outcome, Selection, Stage, WholeStage
from pytest_mcpbench.generation.pipelines.dialogue.candidates import (
    DialogueCandidate,
    GoalCandidate,
    PersonaCandidate,
)
from pytest_mcpbench.generation.pipelines.dialogue.playing import CHECKING, TALKING, check_addressed, talk

# Personas and goals of the users (FinMCP-Bench 2.3).

PLANNING = Asking(prompt_tokens=700, reply_tokens=150)
_OVERSAMPLING = 3
"""Conversations for each task; later stages drop some."""
_MOST_TOOLS = 4
"""Tools that a goal is about."""
_INSTRUCTIONS = (
    "You plan conversations between a person and an assistant with tools. Write what the person wants to find out or "
    "to get done, so that the assistant needs several of the tools, over several messages: the person does not ask for "
    "everything at once. Write all facts that the person knows, with values that the tools take. Then write the "
    "person's first message, which asks for the first thing only. Name no tool."
)


class _Goal(BaseModel):
    goal: str = Field(description="what the person wants, thing by thing, and the facts that they know")
    opening: str = Field(description="the person's first message, in the words of that person")


def draw_personas(setup: Setup) -> Selection:
    """Return people with the tools that their goals are about, both drawn."""
    personas: list[str] = []
    for file in setup.inputs or [Path(__file__).parent / "personas.yaml"]:
        try:
            content = yaml.safe_load(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, yaml.YAMLError) as error:
            raise UsageError(f"--input {file}: {str(error).splitlines()[0]}") from None
        if not isinstance(content, list) or not content or not all(isinstance(each, str) for each in content):
            raise UsageError(f"--input {file}: the file must be a list of texts, each the description of a person.")
        personas += content
    rng = setup.random("personas")
    tools = {
        server: [tool.name for tool in definition.tools if setup.may_be_called(server, tool.name)]
        for server, definition in setup.servers.items()
    }
    servers = [server for server, names in tools.items() if names]
    if not servers:
        raise UsageError("no tool promises to be read-only; name those that may be called with --call.")
    drawn = []
    for number in range(1, _OVERSAMPLING * setup.settings.tasks + 1):
        server = servers[number % len(servers)]
        chosen = rng.sample(tools[server], min(_MOST_TOOLS, len(tools[server])))
        persona = rng.choice(personas)
        drawn.append(PersonaCandidate(id=f"talk-{number:04}", persona=persona, server=server, tools=tuple(chosen)))
    return Selection(drawn)


async def plan_goal(setup: Setup, questions: Questions, person: PersonaCandidate) -> Outcome:
    """Return the person with the goal and the first message that the model wrote."""
    described = "\n".join(
        f"* {tool.name}: {tool.description}" for tool in setup.servers[person.server].tools if tool.name in person.tools
    )
    prompt = f"Tools of the assistant:\n{described}\n\nThe person: {person.persona}"
    reply = await questions.ask(_INSTRUCTIONS, prompt, _Goal)
    if not reply.goal.strip() or not reply.opening.strip():
        return Drop("the goal is empty")
    return [GoalCandidate(**person.model_dump(), goal=reply.goal, opening=reply.opening)]


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the tasks."""
    return [*conversation_stages(setup), EachStage("task", TaskCandidate, _make_task)]


def conversation_stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the conversations."""
    questions = setup.questions
    if questions is None:
        raise UsageError("dialogues need a model: name one with --model.")
    many = setup.concurrency
    return [
        WholeStage("personas", PersonaCandidate, lambda _nothing: draw_personas(setup)),
        EachStage("goals", GoalCandidate, partial(plan_goal, setup, questions), PLANNING, many),
        EachStage("dialogue", DialogueCandidate, partial(talk, setup, questions), TALKING, many),
        EachStage("addressed", DialogueCandidate, partial(check_addressed, questions), CHECKING, many),
    ]


async def _make_task(candidate: DialogueCandidate) -> Outcome:
    """Return the task in the native format: each turn sees the recorded replies to those before it."""
    turns: list[dict[str, Any]] = []
    for turn in candidate.turns:
        gold = [
            message.model_dump(mode="json", exclude_defaults=True) | {"role": message.role} for message in turn.gold
        ]
        calls = [[call.model_dump(mode="json", exclude={"id"}) for call in step] for step in turn.steps]
        turns.append({"user": turn.user, "gold": gold, **({"calls": calls} if calls else {})})
    tags = {
        "calls": str(sum(len(step) for turn in candidate.turns for step in turn.steps)),
        "turns": str(len(turns)),
    }
    task: dict[str, Any] = {"id": candidate.id, "servers": [candidate.server], "turns": turns, "tags": tags}
    return [TaskCandidate(id=candidate.id, task=task)]
