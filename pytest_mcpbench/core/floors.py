"""Floors: the least values that a task's scores must reach."""

from collections.abc import Mapping

from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Expected, Task


def floors_of(task: Task, suite: SuiteManifest) -> Mapping[str, float]:
    """Return the suite's floors, overridden by the task's; if neither has any, the implied floors."""
    return {**suite.floors, **task.floors} or implied_floors(task.expected)


def implied_floors(expected: Expected) -> dict[str, float]:
    """Return a floor for each expected part: ``coverage`` 0.75 for claims, 1 for the metric of any other part."""
    parts = {
        "ast": (expected.calls, 1.0),
        "route": (expected.forbidden_tools, 1.0),
        "answer": (expected.answer is not None or expected.answer_check is not None, 1.0),
        "coverage": (expected.claims, 0.75),
        "sr": (expected.checkpoints, 1.0),
        "exec": (expected.exec, 1.0),
        "state": (expected.state, 1.0),
        "verify": (expected.verify, 1.0),
        "conversation": (expected.conversation, 1.0),
    }
    return {metric: floor for metric, (part, floor) in parts.items() if part}
