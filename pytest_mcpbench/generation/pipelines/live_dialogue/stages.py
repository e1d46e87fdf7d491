"""Stages of the pipeline ``live_dialogue``: those of ``dialogue``, and tasks whose user answers."""

import re
from collections.abc import Sequence
from typing import Any

from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import EachStage, Outcome, Stage
from pytest_mcpbench.generation.pipelines.dialogue.candidates import DialogueCandidate
from pytest_mcpbench.generation.pipelines.dialogue.playing import MOST_TURNS
from pytest_mcpbench.generation.pipelines.dialogue.stages import conversation_stages

_TELLING_CHARACTERS = 300
"""Beginning of a reply by which the script knows it."""


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the tasks."""
    return [*conversation_stages(setup), EachStage("task", TaskCandidate, _make_task)]


async def _make_task(candidate: DialogueCandidate) -> Outcome:
    """Return the task in the native format.

    A model plays the person by goal and persona. The script repeats what they said to the recorded replies, which is
    enough for the reference.
    """
    replies: list[str] = []
    for turn in candidate.turns:
        texts = [message.text.strip() for message in turn.gold if message.role == "assistant"]
        replies.append(texts[-1] if texts else "")
    if not all(replies) or len({reply[:_TELLING_CHARACTERS] for reply in replies}) < len(replies):
        return Drop("two replies of the assistant cannot be told apart")
    patterns = [re.escape(reply[:_TELLING_CHARACTERS]) for reply in replies]
    answers = [
        {"match": pattern, "reply": turn.user} for pattern, turn in zip(patterns[:-1], candidate.turns[1:], strict=True)
    ]
    script = [*answers, {"match": patterns[-1], "end": "satisfied"}]
    task: dict[str, Any] = {
        "id": candidate.id,
        "ask": candidate.turns[0].user,
        "servers": [candidate.server],
        "user": {
            "goal": candidate.goal,
            "persona": candidate.persona,
            "turns": MOST_TURNS,
            "script": script,
        },
        "conversation": [{"ended": "satisfied"}],
        "replies": replies,
        "calls": [
            {"turn": at, "calls": [call.model_dump(mode="json", exclude={"id"}) for call in step]}
            for at, turn in enumerate(candidate.turns)
            for step in turn.steps
        ],
        "tags": {
            "calls": str(sum(len(step) for turn in candidate.turns for step in turn.steps)),
            "turns": str(len(candidate.turns)),
        },
    }
    return [TaskCandidate(id=candidate.id, task=task)]
