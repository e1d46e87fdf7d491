"""Stages of the pipeline ``templates``."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from pydantic import BaseModel, Field, JsonValue

from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.placeholders import PLACEHOLDER, fill_placeholders, payload
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.slots import SLOT, with_values
from pytest_mcpbench.generation.pipeline.stages import Asking, EachStage, Outcome, Stage, WholeStage
from pytest_mcpbench.generation.pipeline.trial_servers import open_server
from pytest_mcpbench.generation.pipelines.templates.candidates import FilledCandidate, TemplateGroup
from pytest_mcpbench.generation.pipelines.templates.reading import read_templates
from pytest_mcpbench.generation.proof.playing import read_task
from pytest_mcpbench.metrics.answer import expects_answer, wrong_answer

# Answers of the reference, and the filter of questions that need no tool (MCP-RADAR 3.1).

ANSWERING = Asking(prompt_tokens=150, reply_tokens=80)
_INSTRUCTIONS = "Answer the question from what you know. You have no tools. Say `unknown` if you do not know."


class _Answer(BaseModel):
    answer: str = Field(description="the answer alone, or: unknown")


async def make_task(setup: Setup, candidate: FilledCandidate) -> Outcome:
    """Return the task in the native format; its answer has the values that the reference gets."""
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
    task = {"id": candidate.id, "ask": candidate.request, "servers": servers, "calls": groups, "tags": tags}
    if not candidate.answers:
        return [TaskCandidate(id=candidate.id, task=task)]
    answers: Sequence[str] = candidate.answers
    if any(map(PLACEHOLDER.search, answers)):
        playable = read_task(TaskCandidate(id=candidate.id, task=task))
        if isinstance(playable, Drop):
            return playable
        played = await setup.player.play(playable, OracleAgent())
        if played.error is not None:
            return Drop("the reference fails on the server", str(played.error))
        made = enumerate(played.evidence.calls, 1)
        results = {str(number): call.result for number, call in made if call.result is not None}
        answers = [str(fill_placeholders(f"{answer} ", results)).strip() for answer in answers]
        missing = next((found for answer in answers if (found := PLACEHOLDER.search(answer))), None)
        if missing:
            return Drop("a result has no value for the answer", missing[0])
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


# Values of slots, drawn from lists and from results of the servers, and the requests that they lead to.

OF_EACH = 5
"""Tasks that one template leads to at most (MCP-RADAR 3.2)."""
_MOST_VALUES = 200
"""Values of one slot."""


async def find_values(setup: Setup, template: TemplateGroup) -> Outcome:
    """Return the template with the values that the servers have for its slots."""
    values = dict(template.values)
    for slot, source in template.sources.items():
        # Each call is made in a fresh state.
        async with open_server(setup, source.call.server) as (connection, _):
            result = await connection.call(source.call.tool, source.call.arguments)
        found = None if result.is_error else payload(result)
        if found is None:
            return Drop("a call for values fails on the server", source.call.tool)
        values[slot] = tuple(dict.fromkeys(_members(found, source.field)))[:_MOST_VALUES]
    for slot in _slots(template):
        if not values.get(slot):
            return Drop("a slot has no value", slot)
    return [template.model_copy(update={"values": values})]


async def fill(setup: Setup, template: TemplateGroup) -> Outcome:
    """Return the template with different values drawn for its slots, at most :data:`OF_EACH` times."""
    rng = setup.random(f"values of {template.id}")
    drawn: dict[str, dict[str, JsonValue]] = {}
    for _ in range(4 * OF_EACH):
        chosen: dict[str, JsonValue] = {}
        for slot in _slots(template):
            pool = template.values[slot]
            # Slots with the same values get different ones where there are enough.
            left = [value for value in pool if value not in chosen.values()] or list(pool)
            chosen[slot] = rng.choice(left)
        if len(drawn) < OF_EACH:
            drawn.setdefault(repr(chosen), chosen)
    return [
        FilledCandidate(
            id=f"{template.id}-{number}",
            request=" ".join(_text(ask, values) for ask in template.asks),
            steps=tuple(
                tuple(call.model_copy(update={"arguments": with_values(call.arguments, values)}) for call in step)
                for step in template.steps
            ),
            answers=tuple(_text(answer, values) for answer in template.answers),
            tags=template.tags,
        )
        for number, values in enumerate(drawn.values(), 1)
    ]


def _members(value: Any, field: str, name: str = "") -> Iterator[JsonValue]:
    """Yield the texts and numbers of all members with a name; without a name all."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _members(part, field, key)
    elif isinstance(value, list):
        for part in value:
            yield from _members(part, field, name)
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and field in ("", name):
        yield value


def _slots(template: TemplateGroup) -> dict[str, None]:
    """Return the slots of the requests and of the calls, without references to results."""
    texts = [*template.asks, *template.answers, *(repr(call.arguments) for step in template.steps for call in step)]
    return dict.fromkeys(slot for text in texts for slot in SLOT.findall(text) if not slot.endswith("_result"))


def _text(template: str, values: dict[str, JsonValue]) -> str:
    return SLOT.sub(lambda slot: str(values.get(slot[1], slot[0])), template)


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the tasks; without a model, tasks that need no tool are not looked for."""
    found: list[Stage] = [
        WholeStage("templates", TemplateGroup, lambda _nothing: read_templates(setup)),
        EachStage("values", TemplateGroup, partial(find_values, setup), concurrency=setup.concurrency),
        EachStage("fill", FilledCandidate, partial(fill, setup)),
        EachStage("task", TaskCandidate, partial(make_task, setup), concurrency=setup.concurrency),
    ]
    if setup.questions is not None:
        found.append(EachStage("filter", TaskCandidate, partial(drop_known, setup), ANSWERING, setup.concurrency))
    return found
