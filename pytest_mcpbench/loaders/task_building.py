"""Construction of a validated task from the fields of a public record."""

from typing import Any

from pydantic import ValidationError

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.loaders.field_errors import FieldError, to_field_error


def build_task(fields: dict[str, Any]) -> Task:
    """Build a task. Raises :class:`FieldError` if a field is invalid or a text cannot be encoded as JSON."""
    try:
        task = Task.model_validate(fields)
    except ValidationError as error:
        raise to_field_error(error, Task) from None
    try:
        _ = task.hash
    except ValueError:
        raise FieldError(None, "the record contains a lone surrogate, which is not a valid character.") from None
    return task
