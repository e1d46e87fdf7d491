"""Lenient parsing of values that are written as JSON, as Python literals, or with typographic quotes."""

import ast
from typing import Any

from pytest_mcpbench.text.json_reading import read_json

_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "，": ",", "：": ":"})


class LiteralError(ValueError):
    """The text is neither JSON nor a Python literal."""


def parse_literal(text: str) -> Any:
    """Parse JSON text or a Python literal into a JSON value. Raises :class:`LiteralError`."""
    try:
        return read_json(text)
    except ValueError:
        try:
            return _json_value(ast.literal_eval(text))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            raise LiteralError(text[:80]) from None


def parse_literal_or_text(value: Any) -> Any:
    """Parse a string that holds a literal, even with curly quotes; return any other value unchanged."""
    if not isinstance(value, str):
        return value
    for spelling in dict.fromkeys((value, value.translate(_QUOTES))):
        try:
            return parse_literal(spelling.strip())
        except LiteralError:
            continue
    return value


def _json_value(value: Any) -> Any:
    """Convert a Python literal to JSON types."""
    if isinstance(value, dict):
        return {str(key): _json_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(entry) for entry in value]
    if isinstance(value, set):
        return sorted((_json_value(entry) for entry in value), key=str)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise ValueError(type(value).__name__)
