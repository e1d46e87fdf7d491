"""Parser for the arguments of a tool call as models write them."""

import json
import math
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.surrogates import replace_surrogates

DEEPEST_VALUE = 100
"""Levels of objects and lists in arguments; records and schemas cannot be read with many more."""


class _NotFiniteError(ValueError):
    """A number that JSON cannot represent."""


class _TooDeepError(ValueError):
    """A value with too many levels."""


def parse_arguments(raw: Any) -> tuple[dict[str, JsonValue], str | None]:
    """Return the arguments as an object, and the raw text if it is not a JSON object.

    A missing or blank value is an empty object. A value that is not encoded as a string is used as it is.
    """
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}, None
    try:
        value = json.loads(raw, parse_constant=_reject_constant) if isinstance(raw, str) else raw
        if isinstance(value, dict):
            return {replace_surrogates(str(key)): sanitize_value(item) for key, item in value.items()}, None
    except (ValueError, RecursionError):
        pass
    return {}, replace_surrogates(raw if isinstance(raw, str) else _written(raw))


def sanitize_value(value: Any, levels: int = DEEPEST_VALUE) -> JsonValue:
    """Return the value with text that can be encoded.

    Raises:
        ValueError: the value contains a number that JSON cannot represent, or more levels than are read.
    """
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict | list) and levels == 0:
        raise _TooDeepError(f"more than {DEEPEST_VALUE} levels of objects and lists")
    if isinstance(value, dict):
        return {replace_surrogates(str(key)): sanitize_value(item, levels - 1) for key, item in value.items()}
    if isinstance(value, list):
        return [sanitize_value(item, levels - 1) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise _NotFiniteError(f"{value} is not a JSON number")
    return value  # type: ignore[no-any-return]  # only JSON scalars reach this line


def _written(value: Any) -> str:
    """Return a value that is no object as text."""
    try:
        return repr(value)
    except RecursionError:
        return f"a value of more than {DEEPEST_VALUE} levels of objects and lists"


def _reject_constant(name: str) -> float:
    raise _NotFiniteError(f"{name} is not a JSON number")
