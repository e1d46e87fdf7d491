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
class Edit:
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

    def inverse(self) -> "Edit":
        """Return the edit that undoes this one."""
        return Edit(
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
    return _insert(node, key, position, value)


def _insert(node: Mapping[str, Any], key: str, position: int, value: Any) -> dict[str, Any]:
    items = list(node.items())
    items.insert(position, (key, value))
    return dict(items)
