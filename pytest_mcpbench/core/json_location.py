"""Locations inside a JSON value, which are the keys and indexes that lead to a part, and the texts in it."""

from collections.abc import Iterator, Mapping
from typing import Any

Location = tuple[str | int, ...]


def value_at(value: Any, location: Location) -> Any:
    """Return the part of a value at a location. Raises LookupError if it has no such part."""
    part = value
    for key in location:
        part = _part(part, key)
    return part


def _part(value: Any, key: str | int) -> Any:
    if isinstance(key, int) and isinstance(value, list):
        return value[key]
    if isinstance(key, str) and isinstance(value, Mapping):
        return value[key]
    raise LookupError(key)


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


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value, without the names of members."""
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from texts_in(part)
