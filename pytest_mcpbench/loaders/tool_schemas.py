"""Validation of reference arguments against the schemas of recorded tools."""

from collections.abc import Callable
from typing import Any

from pytest_mcpbench.core.bounded_schema import BoundedValidator
from pytest_mcpbench.core.placeholders import PLACEHOLDER

ArgumentChecker = Callable[[dict[str, Any]], str | None]
"""Function that returns the first schema violation of arguments as a sentence, or ``None`` if there is none."""

_LONGEST_MESSAGE = 160


def argument_checker(schema: dict[str, Any]) -> ArgumentChecker:
    """Return a checker for one schema. If the schema is empty or invalid, the checker accepts everything.

    Placeholders for the result of another call (``<1_result>``, ``<1_result.id>``) are always accepted.
    """
    if not schema:
        return _accept_all
    from jsonschema import Draft202012Validator, validators
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    try:
        schema_with_dialect = schema if isinstance(schema.get("$schema"), str) else {}
        validator_class = validators.validator_for(schema_with_dialect, default=Draft202012Validator)
        validator_class.check_schema(schema)
    except (SchemaError, TypeError, RecursionError):
        return _accept_all
    validator = BoundedValidator(schema, validator_class)

    def check(arguments: dict[str, Any]) -> str | None:
        try:
            errors = sorted(validator.iter_errors(arguments), key=_error_path)
        except (Unresolvable, ValueError, ArithmeticError, RecursionError):
            return None
        for error in errors:
            if isinstance(error.instance, str) and PLACEHOLDER.search(error.instance):
                continue
            path = ".".join(_error_path(error))
            message = f"{path}: {error.message}" if path else str(error.message)
            return message if len(message) <= _LONGEST_MESSAGE else message[: _LONGEST_MESSAGE - 1] + "…"
        return None

    return check


def json_type(value: Any) -> str:
    """Return the JSON schema type of a value; integers are reported as ``number``."""
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "number", float: "number", dict: "object", list: "array"}
    return names.get(type(value), "null")


def _accept_all(_arguments: dict[str, Any]) -> str | None:
    return None


def _error_path(error: Any) -> list[str]:
    return [str(part) for part in error.absolute_path]
