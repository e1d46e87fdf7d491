"""Schemas of recorded tools: whether reference arguments fit them, and what arguments tell of those that are lost."""

import re
from collections.abc import Callable
from typing import Any

from pytest_mcpbench.core.placeholders import PLACEHOLDER

Checker = Callable[[dict[str, Any]], str | None]
"""Arguments -> the first thing that does not fit, in one sentence; ``None`` where all does."""

_SHOWN = 160


def checker_of(schema: dict[str, Any]) -> Checker:
    """A checker for one schema. One that is empty or no JSON schema fits everything.

    A value that stands for another call's result (``<1_result>``, ``<1_result.id>``) fits everything too.
    """
    if not schema:
        return _fits
    from jsonschema import Draft202012Validator, validators
    from jsonschema.exceptions import SchemaError
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        named = schema if isinstance(schema.get("$schema"), str) else {}
        kind = validators.validator_for(named, default=Draft202012Validator)
        kind.check_schema(schema)
    except (SchemaError, TypeError, RecursionError):
        return _fits
    # A registry of its own, so that a reference to another document is not downloaded.
    validator = kind(schema, registry=Registry())

    def check(arguments: dict[str, Any]) -> str | None:
        try:
            errors = sorted(validator.iter_errors(arguments), key=_path_of)
        except (Unresolvable, re.error, RecursionError):
            return None
        return next((_sentence(error) for error in errors if not _is_placeholder(error.instance)), None)

    return check


def json_type(value: Any) -> str:
    """The name that JSON schemas have for a value's type; whole numbers are numbers."""
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "number", float: "number", dict: "object", list: "array"}
    return names.get(type(value), "null")


def _fits(_arguments: dict[str, Any]) -> str | None:
    return None


def _path_of(error: Any) -> list[str]:
    return [str(part) for part in error.absolute_path]


def _is_placeholder(value: Any) -> bool:
    return isinstance(value, str) and PLACEHOLDER.search(value) is not None


def _sentence(error: Any) -> str:
    path = ".".join(_path_of(error))
    message = f"{path}: {error.message}" if path else str(error.message)
    return message if len(message) <= _SHOWN else message[: _SHOWN - 1] + "…"
