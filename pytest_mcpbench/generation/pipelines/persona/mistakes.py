"""Wrong attempts that a task with checkpoints must not pass (MCP-Persona B.2)."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipelines.persona.candidates import Lookup, RequestCandidate, Slot, Unit
from pytest_mcpbench.generation.pipelines.persona.units import value_of, value_pool
from pytest_mcpbench.generation.proof.playing import read_task
from pytest_mcpbench.metrics.comparison.dotted_path import value_at
from pytest_mcpbench.runtime.agents.oracle import OracleAgent
from pytest_mcpbench.runtime.agents.script import Script, ScriptAgent, ScriptedCall

_ADDED = "is also called with another"


async def passing_mistake(setup: Setup, candidate: RequestCandidate, made: TaskCandidate) -> Drop | None:
    """Return the decision to drop a task whose reference fails or that a wrong attempt passes; otherwise ``None``."""
    task = read_task(made)
    if isinstance(task, Drop):
        return task
    right = await setup.player.play(task, OracleAgent())
    if right.error is not None:
        return Drop("the reference fails on the server", str(right.error))
    card = setup.player.score(task, right.evidence)
    if not card.passed:
        return Drop("the reference does not pass its checkpoints", ", ".join([*card.shortfalls, *card.unscored]))
    for mistake, script in _mistakes(candidate, Script.of(right.evidence.trajectory)):
        wrong = await setup.player.play(task, ScriptAgent(script))
        if _ADDED in mistake and is_passed_over(wrong.evidence, right.evidence):
            continue
        if wrong.error is None and setup.player.score(task, wrong.evidence).passed:
            return Drop("a wrong attempt passes the checkpoints", mistake)
    return None


def is_passed_over(added: AttemptEvidence, reference: AttemptEvidence) -> bool:
    """Return whether a call that an attempt adds to the reference changes nothing, so that it is no mistake.

    The server refuses it, or all worlds are the same. A server without a world may have changed, unless the reference
    has changed one.
    """
    has_shown = any(world.changes for world in reference.worlds)
    return (has_shown and added.worlds == reference.worlds) or any(call.is_error for call in added.calls)


def wrong_answers(candidate: RequestCandidate) -> list[str]:
    """Return answers about other things: the first that contains the right one, and the first that does not."""
    unit = candidate.units[0]
    slot = unit.slots[0]
    lookup = _lookup_of(candidate, slot)
    asked = candidate.things[f"1_{slot.name}"].label
    others = [str(each.fields.get(unit.field, "")) for each in lookup.records if each.label != asked]
    right = candidate.answer.casefold()
    kinds = [
        [each for each in others if each and (right in each.casefold()) is is_inside] for is_inside in (True, False)
    ]
    return [found[0] for found in kinds if found]


def _mistakes(candidate: RequestCandidate, script: Script) -> Iterator[tuple[str, Script]]:
    """Yield wrong attempts with their descriptions: other answers, or changes left out, altered or added."""
    if candidate.answer:
        for answer in wrong_answers(candidate):
            yield f"the answer is that of another thing: {answer}", script.with_answer(f"It is {answer}.")
        return
    tools = [(call.server, call.tool) for (call,) in candidate.steps]
    for unit in (unit for unit in candidate.units if unit.kind == "change"):
        at = tools.index((unit.server, unit.tool))
        (call,) = script.steps[at].calls
        yield f"{unit.tool} is left out", script.with_calls(at, ())
        for slot, wrong in _wrong_calls(candidate, unit, call):
            yield f"{unit.tool} has another {slot}", script.with_calls(at, (wrong,))
            extra = replace(script.steps[at], calls=(wrong,))
            yield f"{unit.tool} {_ADDED} {slot}", script.with_step(at + 1, extra)


def _wrong_calls(candidate: RequestCandidate, unit: Unit, call: ScriptedCall) -> Iterator[tuple[str, ScriptedCall]]:
    """Yield the call with another value for each slot that has one, and the word for the slot."""
    for slot in unit.slots:
        right = value_at(call.arguments, slot.parameter)
        wrong = _other_value(candidate, slot, right)
        if wrong is not None:
            arguments = _with_replaced_text(call.arguments, _longest_text(right), wrong)
            if arguments != call.arguments:
                yield slot.noun or slot.name, replace(call, arguments=arguments)


def _other_value(candidate: RequestCandidate, slot: Slot, right: Any) -> JsonValue:
    """Return the first value for a slot that the right one does not contain; ``None`` if there is none."""
    pool = value_pool(slot)
    if slot.role == "thing":
        pool = [value_of(slot, each.fields.get(slot.field)) for each in _lookup_of(candidate, slot).records]
    inside = _json(right)
    return next((value for value in pool if value and _json(value) not in inside), None)


def _with_replaced_text(arguments: Mapping[str, Any], old: Any, new: JsonValue) -> dict[str, Any]:
    changed: dict[str, Any] = json.loads(_json(arguments).replace(_json(old), _json(new)))
    return changed


def _lookup_of(candidate: RequestCandidate, slot: Slot) -> Lookup:
    (lookup,) = (each for each in candidate.lookups if each.id == slot.lookup)
    return lookup


def _longest_text(value: Any) -> Any:
    """Return the longest text in a value, or the value itself."""
    if isinstance(value, dict | list):
        parts = list(value.values()) if isinstance(value, dict) else value
        texts = [found for part in parts if isinstance(found := _longest_text(part), str)]
        return max(texts, key=len, default="")
    return value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
