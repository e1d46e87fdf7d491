"""Checkpoints of tasks, from what their references change (MCP-Persona 3.4, B.2)."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from pytest_mcpbench.core.effects import GENERATED, Effect
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.payload import payload
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.stages import Outcome
from pytest_mcpbench.generation.pipelines.persona.candidates import RequestCandidate
from pytest_mcpbench.generation.pipelines.persona.mistakes import passing_mistake
from pytest_mcpbench.generation.pipelines.persona.trees import is_read
from pytest_mcpbench.generation.pipelines.persona.worlds import Worlds
from pytest_mcpbench.generation.proof.playing import read_task
from pytest_mcpbench.metrics.world_state.recorded_effects import DifferentAttemptsError, effects_of
from pytest_mcpbench.runtime.agent import Agent
from pytest_mcpbench.runtime.agents.noop import NoopAgent
from pytest_mcpbench.runtime.agents.oracle import OracleAgent

_LONGEST_RESULT = 20000
"""Characters of a result that a check compares as a whole."""
_TELEPHONE = re.compile(r"\+\d{7,15}")


async def set_checkpoints(worlds: Worlds, candidate: RequestCandidate) -> Outcome:
    """Return the task with checks of what the reference changes; drop one that a wrong attempt passes."""
    made = await _Checks(worlds, candidate).task()
    if isinstance(made, Drop):
        return made
    return await passing_mistake(worlds.setup, candidate, made) or [made]


@dataclass(frozen=True)
class _Checks:
    """Checks of one task, from attempts of its reference."""

    worlds: Worlds
    candidate: RequestCandidate

    async def task(self) -> TaskCandidate | Drop:
        """Return the task with its checks, or why it has none."""
        plain = await self._content()
        reads = self._snapshots()
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
        return _effect_checks(effects) if effects else await self._checks_of_reads(task, first, second)

    async def _checks_of_reads(
        self, task: Task, first: AttemptEvidence, second: AttemptEvidence
    ) -> dict[str, JsonValue] | Drop:
        """Return the checks of a task whose servers publish no world."""
        idle = await self._evidence(task, NoopAgent(), "idle")
        if isinstance(idle, Drop):
            return idle
        verified = _verify_checks(idle, first, second)
        if not verified:
            return Drop("no tool shows what the reference changes", self.candidate.id)
        return {"verify": verified, "floors": {"verify": 1.0}}

    async def _evidence(self, task: Task, agent: Agent, identity: str) -> AttemptEvidence | Drop:
        played = await self.worlds.setup.player.play(task, agent, identity)
        if played.error is not None:
            return Drop("the reference fails on the server", str(played.error))
        return played.evidence

    def _snapshots(self) -> list[JsonValue]:
        """Return reads, without arguments, of the servers that the reference changes."""
        changed = dict.fromkeys(unit.server for unit in self.candidate.units if unit.kind == "change")
        return [
            {"server": server, "tool": tool.name}
            for server in changed
            for tool in self.worlds.setup.servers[server].tools
            if is_read(tool) and not tool.required and self.worlds.setup.may_be_called(server, tool.name)
        ]

    async def _content(self) -> dict[str, JsonValue]:
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
        return {**content, **({"context": context} if context else {}), "calls": calls, "tags": tags}


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


def _verify_checks(idle: AttemptEvidence, first: AttemptEvidence, second: AttemptEvidence) -> list[JsonValue]:
    """Return the reads whose results are the same after each attempt of the reference, if one shows a change."""
    checks: list[JsonValue] = []
    shows_change = False
    for before, after, again in zip(idle.verified, first.verified, second.verified, strict=True):
        value = payload(after.result)
        is_short = len(json.dumps(value, ensure_ascii=False)) <= _LONGEST_RESULT
        if after.result.is_error or value != payload(again.result) or not is_short:
            continue
        shows_change = shows_change or value != payload(before.result)
        checks.append({"server": after.check.server, "tool": after.check.tool, "equals": value})
    return checks if shows_change else []
