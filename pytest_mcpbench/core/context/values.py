"""Operations on JSON values: copy, equality, fields by dotted name."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.core.context.journal import ABSENT


def copy_json(value: Any) -> Any:
    """Return a copy that shares no object or list with ``value``."""
    if isinstance(value, dict):
        return {key: copy_json(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [copy_json(child) for child in value]
    return value


def json_equal(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal; unlike ``==`` it tells ``1`` from ``true`` and from ``1.0``.

    The order of an object's keys does not matter.
    """
    return left is right or (left == right and _same_types(left, right))


def field_value(value: Any, name: str) -> Any:
    """Return the value of a field by dotted name, or ``ABSENT``; a key that holds the dots itself comes first."""
    if not isinstance(value, Mapping):
        return ABSENT
    if name in value:
        return value[name]
    head, dot, rest = name.partition(".")
    return field_value(value.get(head), rest) if dot else ABSENT


def has_fields(value: Any, wanted: Mapping[str, Any]) -> bool:
    """Return whether a value has all the fields, by dotted name, with equal values."""
    return all(json_equal(field_value(value, name), expected) for name, expected in wanted.items())


def _same_types(left: Any, right: Any) -> bool:
    """Return whether two equal values have equal types in every part; shared parts are skipped."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return all(each is right[key] or _same_types(each, right[key]) for key, each in left.items())
    if isinstance(left, list):
        return all(each is other or _same_types(each, other) for each, other in zip(left, right, strict=True))
    return True


def ids_in(value: Any) -> tuple[str, ...]:
    """Return the ids that a referring field holds: one, several in a list, or none."""
    if value is None:
        return ()
    return tuple(value) if isinstance(value, list | tuple) else (value,)
