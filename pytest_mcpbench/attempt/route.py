"""Route mode: the agent is asked for its first message, of which the calls are scored and not executed."""

import time
from contextlib import AbstractAsyncContextManager, nullcontext

from pytest_mcpbench.attempt.attempt import Attempt, AttemptResult, PartialEvidence, store_result
from pytest_mcpbench.attempt.named_directory import filled_task
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.attempt.tape import open_tape
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.planning import first_message_task


async def route_attempt(
    attempt: Attempt, pool: ServerPool, slot: AbstractAsyncContextManager[object] | None = None
) -> AttemptResult:
    """Ask the agent for its first message; no server runs, no world changes and no judge is asked.

    The arguments and errors are those of :func:`~pytest_mcpbench.attempt.run.run_attempt`.
    """
    start = time.perf_counter()
    plan, waited = attempt.plan, 0.0
    partial = PartialEvidence(plan, attempt.sandbox)
    try:
        trial = plan.description.trial
        tape = open_tape(attempt.tape, task=plan.task.id, trial=trial, sandbox=attempt.sandbox)
        task = filled_task(plan.task, attempt.sandbox)
        arena = await pool.route_arena(task, plan.suite, attempt.sandbox, trial=trial, tape=tape)
        partial.see_arena(arena)
        attempt.sandbox.start()
        opened = time.perf_counter()
        async with slot or nullcontext():
            waited = time.perf_counter() - opened
            trajectory = await attempt.agent.attempt(first_message_task(task), arena)
        partial.trajectory = trajectory.model_copy(update={"stop": "routed"}) if trajectory.calls else trajectory
    except McpBenchError as error:
        return partial.failed(error, time.perf_counter() - start - waited)
    result = AttemptResult(partial.evidence, tape.finish(), seconds=time.perf_counter() - start - waited)
    return store_result(attempt, result) if result.error is None else result
