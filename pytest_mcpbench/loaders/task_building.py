"""Construction of validated tasks from the records of a file."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError

from pytest_mcpbench.core import task as task_types
from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.loading import LoadedTask
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.loaders.field_errors import FieldError, to_field_error


def load_record(place: SourceLocation, record_id: str, make_task: Callable[[], Task]) -> LoadedTask:
    """Return the record at a place of a file: its task or, if ``make_task`` raises one, the error that says why not.

    The error shows the place, so that the author of the file finds the record; the other records of the file are not
    lost. Errors are ``TaskError``, a wrong value for a task or a part of one, such as ``CallGroup``, and any other
    ``ValueError`` or ``LookupError``: of text that is no number, or of a row that lacks a column.

    Args:
        place: File and line of the record.
        record_id: Id of the record if it has no task, unique in the file.
        make_task: Function that reads the record.
    """
    try:
        task = make_task()
        return LoadedTask(place, task.id, task=task)
    except TaskError as error:
        return LoadedTask(place, record_id, error=error)
    except ValidationError as error:
        return LoadedTask(place, record_id, error=to_record_error(error).at(place))
    except LookupError as error:
        return LoadedTask(place, record_id, error=TaskError(f"there is no {error}.", place))
    except ValueError as error:
        return LoadedTask(place, record_id, error=TaskError(f"{error}.", place))


def to_record_error(error: ValidationError) -> FieldError:
    """Return the error of a wrong value for a class of ``core.task``, named with the class unless it is ``Task``."""
    found = getattr(task_types, error.title, None)
    model = found if isinstance(found, type) and issubclass(found, BaseModel) else Task
    wrong = to_field_error(error, model)
    if model is not Task:
        wrong.field = ".".join(filter(None, (error.title, wrong.field)))
    return wrong


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
