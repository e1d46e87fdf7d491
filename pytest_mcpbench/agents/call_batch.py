"""Parallel calls of one assistant message, with a record of each call even if the attempt is interrupted."""

import time
from collections.abc import Sequence
from typing import Protocol

import anyio

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult

_INTERRUPTED = "The call was interrupted: the attempt ended before it returned a result."


class Caller(Protocol):
    """Part of an arena that makes calls."""

    async def call(self, call: Call) -> CallRecord: ...


class CallBatch:
    """Calls of one assistant message: executed concurrently, recorded in their order."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._records: list[CallRecord | None] = [None] * len(calls)
        self._errors: list[McpBenchError] = []
        self._started = time.perf_counter()

    async def execute(self, arena: Caller) -> None:
        """Execute all calls. If servers die, the other calls still finish before the first error is raised."""
        if len(self._calls) == 1:
            # As nearly always, and a group with a task takes longer than all else here. An error of ours, which is no
            # McpBenchError, is raised as it is; that of several calls in an exception group.
            await self._execute_call(arena, 0, self._calls[0])
        else:
            async with anyio.create_task_group() as group:
                for index, call in enumerate(self._calls):
                    group.start_soon(self._execute_call, arena, index, call)
        if self._errors:
            raise self._errors[0]

    @property
    def records(self) -> tuple[CallRecord, ...]:
        """Records of all calls so far; a call without a result is recorded as a time-out."""
        return tuple(
            record or self._record(call, ToolResult.failure(_INTERRUPTED, "timeout"))
            for call, record in zip(self._calls, self._records, strict=True)
        )

    async def _execute_call(self, arena: Caller, index: int, call: Call) -> None:
        try:
            self._records[index] = await arena.call(call)
        except McpBenchError as error:
            self._records[index] = self._record(call, ToolResult.failure(str(error), "transport"))
            self._errors.append(error)

    def _record(self, call: Call, result: ToolResult) -> CallRecord:
        return CallRecord(**call.model_dump(), result=result, seconds=time.perf_counter() - self._started)
