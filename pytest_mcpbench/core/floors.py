"""Which least values a task's scores must reach."""

from collections.abc import Mapping

from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Expected, Task


def floors_of(task: Task, suite: SuiteManifest) -> Mapping[str, float]:
    """The suite's floors with the task's over them; where neither has any, those that follow from what is expected."""
    return {**suite.floors, **task.floors} or implied_floors(task.expected)


def implied_floors(expected: Expected) -> dict[str, float]:
    """The floor of each part of what is expected: ``coverage`` 0.75 for claims, for each other part its metric at 1."""
    parts = {
        "ast": (expected.calls, 1.0),
        "route": (expected.forbidden_tools, 1.0),
        "answer": (expected.answer is not None, 1.0),
        "coverage": (expected.claims, 0.75),
        "sr": (expected.checkpoints, 1.0),
        "exec": (expected.exec, 1.0),
        "state": (expected.state, 1.0),
        "verify": (expected.verify, 1.0),
    }
    return {metric: floor for metric, (part, floor) in parts.items() if part}
