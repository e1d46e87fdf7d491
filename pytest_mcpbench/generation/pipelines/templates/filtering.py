"""Answers of the reference, and the filter of questions that need no tool (MCP-RADAR 3.1)."""

from collections.abc import Sequence

from pydantic import BaseModel, Field, JsonValue

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.placeholders import PLACEHOLDER, fill_placeholders
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, Outcome
from pytest_mcpbench.generation.pipelines.templates.candidates import FilledCandidate
from pytest_mcpbench.generation.proof.playing import read_task
from pytest_mcpbench.metrics.answer import expects_answer, wrong_answer
from pytest_mcpbench.runtime.agents.oracle import OracleAgent

ANSWERING = Asking(prompt_tokens=150, reply_tokens=80)
_INSTRUCTIONS = "Answer the question from what you know. You have no tools. Say `unknown` if you do not know."


class _Answer(BaseModel):
    answer: str = Field(description="the answer alone, or: unknown")


async def make_task(setup: Setup, candidate: FilledCandidate) -> Outcome:
    """Return the task in the native format; its answer has the values that the reference gets."""
    task = _content(candidate)
    if not candidate.answers:
        return [TaskCandidate(id=candidate.id, task=task)]
    answers: Sequence[str] | Drop = candidate.answers
    if any(map(PLACEHOLDER.search, candidate.answers)):
        answers = await _with_results(setup, read_task(TaskCandidate(id=candidate.id, task=task)), candidate.answers)
    if isinstance(answers, Drop):
        return answers
    return [TaskCandidate(id=candidate.id, task={**task, "answer": {"contains": [*answers]}})]


async def drop_known(setup: Setup, candidate: TaskCandidate) -> Outcome:
    """Drop a question that the model answers without tools; a task without an answer needs its calls."""
    assert setup.questions is not None, "without a model nothing is filtered"
    task = read_task(candidate)
    if isinstance(task, Drop):
        return task
    if not expects_answer(task):
        return [candidate]
    reply = await setup.questions.ask(_INSTRUCTIONS, task.prompt, _Answer)
    trajectory = Trajectory(steps=(Step(text=reply.answer),))
    evidence = AttemptEvidence(task_id=task.id, model=setup.questions.model.name, trajectory=trajectory)
    if wrong_answer(task, evidence) is None:
        return Drop("the model solves the task without tools", reply.answer)
    return [candidate]


def _content(candidate: FilledCandidate) -> dict[str, JsonValue]:
    number = 0
    groups: list[JsonValue] = []
    for step in candidate.steps:
        group: list[JsonValue] = []
        for call in step:
            number += 1
            group.append({"id": str(number), **call.model_dump(mode="json")})
        groups.append(group)
    servers: list[JsonValue] = [*dict.fromkeys(call.server for step in candidate.steps for call in step)]
    tags: dict[str, JsonValue] = {**candidate.tags, "calls": str(number)}
    return {"id": candidate.id, "ask": candidate.request, "servers": servers, "calls": groups, "tags": tags}


async def _with_results(setup: Setup, task: Task | Drop, answers: Sequence[str]) -> list[str] | Drop:
    """Return the answers with the values of the reference's results."""
    if isinstance(task, Drop):
        return task
    played = await setup.player.play(task, OracleAgent())
    if played.error is not None:
        return Drop("the reference fails on the server", str(played.error))
    made = played.evidence.calls
    results = {str(number): call.result for number, call in enumerate(made, 1) if call.result is not None}
    filled = [str(fill_placeholders(f"{answer} ", results)).strip() for answer in answers]
    missing = next((found for answer in filled if (found := PLACEHOLDER.search(answer))), None)
    return Drop("a result has no value for the answer", missing[0]) if missing else filled
