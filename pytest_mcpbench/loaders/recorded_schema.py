"""Whether reference arguments fit the schema that was recorded with them."""

import re
from typing import Any

_PLACEHOLDER = re.compile(r"<[^<>]*_result>")
_SHOWN = 160


def schema_violation(schema: dict[str, Any], arguments: dict[str, Any]) -> str | None:
    """The first thing that does not fit, in one sentence; ``None`` where all does or the schema itself is unusable.

    A value that stands for another call's result (``<1_result>``) fits everything.
    """
    if not schema:
        return None
    from jsonschema import exceptions, validators

    try:
        validator = validators.validator_for(schema, default=validators.Draft202012Validator)(schema)
        errors = sorted(validator.iter_errors(arguments), key=lambda error: list(map(str, error.absolute_path)))
    except (
        exceptions.SchemaError,
        exceptions.UnknownType,
        re.error,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
    ):
        return None
    return next((_sentence(error) for error in errors if not _is_placeholder(error.instance)), None)


def _is_placeholder(value: Any) -> bool:
    return isinstance(value, str) and _PLACEHOLDER.search(value) is not None


def _sentence(error: Any) -> str:
    path = ".".join(str(part) for part in error.absolute_path)
    message = f"{path}: {error.message}" if path else str(error.message)
    return message if len(message) <= _SHOWN else message[: _SHOWN - 1] + "…"
