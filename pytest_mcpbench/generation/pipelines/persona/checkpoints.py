"""Checkpoints of tasks, from what their references change (MCP-Persona 3.4, B.2)."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.agents.noop import NoopAgent
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.agents.script import Script, ScriptAgent, ScriptedCall
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.placeholders import payload
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.world import GENERATED, Effect
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Outcome
from pytest_mcpbench.generation.pipelines.persona.candidates import FuzzyRequest, Lookup, Slot, ToolUnit
from pytest_mcpbench.generation.pipelines.persona.trees import is_read
from pytest_mcpbench.generation.pipelines.persona.units import value_of, value_pool
from pytest_mcpbench.generation.pipelines.persona.worlds import Worlds
from pytest_mcpbench.generation.proof.playing import read_task
from pytest_mcpbench.metrics.world_state.recorded_effects import DifferentAttemptsError, effects_of
from pytest_mcpbench.text.paths import part_at

# Wrong attempts that a task with checkpoints must not pass (MCP-Persona B.2).

_ADDED = "is also called with another"


async def passing_mistake(setup: Setup, candidate: FuzzyRequest, made: TaskCandidate) -> Drop | None:
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


def wrong_answers(candidate: FuzzyRequest) -> list[str]:
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


def _mistakes(candidate: FuzzyRequest, script: Script) -> Iterator[tuple[str, Script]]:
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


def _wrong_calls(candidate: FuzzyRequest, unit: ToolUnit, call: ScriptedCall) -> Iterator[tuple[str, ScriptedCall]]:
    """Yield the call with another value for each slot that has one, and the word for the slot."""
    for slot in unit.slots:
        right = part_at(call.arguments, slot.parameter)
        pool = value_pool(slot)
        if slot.role == "thing":
            pool = [value_of(slot, each.fields.get(slot.field)) for each in _lookup_of(candidate, slot).records]
        inside = _json(right)
        wrong = next((value for value in pool if value and _json(value) not in inside), None)
        if wrong is not None:
            changed = _json(call.arguments).replace(_json(_longest_text(right)), _json(wrong))
            arguments: dict[str, Any] = json.loads(changed)
            if arguments != call.arguments:
                yield slot.noun or slot.name, replace(call, arguments=arguments)


def _lookup_of(candidate: FuzzyRequest, slot: Slot) -> Lookup:
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


_LONGEST_RESULT = 20000
"""Characters of a result that a check compares as a whole."""
_TELEPHONE = re.compile(r"\+\d{7,15}")


async def set_checkpoints(worlds: Worlds, candidate: FuzzyRequest) -> Outcome:
    """Return the task with checks of what the reference changes; drop one that a wrong attempt passes."""
    made = await _Checks(worlds, candidate).task()
    if isinstance(made, Drop):
        return made
    return await passing_mistake(worlds.setup, candidate, made) or [made]


@dataclass(frozen=True)
class _Checks:
    """Checks of one task, from attempts of its reference."""

    worlds: Worlds
    candidate: FuzzyRequest

    async def task(self) -> TaskCandidate | Drop:
        """Return the task with its checks, or why it has none."""
        candidate = self.candidate
        servers = sorted(
            {unit.server for unit in candidate.units} | {call.server for step in candidate.steps for call in step}
        )
        facts = {"My name": candidate.own_name} if candidate.own_name else {}
        necessary = {**facts, **candidate.necessary}
        context = await self.worlds.context(servers, candidate.cast)
        context |= {"necessary": dict(necessary)} if necessary else {}
        context |= {"unnecessary": list(candidate.unnecessary)} if candidate.unnecessary else {}
        calls: list[JsonValue] = [
            [call.model_dump(mode="json", include={"id", "server", "tool", "arguments"}) for call in step]
            for step in candidate.steps
        ]
        tags: dict[str, JsonValue] = {
            "category": "+".join(servers),
            "person": candidate.person,
            "calls": str(len(calls)),
        }
        content: dict[str, JsonValue] = {"id": candidate.id, "ask": candidate.request, "servers": [*servers]}
        plain = {**content, **({"context": context} if context else {}), "calls": calls, "tags": tags}
        # Reads without arguments show what the reference has changed.
        changed = dict.fromkeys(unit.server for unit in candidate.units if unit.kind == "change")
        reads: list[JsonValue] = [
            {"server": server, "tool": tool.name}
            for server in changed
            for tool in self.worlds.setup.servers[server].tools
            if is_read(tool) and not tool.required and self.worlds.setup.may_be_called(server, tool.name)
        ]
        task = read_task(TaskCandidate(id=self.candidate.id, task={**plain, "verify": reads} if reads else plain))
        if isinstance(task, Drop):
            return task
        checks = await self._checks(task)
        return checks if isinstance(checks, Drop) else TaskCandidate(id=self.candidate.id, task={**plain, **checks})

    async def _checks(self, task: Task) -> dict[str, JsonValue] | Drop:
        """Play the reference twice and return checks of the answer, of its effects, or of what reads return."""
        played = [await self._evidence(task, OracleAgent(), identity) for identity in ("first", "second")]
        faults = [each for each in played if isinstance(each, Drop)]
        if faults:
            return faults[0]
        first, second = (each for each in played if isinstance(each, AttemptEvidence))
        try:
            effects = effects_of(task, first, second)
        except DifferentAttemptsError as error:
            return Drop("two attempts of the reference change different things", str(error))
        if self.candidate.answer:
            answer = answer_check(self.candidate.answer)
            return {"answer": answer, "expected": {"effects": []}, "floors": {"answer": 1.0, "effects": 1.0}}
        if effects:
            return _effect_checks(effects)
        idle = await self._evidence(task, NoopAgent(), "idle")
        if isinstance(idle, Drop):
            return idle
        checks: list[JsonValue] = []
        shows_change = False
        for before, after, again in zip(idle.verified, first.verified, second.verified, strict=True):
            value = payload(after.result)
            is_short = len(json.dumps(value, ensure_ascii=False)) <= _LONGEST_RESULT
            if after.result.is_error or value != payload(again.result) or not is_short:
                continue
            shows_change = shows_change or value != payload(before.result)
            checks.append({"server": after.check.server, "tool": after.check.tool, "equals": value})
        verified = checks if shows_change else []
        if not verified:
            return Drop("no tool shows what the reference changes", self.candidate.id)
        return {"verify": verified, "floors": {"verify": 1.0}}

    async def _evidence(self, task: Task, agent: Agent, identity: str) -> AttemptEvidence | Drop:
        played = await self.worlds.setup.player.play(task, agent, identity)
        if played.error is not None:
            return Drop("the reference fails on the server", str(played.error))
        return played.evidence


def answer_check(value: str) -> dict[str, JsonValue]:
    """Return the check that an answer has a value; a telephone number may be written in groups."""
    if not _TELEPHONE.fullmatch(value):
        return {"contains": [value]}
    digits = r"[ .()-]*".join(value.removeprefix("+"))
    return {"regex": rf"\b{digits}\b", "example": value}


def _effect_checks(effects: Sequence[Effect]) -> dict[str, JsonValue]:
    """Return the effects, and a state check for each whose place is known."""
    state: list[JsonValue] = [check for effect in effects if (check := _state_check(effect))]
    recorded: list[JsonValue] = [
        effect.model_dump(mode="json", exclude_defaults=True) | {"id": effect.id} for effect in effects
    ]
    floors: dict[str, JsonValue] = {"effects": 1.0}
    if state and len(state) == len(effects):
        return {
            "state": state,
            "expected": {"effects": recorded},
            "floors": floors | {"state": 1.0, "state_clean": 1.0},
        }
    return {"expected": {"effects": recorded}, "floors": floors}


def _state_check(effect: Effect) -> dict[str, JsonValue] | None:
    if GENERATED in effect.collection or (effect.kind != "created" and GENERATED in effect.id):
        return None
    entity = f"{effect.collection}[{effect.id}]" if effect.collection else effect.id
    known: dict[str, JsonValue] = {
        name: value
        for name, value in effect.fields.items()
        if isinstance(value, str | int | float | bool) and GENERATED not in str(value) and re.fullmatch(r"\w+", name)
    }
    if effect.kind == "created":
        return (
            {"created": effect.collection, "world": effect.world, "where": known, "count": 1}
            if effect.collection
            else None
        )
    where: dict[str, JsonValue] = {"where": known} if known and effect.kind == "updated" else {}
    return {effect.kind: entity, "world": effect.world, **where}
