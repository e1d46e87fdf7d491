"""JSON values as such: copies of them, their equality and their fields by dotted name."""

import json
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.context.journal import ABSENT


def copied(value: Any) -> Any:
    """A copy that shares no object or list with ``value``."""
    if isinstance(value, dict):
        return {key: copied(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [copied(child) for child in value]
    return value


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal; unlike ``==`` it tells ``1`` from ``true`` and from ``1.0``.

    The order of an object's keys does not matter.
    """
    return left is right or (left == right and _text(left) == _text(right))


def field(value: Any, name: str) -> Any:
    """The value of a field by dotted name, or ``ABSENT``; a key that holds the dots itself comes first."""
    if not isinstance(value, Mapping):
        return ABSENT
    if name in value:
        return value[name]
    head, dot, rest = name.partition(".")
    return field(value.get(head), rest) if dot else ABSENT


def holds(value: Any, wanted: Mapping[str, Any]) -> bool:
    """Whether a value has all the fields, by dotted name, with equal values."""
    return all(same(field(value, name), expected) for name, expected in wanted.items())


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
