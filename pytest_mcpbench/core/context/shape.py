"""Shape of a context tree: its collections, their id fields, the references between them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pytest_mcpbench.core.context.path import EVERY, Path

_PRIMARY_FLAGS = ("primary", "is_primary", "isPrimary", "default", "is_default", "isDefault")


@dataclass(frozen=True)
class Collection:
    """An id-indexed map of entities of one type."""

    path: str
    """Path from the root, with ``[*]`` for each entity of an outer collection: ``calendars[*].events``."""
    id_field: str | None = None
    """Field in which an entity repeats its key; filled in when it is created."""
    references: Mapping[str, str] = field(default_factory=dict)
    """Field that holds an id, or a list of ids, -> path of the collection in which they must be."""
    guarded: bool = False
    """True if an entity to which others refer must not be deleted."""


@dataclass(frozen=True)
class Shape:
    """The collections of a tree. Without any they are recognised: see :meth:`is_collection`."""

    collections: tuple[Collection, ...] = ()
    treated_patterns: frozenset[tuple[str, ...]] = frozenset()
    """Patterns of places that a tree which declares nothing was seen to treat as collections."""

    def with_treated_patterns(self, patterns: Iterable[tuple[str, ...]]) -> "Shape":
        """Return the shape of a tree in which these places, too, were treated as collections."""
        return self if self.collections else replace(self, treated_patterns=self.treated_patterns.union(patterns))

    def collection(self, names: tuple[str, ...]) -> Collection | None:
        """Return the declared collection at a place, given by :func:`pattern`."""
        return self._by_pattern.get(names)

    def is_collection(self, names: tuple[str, ...], *sides: Any) -> bool:
        """Return whether the values at a place are a collection of entities.

        A tree that declares nothing has one wherever a map holds only objects and was treated as a collection, or
        looks like one: unless all of these hold only objects in their turn (``settings: {filters: {f1: {…}}}`` is no
        entity ``filters``) and none repeats its key. An object that one side has emptied looks as on the other side.
        """
        if self.collections:
            return names in self._by_pattern
        maps = [side for side in sides if isinstance(side, dict)]
        if not any(maps) or not all(isinstance(value, dict) for side in maps for value in side.values()):
            return False
        return names in self.treated_patterns or any(_is_entity(key, value) for key, value in _members(maps))

    def id_fields(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return fields in which an entity of the collection may repeat its id, the likeliest first."""
        declared = self._by_pattern.get(names)
        if declared is not None and declared.id_field:
            return (declared.id_field,)
        one = _singular(names[-1])
        return ("id", f"{one}_id", f"{one}Id")

    def referring_to(self, names: tuple[str, ...]) -> tuple[tuple[Collection, str], ...]:
        """Return collections, each with the field, whose entities hold ids of the collection."""
        return tuple(
            (collection, name)
            for collection in self.collections
            for name, target in collection.references.items()
            if pattern(Path.parse(target)) == names
        )

    @cached_property
    def root_names(self) -> frozenset[str]:
        """Return the names at the root in which declared collections lie."""
        return frozenset(names[0] for names in self._by_pattern)

    @cached_property
    def _by_pattern(self) -> dict[tuple[str, ...], Collection]:
        return {pattern(Path.parse(collection.path)): collection for collection in self.collections}


def pattern(path: Path) -> tuple[str, ...]:
    """Return the names of a path with ``*`` for every selector: the same for all places of one collection."""
    names: list[str] = []
    for segment in path.segments:
        names.append(segment.name)
        if segment.selector is not None:
            names.append(EVERY)
    return tuple(names)


def collection_patterns(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Return the patterns of the collections on the way to a place, given by its own."""
    return (names[:at] for at, name in enumerate(names) if name == EVERY)


def is_primary(entity: Any) -> bool:
    """Return whether an entity is marked as the primary or default one of its collection."""
    if not isinstance(entity, dict):
        return False
    return entity.get("type") == "primary" or any(entity.get(flag) is True for flag in _PRIMARY_FLAGS)


def _members(maps: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the members of a map over several states, preferring states in which a member is not empty."""
    for state in maps:
        for key, value in state.items():
            if value or not any(other.get(key) for other in maps):
                yield key, value


def _is_entity(key: str, value: dict[str, Any]) -> bool:
    return key in value.values() or not value or not all(isinstance(part, dict) for part in value.values())


def _singular(name: str) -> str:
    if name.endswith("ies"):
        return name[:-3] + "y"
    return name[:-1] if name.endswith("s") else name
