"""Calls that a server left without a reply, so that the attempt cannot be judged."""

from collections.abc import Sequence

from pytest_mcpbench.core.call_text import SHORT_VALUE, format_call
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.tool import CallRecord, ToolSpec
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.metrics.comparison.calls import CallComparison, match_calls


def require_replies(task: Task, trajectory: Trajectory, tools: Sequence[ToolSpec]) -> None:
    """Raise ServerError for a call that the server never answered and that the agent was right to make.

    A call that differs from every reference call may have hung because of its arguments: it is part of the attempt, as
    is a forbidden call. Without reference calls this is unknown, and every call counts as right.
    """
    calls = trajectory.calls
    if not any(map(_is_timeout, calls)):
        return
    for index in _right_calls(task, calls, tools):
        call = calls[index]
        if _is_unanswered(call, task, trajectory) and not _is_answered_later(call, calls[index + 1 :]):
            what = format_call(call, SHORT_VALUE)
            problem = f"{what} had no reply after {call.seconds:.3g} s, so that the attempt has no verdict"
            raise ServerError(problem, _server_of(call, tools), "call")


def _right_calls(task: Task, calls: Sequence[CallRecord], tools: Sequence[ToolSpec]) -> list[int]:
    """Return the indexes of the calls that the task asks for or, without reference calls, may need."""
    expected = task.expected
    if expected.flat_calls:
        matching = match_calls(expected.flat_calls, calls, ToolIndex.of(tools), CallComparison("lenient"))
        return [index for index in range(len(calls)) if any(not row[index] for row in matching.mismatches)]
    if expected.forbidden_tools == "all":
        return []
    return [index for index, call in enumerate(calls) if call.names.isdisjoint(expected.forbidden_tools)]


def _server_of(call: CallRecord, tools: Sequence[ToolSpec]) -> str:
    """Return the name of the server, also for a call that was interrupted before its server was recorded."""
    tool = ToolIndex.of(tools).tool_of_call(call)
    return call.server or (tool.server if tool else "")


def _is_unanswered(call: CallRecord, task: Task, trajectory: Trajectory) -> bool:
    """Return whether the call timed out, or was cut off by the attempt's end after half of the attempt's time."""
    if not _is_timeout(call):
        return False
    seconds = (task.limits or Limits()).seconds
    is_last = trajectory.stop == "time_limit" and call in trajectory.steps[-1].calls
    return not is_last or seconds is None or call.seconds >= seconds / 2


def _is_answered_later(call: CallRecord, later: Sequence[CallRecord]) -> bool:
    return any(
        (other.called, other.arguments) == (call.called, call.arguments)
        and other.result is not None
        and not _is_timeout(other)
        for other in later
    )


def _is_timeout(call: CallRecord) -> bool:
    return call.result is not None and call.result.error_kind == "timeout"
