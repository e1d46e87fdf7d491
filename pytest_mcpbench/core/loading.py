"""Interface of a loader, which turns a task file into tasks."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.task import Task


@dataclass(frozen=True, slots=True)
class LoadedTask:
    """One line or entry of a task file: a task or, if it is broken, no task and the error that says why."""

    place: SourceLocation
    id: str
    """The task's id or, for a broken line, one made from its place; unique within the file."""
    task: Task | None = None
    error: TaskError | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Settings of a loader beside the content of a file."""

    file: str
    """Name of the file, for messages."""
    values: dict[str, Any] = field(default_factory=dict)
    """Settings in the file's ``[[files]]`` table, which the loader documents; an unknown key is an error."""
    metrics: Collection[str] | None = None
    """Names of the known metrics, to check the floors of tasks; ``None`` if they are unknown here."""


Loader = Callable[[bytes, LoadOptions], Iterator[LoadedTask]]
"""Content of one file -> its records in order. One bad record never hides the others."""
