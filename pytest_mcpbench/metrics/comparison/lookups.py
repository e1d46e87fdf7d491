"""Results of two searches for the same thing in other words."""

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_mcpbench.text.json_reading import read_json

_MOST_BESIDE = 2
"""Entries that a search in other words may find beside those of the reference."""


def finds(expected: str, actual: str) -> bool:
    """Return whether a search found what the reference's search found, with two other entries at most.

    Entries are the items of the lists in a JSON result. What is no JSON, or has no entries, must be the same.
    """
    wanted, found = _entries(expected), _entries(actual)
    if not wanted or not found:
        return expected == actual
    return all(entry in found for entry in wanted) and len(found) <= len(wanted) + _MOST_BESIDE


def _entries(result: str) -> list[Any]:
    try:
        value = read_json(result)
    except ValueError:
        return []
    return [*_items(value)]


def _items(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _items(part)
