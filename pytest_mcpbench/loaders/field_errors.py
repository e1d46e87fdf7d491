"""Conversion of pydantic's validation errors into errors with a place, a field, the problem and a remedy."""

import types
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.text.json_reading import Location, read_json
from pytest_mcpbench.text.suggestions import hint

Model = TypeVar("Model", bound=BaseModel)
_TYPE_NAMES = {
    "string_type": "text",
    "string_unicode": "valid Unicode text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
    "frozen_set_type": "a list",
}


class FieldError(ValueError):
    """Error in a field of a record; :meth:`at` turns it into a :class:`TaskError` once the place is known."""

    def __init__(self, field: str | None, problem: str, remedy: str | None = None) -> None:
        super().__init__(problem)
        self.field, self.problem, self.remedy = field, problem, remedy

    def at(self, place: SourceLocation) -> TaskError:
        """Return the error with the place of the record."""
        return TaskError(self.problem, place, field=self.field, remedy=self.remedy)


def models_of_lines(
    text: str, file: str, model: type[Model], *, remedy: str | None = None
) -> Iterator[tuple[SourceLocation, Model]]:
    """Yield place and value of each line of JSON that is not blank.

    Raises:
        TaskError: a line is no JSON, with the remedy, or no such value.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        place = SourceLocation(file, line=number)
        try:
            value = model.model_validate(read_json(line))
        except ValidationError as error:
            raise to_field_error(error, model).at(place) from None
        except ValueError as error:
            raise TaskError(f"not valid JSON: {error}.", place, remedy=remedy) from None
        yield place, value


def to_field_error(
    error: ValidationError, model: type[BaseModel], name_of: Callable[[Location], str] | None = None
) -> FieldError:
    """Return the most informative of the errors; ``name_of`` translates a location into the author's field name."""
    details = error.errors(include_url=False, include_context=True, include_input=True)
    # A misspelt key explains a missing one, and the deepest branch of a union is the one that the author meant.
    first = min(details, key=lambda each: (each["type"] not in ("extra_forbidden", "value_error"), -len(each["loc"])))
    # Pydantic adds the branches of unions to the keys and indices of a location.
    location = tuple(
        part
        for part in first["loc"]
        if isinstance(part, int) or not (part.endswith("]") or part in ("str", "int", "float", "bool", "dict"))
    )
    field = (name_of or field_path)(location)
    other_count = sum(1 for other in details if other["loc"] != first["loc"][: len(other["loc"])])
    suffix = f" ({other_count} more in the same record)" if other_count else ""
    kind, value = first["type"], first["input"]
    if kind == "missing":
        problem = "is missing"
    elif kind == "extra_forbidden":
        problem = "there is no such field"
    elif kind in _TYPE_NAMES:
        problem = f"must be {_TYPE_NAMES[kind]}, not {type_name(value)}"
    elif kind == "value_error":
        problem = str(first["ctx"]["error"]) if "ctx" in first else first["msg"]
    elif kind == "string_pattern_mismatch":
        problem = f"{value!r} may only contain letters, digits, dots, dashes and underscores"
    else:
        message = first["msg"].removeprefix("Input ")
        problem = message[:1].lower() + message[1:]
    known = _fields_at(model, location[:-1]) if kind == "extra_forbidden" and location else ()
    remedy = hint(str(location[-1]), known) if known else None
    return FieldError(field or None, problem.removesuffix(".") + suffix + ".", remedy)


def unknown_key_error(key: str, known: Collection[str], field: str | None = None) -> FieldError:
    """Return an error for a key that a mapping must not have, with the nearest known key as a suggestion."""
    return FieldError(field or key, "there is no such field.", hint(key, known))


def require_metrics(name_of: Iterable[tuple[str, str]], known: Collection[str] | None) -> None:
    """Raise an error for the first unknown metric; each comes with the field that refers to it."""
    for field, metric in name_of:
        if known is not None and metric not in known:
            raise FieldError(field, f"no metric is called {metric!r}.", hint(metric, known))


def field_path(location: Location) -> str:
    """Format a location as a path: ``("expected", "calls", 0)`` becomes ``expected.calls[0]``."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def type_name(value: object) -> str:
    """Return a value's type in words that the author of a task file understands."""
    if value is None:
        return "nothing"
    words = {bool: "true or false", str: "text", int: "a number", float: "a number", dict: "a mapping"}
    return words.get(type(value), "a list" if isinstance(value, list | tuple) else type(value).__name__)


def _fields_at(model: type[BaseModel], location: Location) -> Collection[str]:
    """Return the field names of the model at a location."""
    current = model
    for part in location:
        if isinstance(part, int):
            continue
        if part not in current.model_fields:
            return ()
        inner = _model_in(current.model_fields[part].annotation)
        if inner is None:
            return ()
        current = inner
    return current.model_fields


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model inside ``X``, ``X | None``, ``tuple[X, ...]`` or ``dict[str, X]``."""
    if isinstance(annotation, type) and not get_origin(annotation) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (tuple, dict, Union, types.UnionType):
        return next((found for inner in get_args(annotation) if (found := _model_in(inner))), None)
    return None
