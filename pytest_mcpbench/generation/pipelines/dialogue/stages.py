"""Stages of the pipeline ``dialogue``, all of which need a model but the first and the last."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.generation.pipeline.candidates import TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import EachStage, Outcome, Selection, Stage, WholeStage
from pytest_mcpbench.generation.pipelines.dialogue.candidates import (
    DialogueCandidate,
    GoalCandidate,
    PersonaCandidate,
)
from pytest_mcpbench.generation.pipelines.dialogue.goals import PLANNING, draw_personas, plan_goal
from pytest_mcpbench.generation.pipelines.dialogue.playing import CHECKING, TALKING, check_addressed, talk


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
        WholeStage("personas", PersonaCandidate, partial(_draw_personas, setup)),
        EachStage("goals", GoalCandidate, partial(plan_goal, setup, questions), PLANNING, many),
        EachStage("dialogue", DialogueCandidate, partial(talk, setup, questions), TALKING, many),
        EachStage("addressed", DialogueCandidate, partial(check_addressed, questions), CHECKING, many),
    ]


async def _draw_personas(setup: Setup, _nothing: Sequence[PersonaCandidate]) -> Selection:
    return draw_personas(setup)


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
