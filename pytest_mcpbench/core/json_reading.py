"""Reading of JSON from files and programs of others, with one exception for everything that cannot be read."""

import json
from collections.abc import Iterable
from typing import Any

DEEPEST = 150
"""Levels of objects and lists; pydantic refuses values of more than 255 levels."""


def read_json(content: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is not JSON (JSONDecodeError), has more than :data:`DEEPEST` levels, or has an integer of more
            digits than Python converts.
    """
    try:
        value = json.loads(content)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except ValueError:  # the message of Python is about a setting
        raise ValueError("an integer has more digits than can be read") from None
    except RecursionError:
        raise _too_deep() from None
    require_few_levels(value)
    return value


def require_few_levels(value: Any) -> None:
    """Raise ValueError for a value of more than :data:`DEEPEST` levels."""
    if is_nested_deeper(value, DEEPEST):
        raise _too_deep()


def is_nested_deeper(value: Any, levels: int) -> bool:
    """Return whether lists and objects are nested in more levels; without recursion, however deep they are."""
    layer = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        if not layer:
            return False
        layer = [part for each in layer for part in _parts(each) if isinstance(part, dict | list)]
    return bool(layer)


def _parts(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _too_deep() -> ValueError:
    return ValueError(f"it has more than {DEEPEST} levels of objects and lists")
