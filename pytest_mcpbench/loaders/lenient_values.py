"""Decodes values that were written as JSON, as Python, or as prose between the two."""

import ast
import json
from typing import Any

_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "，": ",", "：": ":"})


class NotDecodedError(ValueError):
    """The text is neither JSON nor a Python literal."""


def decoded(text: str) -> Any:
    """The JSON value of a JSON text or of a Python literal. Raises :class:`NotDecodedError`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _literal(text)


def decoded_or_text(value: Any) -> Any:
    """The JSON value that a text holds, also where its quotes are curly; else the value as it is."""
    if not isinstance(value, str):
        return value
    for spelling in dict.fromkeys((value, value.translate(_QUOTES))):
        try:
            return decoded(spelling.strip())
        except NotDecodedError:
            continue
    return value


def _literal(text: str) -> Any:
    try:
        return _json_value(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise NotDecodedError(text[:80]) from None


def _json_value(value: Any) -> Any:
    """A Python literal in the types that JSON has."""
    if isinstance(value, dict):
        return {str(key): _json_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(entry) for entry in value]
    if isinstance(value, set):
        return sorted((_json_value(entry) for entry in value), key=str)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise ValueError(type(value).__name__)
