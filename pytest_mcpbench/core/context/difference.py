"""Differences between two states of a context tree, entity by entity.

Subtrees that both states share are skipped by identity, so that the cost grows with what was changed.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.core.context.path import EVERY
from pytest_mcpbench.core.context.shape import Shape
from pytest_mcpbench.core.context.values import json_equal
from pytest_mcpbench.core.world import Change


class _Place(NamedTuple):
    """A place in both trees: as a path with ids, and as a pattern of names."""

    path: str
    names: tuple[str, ...]

    def child(self, name: str) -> "_Place":
        return _Place(f"{self.path}.{name}" if self.path else name, (*self.names, name))

    def entity(self, key: str) -> "_Place":
        return _Place(f"{self.path}[{key}]", (*self.names, EVERY))


class _Pair(NamedTuple):
    place: _Place
    before: dict[str, Any]
    after: dict[str, Any]


def changes(before: dict[str, Any], after: dict[str, Any], shape: Shape) -> tuple[Change, ...]:
    """Return every entity that was created, updated or deleted, in the order of the tree.

    An updated entity's values leave out the collections inside it, which have changes of their own; a created or
    deleted one is whole. A field of the root that is no collection counts as an entity of the root (collection
    ``""``). The order of the entities in a collection is no change.
    """
    root = _Place("", ())
    own_before, own_after, nested = _split(_Pair(root, before, after), shape)
    of_root = _members(_Pair(root, own_before, own_after))
    return (*of_root, *(change for pair in nested for change in _collection(pair, shape)))


def _members(pair: _Pair) -> Iterator[Change]:
    for key in {**pair.before, **pair.after}:
        old, new = pair.before.get(key, ABSENT), pair.after.get(key, ABSENT)
        if not json_equal(old, new):
            yield _change(pair.place, key, old, new)


def _collection(pair: _Pair, shape: Shape) -> Iterator[Change]:
    for key in {**pair.before, **pair.after}:
        old, new = pair.before.get(key, ABSENT), pair.after.get(key, ABSENT)
        if old is new or json_equal(old, new):
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _entity(pair.place, key, old, new, shape)
        else:
            yield _change(pair.place, key, old, new)


def _entity(place: _Place, key: str, old: dict[str, Any], new: dict[str, Any], shape: Shape) -> Iterator[Change]:
    own_old, own_new, nested = _split(_Pair(place.entity(key), old, new), shape)
    if not json_equal(own_old, own_new):
        yield _change(place, key, own_old, own_new)
    for pair in nested:
        yield from _collection(pair, shape)


def _change(place: _Place, key: str, old: Any, new: Any) -> Change:
    if old is ABSENT:
        return Change(kind="created", collection=place.path, id=key, after=new)
    if new is ABSENT:
        return Change(kind="deleted", collection=place.path, id=key, before=old)
    return Change(kind="updated", collection=place.path, id=key, before=old, after=new)


def _split(pair: _Pair, shape: Shape) -> tuple[dict[str, Any], dict[str, Any], list[_Pair]]:
    """Return an object's own fields before and after, and the collections that lie in it at any depth."""
    own_before: dict[str, Any] = {}
    own_after: dict[str, Any] = {}
    nested: list[_Pair] = []
    for key in {**pair.before, **pair.after}:
        old, new = pair.before.get(key, ABSENT), pair.after.get(key, ABSENT)
        if _may_hold_entities(old) and _may_hold_entities(new):
            place = pair.place.child(key)
            if shape.is_collection(place.names, old, new):
                nested.append(_Pair(place, _members_of(old), _members_of(new)))
                continue
            old, new = _without_collections(old, new, place, shape, nested)
        if old is not ABSENT:
            own_before[key] = old
        if new is not ABSENT:
            own_after[key] = new
    return own_before, own_after, nested


def _may_hold_entities(side: Any) -> bool:
    return isinstance(side, dict) or side is ABSENT


def _members_of(side: Any) -> dict[str, Any]:
    return side if isinstance(side, dict) else {}


def _without_collections(old: Any, new: Any, place: _Place, shape: Shape, nested: list[_Pair]) -> tuple[Any, Any]:
    if old is new or not (isinstance(old, dict) and isinstance(new, dict)):
        return old, new
    own_old, own_new, inner = _split(_Pair(place, old, new), shape)
    nested.extend(pair for pair in inner if pair.before is not pair.after)
    return own_old, own_new
