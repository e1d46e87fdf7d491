"""Calls without a reply that leave an attempt without a verdict."""

from typing import Any

import pytest

from pytest_mcpbench.attempt.unanswered_calls import require_replies
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.task import Expected, Limits, Task
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import Step, StopReason, Trajectory
from tests.builders import a_call, a_task, a_tool, expected_call

TOOLS = (a_tool("find", {"name": {"type": "string"}}), a_tool("drop"))
LATE = ToolResult.failure("The tool did not answer within 60 seconds.", "timeout")
REFERENCE = a_task((expected_call("find", {"name": "Ada"}),), limits=Limits(seconds=100))
NO_REFERENCE = a_task(expected=Expected(answer="Ada", forbidden_tools=("drop",)))


def hung(tool: str = "find", seconds: float = 60.0, **arguments: Any) -> CallRecord:
    return a_call(tool, arguments or {"name": "Ada"}, result=LATE).model_copy(update={"seconds": seconds})


def trajectory(*calls: CallRecord, stop: StopReason = "answered") -> Trajectory:
    return Trajectory(steps=tuple(Step(calls=(call,)) for call in calls), stop=stop)


@pytest.mark.parametrize(
    ("task", "attempt"),
    [
        pytest.param(REFERENCE, trajectory(hung()), id="a reference call"),
        pytest.param(REFERENCE, trajectory(hung(), a_call("find", {"name": "Bob"})), id="another call is answered"),
        pytest.param(REFERENCE, trajectory(hung(seconds=50.0), stop="time_limit"), id="for half of the attempt"),
        pytest.param(NO_REFERENCE, trajectory(hung()), id="any call of a task without reference calls"),
    ],
)
def test_a_right_call_without_a_reply_is_an_error_of_its_server(task: Task, attempt: Trajectory) -> None:
    with pytest.raises(ServerError, match=r"find\(name='Ada'\) had no reply after"):
        require_replies(task, attempt, TOOLS)


def test_a_call_that_the_end_of_the_attempt_interrupted_names_its_server() -> None:
    interrupted = hung().model_copy(update={"server": None, "tool": None})
    with pytest.raises(ServerError) as found:
        require_replies(REFERENCE, trajectory(interrupted, stop="answered"), TOOLS)
    assert found.value.server == TOOLS[0].server


@pytest.mark.parametrize(
    ("task", "attempt"),
    [
        pytest.param(REFERENCE, trajectory(hung(name="Bob")), id="no reference call"),
        pytest.param(REFERENCE, trajectory(hung(), a_call("find", {"name": "Ada"})), id="answered later"),
        pytest.param(REFERENCE, trajectory(hung(seconds=1.0), stop="time_limit"), id="interrupted at once"),
        pytest.param(NO_REFERENCE, trajectory(hung("drop")), id="a forbidden call"),
        pytest.param(
            a_task(expected=Expected(forbidden_tools="all")), trajectory(hung()), id="where nothing is to be called"
        ),
    ],
)
def test_other_calls_without_a_reply_are_part_of_the_attempt(task: Task, attempt: Trajectory) -> None:
    require_replies(task, attempt, TOOLS)
