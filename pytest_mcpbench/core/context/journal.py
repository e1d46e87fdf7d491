"""Reversible edits of a JSON tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal


class Absent(Enum):
    """The type of :data:`ABSENT`."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = Absent.ABSENT
"""Marker for a missing value, as ``None`` is JSON's null."""

_INVERSE: Final = {"created": "deleted", "deleted": "created", "updated": "updated"}


@dataclass(frozen=True)
class TreeEdit:
    """One value put in the place of another; the journal of a tree is a sequence of these."""

    kind: Literal["created", "updated", "deleted"]
    path: str
    """The entity, with every selector resolved to an id."""
    keys: tuple[str, ...]
    """Keys from the root to the place; an edit that creates a collection with its first entity is at the collection."""
    position: int
    """Position of the key among its siblings, from 0."""
    before: Any
    after: Any

    def inverse(self) -> "TreeEdit":
        """Return the edit that undoes this one."""
        return TreeEdit(
            kind=_INVERSE[self.kind],  # type: ignore[arg-type]  # a key of a dict of literals is read as str
            path=self.path,
            keys=self.keys,
            position=self.position,
            before=self.after,
            after=self.before,
        )

    def apply_to(self, root: Any) -> Any:
        """Return the tree after the edit; ``root`` is not changed, and unaffected parts are shared with it."""
        return _set_at(root, self.keys, self.position, self.after)


def _set_at(node: Any, keys: tuple[str, ...], position: int, value: Any) -> Any:
    if not keys:
        return value
    key, *rest = keys
    if rest:
        return {**node, key: _set_at(node[key], tuple(rest), position, value)}
    if value is ABSENT:
        return {name: child for name, child in node.items() if name != key}
    if key in node:
        return {**node, key: value}
    items = list(node.items())
    items.insert(position, (key, value))
    return dict(items)


# Operations on JSON values: copy, equality, fields by dotted name.


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
