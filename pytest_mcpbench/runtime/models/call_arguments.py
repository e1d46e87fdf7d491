"""Parser for the arguments of a tool call as models write them."""

import json
import math
from typing import Any

from pydantic import JsonValue

from pytest_mcpbench.core.surrogates import replace_surrogates


class _NotFiniteError(ValueError):
    """A number that JSON cannot represent."""


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
    return {}, replace_surrogates(raw if isinstance(raw, str) else repr(raw))


def sanitize_value(value: Any) -> JsonValue:
    """Return the value with text that can be encoded.

    Raises:
        ValueError: the value contains a number that JSON cannot represent.
    """
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {replace_surrogates(str(key)): sanitize_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [sanitize_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise _NotFiniteError(f"{value} is not a JSON number")
    return value  # type: ignore[no-any-return]  # only JSON scalars reach this line


def _reject_constant(name: str) -> float:
    raise _NotFiniteError(f"{name} is not a JSON number")
