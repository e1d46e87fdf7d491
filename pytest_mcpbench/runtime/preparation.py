"""Calls before and after an attempt, which bring servers into the state from which its task starts, or back into it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio

from pytest_mcpbench.core.errors import McpBenchError, TaskError
from pytest_mcpbench.core.task import PreparingCall
from pytest_mcpbench.core.task_place import place_of
from pytest_mcpbench.runtime.arena import Arena

_RESET_SECONDS = 10.0
"""Time that the calls of ``reset`` may take after an attempt that failed or was cancelled."""
_ERROR_CHARACTERS = 300


@asynccontextmanager
async def prepared(arena: Arena) -> AsyncIterator[None]:
    """Make the calls of the task's ``setup`` now, and those of its ``reset`` at the end, whatever happens.

    Raises:
        TaskError: a call returned an error, or no server offers its tool.
        ServerError: a server died.
    """
    try:
        await _make(arena, "setup", arena.task.setup)
        # The worlds of servers in this process have recorded what these calls changed.
        arena.sandbox.restart_worlds()
        yield
    except BaseException:
        # Shielded: a server that outlives an attempt that is cancelled must be reset, too.
        with anyio.move_on_after(_RESET_SECONDS, shield=True), suppress(McpBenchError):
            await _make(arena, "reset", arena.task.reset)
        raise
    await _make(arena, "reset", arena.task.reset)


async def _make(arena: Arena, field: str, calls: tuple[PreparingCall, ...]) -> None:
    for index, call in enumerate(calls):
        where = f"{field}[{index}]"
        result = await arena.read(call.server, call.tool, call.arguments, field=where)
        if result.is_error:
            problem = f"the call of {call.tool!r} returns an error: {result.text[:_ERROR_CHARACTERS].rstrip('.')}."
            raise TaskError(problem, place_of(arena.task, arena.suite), where)
