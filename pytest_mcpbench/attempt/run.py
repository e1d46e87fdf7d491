"""Execution of one attempt: open the arena, let the agent act, collect the evidence, ask the judge."""

import time
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace

from pytest_mcpbench.agents.agent import Reviewer
from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.attempt.arena import Arena
from pytest_mcpbench.attempt.attempt import (
    Attempt,
    AttemptResult,
    PartialEvidence,
    store_evidence,
    store_result,
)
from pytest_mcpbench.attempt.named_directory import DirectedUser, filled_task
from pytest_mcpbench.attempt.route import route_attempt
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.attempt.tape import open_tape
from pytest_mcpbench.attempt.unanswered_calls import require_replies
from pytest_mcpbench.attempt.verdicts import add_verdicts, asks_model_for_verdicts
from pytest_mcpbench.core.errors import McpBenchError, TaskError
from pytest_mcpbench.core.evidence import VerifyResult
from pytest_mcpbench.core.planning import AttemptPlan
from pytest_mcpbench.core.suite import place_of
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.metrics.world_state.state_checks import describe_path_problems, path_problems
from pytest_mcpbench.servers.state_leaks import StateWatch


async def run_attempt(
    attempt: Attempt, pool: ServerPool, slot: AbstractAsyncContextManager[object] | None = None
) -> AttemptResult:
    """Run the attempt. Errors of servers, models and the task are returned; bugs and cancellation are raised.

    Args:
        attempt: Attempt to run.
        pool: Source of its servers.
        slot: Context manager that limits concurrency. It is entered only when the servers are open, so that they
            start while other agents act.
    """
    if attempt.plan.is_routed:
        return await route_attempt(attempt, pool, slot)
    start = time.perf_counter()
    plan, waited = attempt.plan, 0.0
    partial = PartialEvidence(plan, attempt.sandbox)
    try:
        trial = plan.description.trial
        tape = open_tape(attempt.tape, task=plan.task.id, trial=trial, sandbox=attempt.sandbox)
        task = filled_task(plan.task, attempt.sandbox)
        async with pool.arena(task, plan.suite, attempt.sandbox, trial=trial, tape=tape) as opened:
            user = DirectedUser(tape.user(attempt.user), attempt.sandbox) if attempt.user is not None else None
            arena = replace(opened, user=user, respondent=Respondent(task, user, opened.sampler))
            partial.see_arena(arena)
            attempt.sandbox.start()
            waiting_since = time.perf_counter()
            async with slot or nullcontext():
                waited = time.perf_counter() - waiting_since
                await arena.require_servers()
                await _act(attempt, task, arena, partial)
        # Outside the arena: closing it reads the final worlds of servers in other processes into the sandbox.
        _collect_worlds(attempt, partial)
        partial.note_restarts(pool.take_restarts())
        if isinstance(attempt.agent, Reviewer) and not arena.lacks_results:
            attempt.agent.review(plan.task, plan.suite, partial.evidence)
        if asks_model_for_verdicts(attempt):
            store_evidence(attempt, partial.evidence, time.perf_counter() - start - waited)
    except McpBenchError as error:
        partial.note_restarts(pool.take_restarts())
        return partial.failed(error, time.perf_counter() - start - waited)
    evidence = await add_verdicts(attempt, partial.evidence, tape)
    result = AttemptResult(evidence, tape.finish(), seconds=time.perf_counter() - start - waited)
    return store_result(attempt, result) if result.error is None else result


async def _act(attempt: Attempt, task: Task, arena: Arena, partial: PartialEvidence) -> None:
    """Let the agent act, and collect everything that needs the servers."""
    watch = StateWatch(arena.connections.values(), attempt.sandbox.location)
    try:
        trajectory = partial.trajectory = await attempt.agent.attempt(task, arena)
    finally:
        partial.see_changes(arena)
    require_replies(task, trajectory, arena.tools)
    partial.verified = await _verify_results(task, arena)
    warnings = [warning for connection in arena.connections.values() for warning in connection.warnings]
    # A task that resets its servers may share their state.
    warnings += [] if task.reset else watch.warnings()
    partial.notes = partial.notes.model_copy(update={"warnings": tuple(warnings)})


async def _verify_results(task: Task, arena: Arena) -> tuple[VerifyResult, ...]:
    """Call the read tools of the task's ``verify`` checks and return their results."""
    return tuple(
        [
            VerifyResult(check=check, result=await arena.read(check.server, check.tool, check.arguments))
            for check in task.expected.verify
        ]
    )


def _collect_worlds(attempt: Attempt, partial: PartialEvidence) -> None:
    """Collect the changes of the worlds. Raises TaskError for a state check whose path no world declares."""
    partial.worlds = attempt.sandbox.diff()
    if unread := attempt.sandbox.unread_fields:
        partial.notes = partial.notes.model_copy(update={"unread_fields": unread})
    _check_paths(attempt.plan, partial.worlds)


def _check_paths(plan: AttemptPlan, worlds: tuple[WorldRecord, ...]) -> None:
    for index, check in enumerate(plan.task.expected.state):
        doubts = path_problems(check, worlds)
        if doubts and all(doubt.is_undeclared for doubt in doubts.values()):
            problem = describe_path_problems(doubts)
            field = f"state[{index}].{check.verb}"
            place = place_of(plan.task, plan.suite)
            raise TaskError(f"{check.path!r}: {problem}{'' if problem.endswith('?') else '.'}", place, field)
