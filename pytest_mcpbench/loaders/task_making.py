"""Makes a task of fields that came from a public record."""

from typing import Any

from pydantic import ValidationError

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.loaders.complaint import FieldError, complaint


def task_of(fields: dict[str, Any]) -> Task:
    """The task. Raises :class:`FieldError` where a field is wrong, or where a text cannot be written as JSON again."""
    try:
        task = Task.model_validate(fields)
    except ValidationError as error:
        raise complaint(error, Task) from None
    try:
        _ = task.hash
    except ValueError:
        raise FieldError(None, "the record holds half a character (a lone surrogate).") from None
    return task
