"""Check that a call is of a tool that the task permits."""

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import CallRecord


def is_valid_tool(task: Task, call: CallRecord) -> bool:
    """Return whether the tool exists, was exposed and, where the task lists its tools, is among them."""
    if call.problem in ("unknown_tool", "not_exposed"):
        return False
    return task.tools == "all" or call.name in task.tools or call.called in task.tools
