"""JSON objects and lists in a text, read with the mistakes that small models make.

Accepted beyond JSON are line breaks in strings, commas before a closing bracket, and Python's quotes and constants.
Nothing is completed: a value without its closing bracket is no value.
"""

import ast
import json
import re
from typing import Any

from pytest_mcpbench.runtime.models.call_arguments import DEEPEST_VALUE

_DECODER = json.JSONDecoder(strict=False)
_STRING_OR_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
_TOKEN = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[\[{}\]]", re.DOTALL)
_LONGEST_REPAIR = 50_000
"""Characters of a value that is read with mistakes."""


def decode_at(text: str, start: int) -> tuple[Any, int] | None:
    """Return the object or list that begins at a position, and the position after it; ``None`` if there is none."""
    if text[start : start + 1] not in ("{", "["):
        return None
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    end = _end_of_value(text, start)
    value = None if end is None else _repaired(text[start:end])
    return None if value is None or end is None else (value, end)


def _repaired(text: str) -> Any:
    """Return the value after correction of the usual mistakes; ``None`` if it has others."""
    try:
        return json.loads(_STRING_OR_COMMA.sub(lambda match: match[1] or "", text), strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        value = ast.literal_eval(text)
        return json.loads(json.dumps(value))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _end_of_value(text: str, start: int) -> int | None:
    """Return the position after the bracket that closes the one at ``start``; ``None`` if it is far away or missing."""
    depth = 0
    for token in _TOKEN.finditer(text, start, start + _LONGEST_REPAIR):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth in (0, DEEPEST_VALUE):
            return token.end() if depth == 0 else None
    return None
