"""Places of tasks in messages."""

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task


def place_of(task: Task, suite: SuiteManifest | None = None) -> SourceLocation:
    """Return the place of a task in its file; its id, with that of its suite if given, if the file is unknown."""
    name = f"{suite.name}::{task.id}" if suite is not None else task.id
    return SourceLocation(task.source.place or task.source.file or name)
