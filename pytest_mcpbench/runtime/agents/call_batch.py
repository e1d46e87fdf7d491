"""Calls that an agent makes at once, and what became of each, however the attempt ends."""

import time
from collections.abc import Sequence

import anyio

from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult
from pytest_mcpbench.runtime.agent import AgentEnvironment

_INTERRUPTED = "The call was cut short: the attempt ended before it came back."


class CallBatch:
    """Calls of one assistant message: made together, recorded in their order."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._records: list[CallRecord | None] = [None] * len(calls)
        self._errors: list[McpBenchError] = []
        self._started = time.perf_counter()

    async def execute(self, arena: AgentEnvironment) -> None:
        """Make all of them. Where servers died, the other calls still come back before the first error is raised."""
        async with anyio.create_task_group() as group:
            for index, call in enumerate(self._calls):
                group.start_soon(self._execute_call, arena, index, call)
        if self._errors:
            raise self._errors[0]

    @property
    def records(self) -> tuple[CallRecord, ...]:
        """What became of every call so far; one that has not come back is an error."""
        return tuple(
            record or self._interrupted_record(call) for call, record in zip(self._calls, self._records, strict=True)
        )

    async def _execute_call(self, arena: AgentEnvironment, index: int, call: Call) -> None:
        try:
            self._records[index] = await arena.call(call)
        except McpBenchError as error:
            self._records[index] = self._failed_record(call, str(error))
            self._errors.append(error)

    def _interrupted_record(self, call: Call) -> CallRecord:
        result = ToolResult.failure(_INTERRUPTED, "timeout")
        return CallRecord(**call.model_dump(), result=result, seconds=time.perf_counter() - self._started)

    def _failed_record(self, call: Call, reason: str) -> CallRecord:
        result = ToolResult.failure(reason, "transport")
        return CallRecord(**call.model_dump(), result=result, seconds=time.perf_counter() - self._started)
