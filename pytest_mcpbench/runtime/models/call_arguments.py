"""The arguments of a call as models write them: an object, if it can be made out."""

import json
import math
from typing import Any

from pydantic import JsonValue


class _NotFiniteError(ValueError):
    """A number that JSON does not have."""


def parse_arguments(raw: Any) -> tuple[dict[str, JsonValue], str | None]:
    """The arguments, or the text as it was written where it is no JSON object.

    Nothing at all is an empty object; an object that was not encoded as a string is taken as it is.
    """
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}, None
    try:
        value = json.loads(raw, parse_constant=_reject_constant) if isinstance(raw, str) else raw
        if isinstance(value, dict):
            return {sanitize_text(str(key)): sanitize_value(item) for key, item in value.items()}, None
    except (ValueError, RecursionError):
        pass
    return {}, sanitize_text(raw if isinstance(raw, str) else repr(raw))


def sanitize_value(value: Any) -> JsonValue:
    """The value with text that can be encoded; raises ``ValueError`` for numbers that JSON does not have."""
    if isinstance(value, str):
        return sanitize_text(value)
    if isinstance(value, dict):
        return {sanitize_text(str(key)): sanitize_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [sanitize_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise _NotFiniteError(f"{value} is no JSON number")
    return value  # type: ignore[no-any-return]  # what is left are the scalars of JSON


def sanitize_text(text: str) -> str:
    """The text without halves of surrogate pairs, which no encoding takes."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _reject_constant(name: str) -> float:
    raise _NotFiniteError(f"{name} is no JSON number")
