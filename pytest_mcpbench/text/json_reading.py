"""Reading of JSON from files and programs of others, and locations inside a JSON value."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

# Reading of JSON from files and programs of others, with one exception for everything that cannot be read.

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
        layer = [
            part
            for each in layer
            for part in (each.values() if isinstance(each, dict) else each)
            if isinstance(part, dict | list)
        ]
    return bool(layer)


def _too_deep() -> ValueError:
    return ValueError(f"it has more than {DEEPEST} levels of objects and lists")


# Locations inside a JSON value, which are the keys and indexes that lead to a part, and the texts in it.

Location = tuple[str | int, ...]


def value_at(value: Any, location: Location) -> Any:
    """Return the part of a value at a location. Raises LookupError if it has no such part."""
    part = value
    for key in location:
        is_index = isinstance(key, int) and isinstance(part, list)
        is_name = isinstance(key, str) and isinstance(part, Mapping)
        if not is_index and not is_name:
            raise LookupError(key)
        part = part[key]
    return part


def map_texts(value: Any, function: Callable[[str], str]) -> Any:
    """Return a text, list, tuple or mapping with each of its texts, but no key, as a function returns it."""
    if isinstance(value, str):
        return function(value)
    if isinstance(value, Mapping):
        return {key: map_texts(part, function) for key, part in value.items()}
    if isinstance(value, list | tuple):
        parts = [map_texts(part, function) for part in value]
        return tuple(parts) if isinstance(value, tuple) else parts
    return value


def replace_at(value: Any, location: Location, new: Any) -> Any:
    """Return a copy of a value with the part at the location replaced; the last key may be a new one."""
    if not location:
        return new
    key, rest = location[0], location[1:]
    if isinstance(value, Mapping):
        return {**value, key: replace_at(value.get(key), rest, new)}
    assert isinstance(key, int), "an index leads into a list"
    return [replace_at(item, rest, new) if index == key else item for index, item in enumerate(value)]


def without(value: Any, location: Location) -> Any:
    """Return a copy of a value without the part at the location."""
    *owner, last = location
    entries = value_at(value, tuple(owner))
    return replace_at(value, tuple(owner), {key: part for key, part in entries.items() if key != last})


def scalar_text(value: Any) -> Any:
    """Return a number or truth value as text, ``true`` as JSON writes it; anything else stays what it is."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, without the names of members."""
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from texts_in(part)
