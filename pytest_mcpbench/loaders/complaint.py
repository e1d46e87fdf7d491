"""Turns what pydantic has against a value into an error of ours: place, field, what is wrong, what would be right."""

import types
from collections.abc import Callable, Collection, Iterable
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.suggestions import hint

Location = tuple[str | int, ...]

_WANTED = {
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
    """A field of a record is not as it should be; becomes a :class:`TaskError` where the record's place is known."""

    def __init__(self, field: str | None, problem: str, remedy: str | None = None) -> None:
        super().__init__(problem)
        self.field, self.problem, self.remedy = field, problem, remedy

    def at(self, place: SourceLocation) -> TaskError:
        return TaskError(self.problem, place, field=self.field, remedy=self.remedy)


def complaint(
    error: ValidationError, model: type[BaseModel], named: Callable[[Location], str] | None = None
) -> FieldError:
    """The most telling of the errors; ``named`` gives a location the name that the file's author used."""
    details = error.errors(include_url=False, include_context=True, include_input=True)
    first = min(details, key=_importance)
    location = tuple(part for part in first["loc"] if _is_part_of_a_path(part))
    field = (named or dotted)(location)
    more = sum(1 for other in details if other["loc"] != first["loc"][: len(other["loc"])])
    others = f" ({more} more in the same record)" if more else ""
    return FieldError(field or None, _problem(first).removesuffix(".") + others + ".", _remedy(first, location, model))


def unknown_key(key: str, known: Collection[str], field: str | None = None) -> FieldError:
    """The complaint that a mapping has a key it should not have."""
    return FieldError(field or key, "there is no such field.", hint(key, known))


def require_metrics(named: Iterable[tuple[str, str]], known: Collection[str] | None) -> None:
    """Complain of the first metric that is not known; each is given with the field that names it."""
    for field, metric in named:
        if known is not None and metric not in known:
            raise FieldError(field, f"no metric is called {metric!r}.", hint(metric, known))


def dotted(location: Location) -> str:
    """``("expected", "calls", 0)`` as ``expected.calls[0]``."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def kind_of(value: object) -> str:
    """A value's type in the words of a task's author."""
    if value is None:
        return "nothing"
    words = {bool: "true or false", str: "text", int: "a number", float: "a number", dict: "a mapping"}
    return words.get(type(value), "a list" if isinstance(value, list | tuple) else type(value).__name__)


def _importance(details: ErrorDetails) -> tuple[bool, int]:
    """A misspelt key explains a missing one; the deepest branch of a union is the one that was meant."""
    return details["type"] not in ("extra_forbidden", "value_error"), -len(details["loc"])


def _is_part_of_a_path(part: str | int) -> bool:
    """Whether it is a key or an index; pydantic also names the branches of unions there."""
    return isinstance(part, int) or not (part.endswith("]") or part in ("str", "int", "float", "bool", "dict"))


def _problem(details: ErrorDetails) -> str:
    kind, value = details["type"], details["input"]
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return "there is no such field"
    if kind in _WANTED:
        return f"must be {_WANTED[kind]}, not {kind_of(value)}"
    if kind == "value_error":
        return str(details["ctx"]["error"]) if "ctx" in details else details["msg"]
    if kind == "string_pattern_mismatch":
        return f"{value!r} may only hold letters, digits, dot, dash and underscore"
    message = details["msg"].removeprefix("Input ")
    return message[:1].lower() + message[1:]


def _remedy(details: ErrorDetails, location: Location, model: type[BaseModel]) -> str | None:
    if details["type"] != "extra_forbidden" or not location:
        return None
    known = _fields_at(model, location[:-1])
    return hint(str(location[-1]), known) if known else None


def _fields_at(model: type[BaseModel], location: Location) -> Collection[str]:
    """Names of the fields of the model that stands at the location."""
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
    """The model in ``X``, ``X | None``, ``tuple[X, ...]`` or ``dict[str, X]``."""
    if isinstance(annotation, type) and not get_origin(annotation) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (tuple, dict, Union, types.UnionType):
        return next((found for inner in get_args(annotation) if (found := _model_in(inner))), None)
    return None
