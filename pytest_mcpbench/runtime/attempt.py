"""One attempt: set up the arena, let the agent act, observe, ask the judge."""

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import anyio
from pydantic import JsonValue

from pytest_mcpbench.core.dispatch import NOTE
from pytest_mcpbench.core.errors import McpBenchError, TaskError
from pytest_mcpbench.core.evidence import AttemptEvidence, VerifyResult
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.metrics.world_state.state_checks import doubts_in_words, doubts_of
from pytest_mcpbench.runtime.agent import Agent
from pytest_mcpbench.runtime.arena import Arena
from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.remote.components import AttemptComponents
from pytest_mcpbench.runtime.server_pool import ServerPool
from pytest_mcpbench.runtime.servers.exposure import place_of

QuestionsOf = Callable[[Task, AttemptEvidence], Iterable[Question]]


@dataclass(frozen=True)
class Attempt:
    """Everything that one attempt needs."""

    task: Task
    suite: SuiteManifest
    model: str
    trial: int
    agent: Agent
    sandbox: Sandbox
    questions: QuestionsOf
    """What the metrics want to have judged, given the run."""
    judge: Judge | None = None
    components: AttemptComponents | None = None
    """How another process makes agent and judge; ``None``: only this one can."""
    local_only_reason: str = ""
    """Why only this process can make it, for people."""


@dataclass(frozen=True)
class AttemptResult:
    """What came of an attempt: all of its evidence, or the error with the evidence up to it."""

    evidence: AttemptEvidence
    error: McpBenchError | None = None
    seconds: float = 0.0
    """From opening its servers to the last verdict; waiting for a place among the attempts in flight is not in it."""


async def run_attempt(
    attempt: Attempt, pool: ServerPool, place: AbstractAsyncContextManager[object] | None = None
) -> AttemptResult:
    """Make the attempt. Errors of servers, models and the task are returned; bugs and cancellation are raised.

    Args:
        attempt: What to make.
        pool: Where its servers come from.
        place: Entered while the agent acts, and not before its servers are open: they start while others act.
    """
    begin = time.perf_counter()
    evidence: dict[str, Any] = {}
    try:
        async with pool.arena(attempt.task, attempt.suite, attempt.sandbox, trial=attempt.trial) as arena:
            evidence.update(_of_arena(arena))
            opened = time.perf_counter()
            async with place or nullcontext():
                begin += time.perf_counter() - opened
                evidence["trajectory"] = await attempt.agent.attempt(attempt.task, arena)
                evidence["verified"] = await _verified(attempt.task, arena)
        evidence["worlds"] = attempt.sandbox.diff()
        _check_paths(attempt, evidence["worlds"])
    except McpBenchError as error:
        evidence.setdefault("trajectory", error.trajectory or Trajectory())
        return AttemptResult(_run(attempt, evidence), error, seconds=time.perf_counter() - begin)
    run = await add_verdicts(attempt, _run(attempt, evidence))
    return AttemptResult(run, seconds=time.perf_counter() - begin)


def _check_paths(attempt: Attempt, worlds: tuple[WorldRecord, ...]) -> None:
    """Refuse a state check whose path none of its worlds declares."""
    for at, check in enumerate(attempt.task.expected.state):
        doubts = doubts_of(check, worlds)
        if doubts and all(seen.is_undeclared for seen in doubts.values()):
            place = place_of(attempt.task, attempt.suite)
            problem = doubts_in_words(doubts)
            field = f"state[{at}].{check.verb}"
            raise TaskError(f"{check.path!r}: {problem}{'' if problem.endswith('?') else '.'}", place, field)


def _of_arena(arena: Arena) -> dict[str, Any]:
    notes: dict[str, JsonValue] = {"arena": list(arena.notes)} if arena.notes else {}
    if arena.dispatch is not None:
        notes[NOTE] = arena.dispatch.model_dump(mode="json")
    return {
        "tools": arena.tools,
        "servers": arena.servers,
        "unavailable_tools": arena.unavailable_tools,
        "notes": notes,
    }


def _run(attempt: Attempt, evidence: dict[str, Any]) -> AttemptEvidence:
    return AttemptEvidence(task_id=attempt.task.id, model=attempt.model, trial=attempt.trial, **evidence)


async def _verified(task: Task, arena: Arena) -> tuple[VerifyResult, ...]:
    """The answers of the read tools that the task's ``verify`` checks name."""
    return tuple(
        [
            VerifyResult(check=check, result=await arena.read(check.server, check.tool, check.arguments))
            for check in task.expected.verify
        ]
    )


async def add_verdicts(attempt: Attempt, evidence: AttemptEvidence) -> AttemptEvidence:
    """The run with a verdict for each question of its metrics; without a judge, as it is."""
    if attempt.judge is None:
        return evidence
    questions = {question.key: question for question in attempt.questions(attempt.task, evidence)}
    verdicts: dict[str, Verdict] = {}

    async def ask(judge: Judge, key: str, question: Question) -> None:
        verdicts[key] = await judge.decide(question)

    async with anyio.create_task_group() as group:
        for key, question in questions.items():
            group.start_soon(ask, attempt.judge, key, question)
    return evidence.model_copy(update={"verdicts": {key: verdicts[key] for key in questions}})
