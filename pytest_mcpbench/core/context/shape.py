"""Shape of a context tree: its collections, their id fields, the references between them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pytest_mcpbench.core.context.journal import ids_in
from pytest_mcpbench.core.context.path import EVERY, PRIMARY, Path, Segment
from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.text.suggestions import did_you_mean

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
        """Return the fields that may hold the id of an entity of the collection, the likeliest first."""
        declared = self._by_pattern.get(names)
        if declared is not None and declared.id_field:
            return (declared.id_field,)
        name = names[-1]
        one = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
        return ("id", f"{one}_id", f"{one}Id")

    def referring_to(self, names: tuple[str, ...]) -> tuple[tuple[Collection, str], ...]:
        """Return the collections that refer to this collection, each with the referring field."""
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
    """Return the patterns of all collections that contain the place with this pattern."""
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


# Resolution of paths in a context tree.


@dataclass(eq=False)
class NotFoundError(SandboxError):
    """A path leads nowhere; ``part`` is its first part that is missing."""

    path: str
    part: str


@dataclass(frozen=True)
class Match:
    """One place to which a path leads."""

    path: str
    """With every selector resolved to an id."""
    keys: tuple[str, ...]
    """Keys from the root to the place."""
    names: tuple[str, ...]
    """The place's pattern: see :func:`~pytest_mcpbench.core.context.shape.pattern`."""
    value: Any

    def field_match(self, name: str) -> "Match":
        """Return the place of a field."""
        path = f"{self.path}.{name}" if self.path else name
        return Match(path, (*self.keys, name), (*self.names, name), self.value[name])

    def entity(self, key: str) -> "Match":
        """Return the place of an entity of this collection."""
        return Match(f"{self.path}[{key}]", (*self.keys, key), (*self.names, EVERY), self.value[key])


def matches(root: Any, path: Path, shape: Shape) -> Iterator[Match]:
    """Return every place to which the path leads, in the order of the tree."""
    return _walk(Match("", (), (), root), path.segments, shape)


def missing_part(root: Any, path: Path, shape: Shape) -> Segment:
    """Return the first segment of a path to which nothing in the tree corresponds."""
    prefixes = (Path(path.segments[: at + 1]) for at in range(len(path.segments)))
    return next(prefix.segments[-1] for prefix in prefixes if not any(matches(root, prefix, shape)))


def _walk(match: Match, segments: tuple[Segment, ...], shape: Shape) -> Iterator[Match]:
    if not segments:
        yield match
        return
    name, used = _key(match.value, segments)
    if name is None:
        return
    for child in _select(match.field_match(name), segments[used - 1].selector, shape):
        yield from _walk(child, segments[used:], shape)


def _key(value: Any, segments: tuple[Segment, ...]) -> tuple[str | None, int]:
    """Return the key that the first segments name and their number, which is above 1 if the key contains dots."""
    if not isinstance(value, dict):
        return None, 0
    name = ""
    for used, segment in enumerate(segments, 1):
        name = f"{name}.{segment.name}" if name else segment.name
        if name in value:
            return name, used
        if segment.selector is not None:
            break
    return None, 0


def _select(collection: Match, selector: str | None, shape: Shape) -> Iterator[Match]:
    if selector is None:
        yield collection
    elif isinstance(collection.value, dict):
        for key in list(collection.value) if selector == EVERY else _ids(collection, selector, shape):
            yield collection.entity(key)


def _ids(collection: Match, selector: str, shape: Shape) -> list[str]:
    """Return the dictionary key first, then the id field's value, then the primary flag; at most one."""
    members = collection.value
    if selector in members:
        return [selector]
    for id_field in shape.id_fields(collection.names):
        for key, member in members.items():
            if isinstance(member, dict) and member.get(id_field) == selector:
                return [key]
    if selector == PRIMARY:
        return [key for key, member in members.items() if is_primary(member)][:1]
    return []


# Validation of a task's seed tree against the shape of a world.


def shape_violations(root: dict[str, Any], shape: Shape, usual: dict[str, Any]) -> Iterator[str]:
    """Yield a sentence for each violation of the shape; none if the shape declares no collections.

    A name at the root is wrong where neither the shape nor the ``usual`` beginning has it and it is near to one that
    they have and the tree lacks, or where the tree has none that they have: recorded worlds may hold more than a server
    reads. References must lead somewhere and, in a shape that declares any, entities must repeat their own key.
    """
    if not shape.collections:
        return
    known = _known_names(shape, usual)
    missing = [name for name in known if name not in root]
    is_foreign = len(missing) == len(known)
    for name in root:
        question = did_you_mean(name, missing)
        if name not in known and (question or is_foreign):
            yield f"it holds no {name!r}" + (f". {question}" if question else f"; it holds: {', '.join(known)}.")
    if any(collection.references for collection in shape.collections):
        for collection in shape.collections:
            yield from _inside(root, collection, shape)


def unknown_names(root: dict[str, Any], shape: Shape, usual: dict[str, Any]) -> tuple[str, ...]:
    """Return the names at the root that neither the shape nor the ``usual`` beginning has; none if all are unknown."""
    known = _known_names(shape, usual)
    unknown = tuple(name for name in root if name not in known)
    return unknown if shape.collections and len(unknown) < len(root) else ()


def _inside(root: dict[str, Any], collection: Collection, shape: Shape) -> Iterator[str]:
    targets = {
        name: (target, frozenset(match.keys[-1] for match in _entities_of(root, target, shape)))
        for name, target in collection.references.items()
    }
    for entity in _entities_of(root, collection.path, shape):
        fields = entity.value if isinstance(entity.value, dict) else {}
        own = fields.get(collection.id_field, entity.keys[-1]) if collection.id_field else entity.keys[-1]
        if str(own) != entity.keys[-1]:
            yield f"{entity.path}: {collection.id_field} is {own!r}; it must be the key, {entity.keys[-1]!r}."
        for name, (target, there) in targets.items():
            missing = (wanted for wanted in ids_in(fields.get(name)) if wanted not in there)
            yield from (f"{entity.path}: {name}: nothing in {target} has the id {wanted!r}." for wanted in missing)


def _entities_of(root: dict[str, Any], collection: str, shape: Shape) -> Iterator[Match]:
    *owners, last = Path.parse(collection).segments
    return matches(root, Path((*owners, Segment(last.name, EVERY))), shape)


def _known_names(shape: Shape, usual: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys((*(Path.parse(each.path).segments[0].name for each in shape.collections), *usual)))
