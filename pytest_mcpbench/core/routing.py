"""Route mode: one model call for each task, of which the calls are scored and not executed."""

from collections.abc import Mapping

from pytest_mcpbench.core.task import CallGroup, Task

FIRST_CALLS = "first_calls"
"""Metric of tools and arguments of the first message."""
ROUTE = "route"
"""Metric of the tools alone."""
_WITH_ARGUMENTS = frozenset({"ast", "ast_calls", "bfcl", FIRST_CALLS})
NOT_ROUTABLE = "route mode: the task says nothing about the calls of the first message"


def first_groups(task: Task) -> tuple[CallGroup, ...]:
    """Return the reference calls of the first user message."""
    return tuple(group for group in task.expected.calls if group.turn == 0 and group.calls)


def first_message_task(task: Task) -> Task:
    """Return the task that the agent works on: the first user message, and the calls that answer it at once."""
    expected = task.expected.model_copy(update={"calls": first_groups(task)[:1]})
    return task.model_copy(update={"turns": task.turns[:1], "user": None, "expected": expected})


def route_floors(task: Task, floors: Mapping[str, float]) -> dict[str, float]:
    """Return the floors that the first message can reach or miss; none if the task says nothing about it.

    Tools and arguments must be right, or the tools alone if that is all that the task's own floors ask for.
    """
    if first_groups(task):
        asks_for_tools_only = ROUTE in floors and _WITH_ARGUMENTS.isdisjoint(floors)
        return {ROUTE if asks_for_tools_only else FIRST_CALLS: 1.0}
    return {ROUTE: 1.0} if task.expected.forbidden_tools else {}
