"""Context tree: a JSON tree of entities, addressed by path, with a journal of its changes."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Protocol

from pytest_mcpbench.core.context.journal import ABSENT, TreeEdit, copy_json, has_fields, ids_in, json_equal
from pytest_mcpbench.core.context.path import EVERY, Path, Segment, is_selectable
from pytest_mcpbench.core.context.shape import (
    Collection,
    Match,
    NotFoundError,
    Shape,
    collection_patterns,
    matches,
    missing_part,
    pattern,
)
from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.world import Change

# Differences between two states of a context tree, entity by entity.
#
# Subtrees that both states share are skipped by identity, so that the cost grows with what was changed.


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
            own_old, own_new, nested = _split(_Pair(pair.place.entity(key), old, new), shape)
            if not json_equal(own_old, own_new):
                yield _change(pair.place, key, own_old, own_new)
            for inner in nested:
                yield from _collection(inner, shape)
        else:
            yield _change(pair.place, key, old, new)


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
            if old is not new and isinstance(old, dict) and isinstance(new, dict):
                old, new, inner = _split(_Pair(place, old, new), shape)
                nested.extend(each for each in inner if each.before is not each.after)
        if old is not ABSENT:
            own_before[key] = old
        if new is not ABSENT:
            own_after[key] = new
    return own_before, own_after, nested


def _may_hold_entities(side: Any) -> bool:
    return isinstance(side, dict) or side is ABSENT


def _members_of(side: Any) -> dict[str, Any]:
    return side if isinstance(side, dict) else {}


@dataclass(eq=False)
class ConflictError(SandboxError):
    """An entity with the id is already there, or others still refer to it."""

    path: str


@dataclass(eq=False)
class DanglingReferenceError(SandboxError):
    """A field names an entity that does not exist."""

    field: str
    missing: str


class NewIds(Protocol):
    """Source of ids for entities that are created without one."""

    def uuid(self) -> str: ...


class ContextTree:
    """A tree whose earlier states stay valid: a change copies only the nodes on the way to its place.

    What goes in by :meth:`of` belongs to the tree from then on and is never changed; what comes out is a copy.
    Paths are texts as in :mod:`~pytest_mcpbench.core.context.path`, or parsed; the empty :class:`Path` is the root.
    """

    def __init__(self, root: dict[str, Any], shape: Shape | None = None, ids: NewIds | None = None) -> None:
        self._root = root
        self._ids = ids
        self._journal: list[TreeEdit] = []
        self._treated: set[tuple[str, ...]] = set()
        self.shape = shape or Shape()

    @classmethod
    def of(cls, data: Any, shape: Shape | None = None, ids: NewIds | None = None) -> "ContextTree":
        """Create a tree from ``data``, a JSON object, in constant time without copying."""
        if not isinstance(data, dict):
            raise SandboxError(f"a context tree begins with a JSON object, not with {type(data).__name__}.")
        return cls(data, shape, ids)

    @classmethod
    def from_text(cls, text: str, shape: Shape | None = None) -> "ContextTree":
        """Return the tree in a JSON text; :meth:`text` has the same keys in the same order."""
        return cls.of(json.loads(text), shape)

    def fork(self) -> "ContextTree":
        """Return an independent tree in the same state with an empty journal; takes constant time."""
        return ContextTree(self._root, self.shape, self._ids)

    def to_json(self) -> dict[str, Any]:
        """Return the tree as a JSON value."""
        whole: dict[str, Any] = copy_json(self._root)
        return whole

    def text(self, indent: int | None = None) -> str:
        """Return the tree as JSON text with keys in their order."""
        return json.dumps(self._root, ensure_ascii=False, indent=indent)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names at the root, in order."""
        return tuple(self._root)

    @property
    def journal(self) -> tuple[TreeEdit, ...]:
        """Return every edit since the beginning, in order."""
        return tuple(self._journal)

    def apply(self, edit: TreeEdit) -> None:
        """Make an edit from a journal, or the inverse of one, in this tree."""
        self._root = edit.apply_to(self._root)
        self._journal.append(edit)

    def diff_from(self, before: "ContextTree", selected_paths: Iterable[str | Path] = ()) -> tuple[Change, ...]:
        """Return the changes since ``before``: see :func:`~pytest_mcpbench.core.context.tree.changes`.

        In a tree that declares nothing, what was created, updated or deleted by its path is known to be an entity, and
        so is what the paths ``selected_paths`` select.
        """
        if self._root is before._root:
            return ()
        selected = {each for path in selected_paths for each in collection_patterns(pattern(_to_path(path)))}
        return changes(
            before._root, self._root, self.shape.with_treated_patterns(self._treated | before._treated | selected)
        )

    def matches(self, path: str | Path) -> tuple[Match, ...]:
        """Return every place to which the path leads, with the tree's own values, which must not be changed."""
        return tuple(matches(self._root, _to_path(path), self.shape))

    def has(self, path: str | Path) -> bool:
        """Return whether the path leads anywhere."""
        return bool(self.matches(path))

    def get(self, path: str | Path) -> Any:
        """Return the value at a path without wildcards; :class:`NotFoundError` names the part that is missing."""
        return copy_json(self._match(path).value)

    def find(self, collection: str | Path, id: str) -> Any | None:  # noqa: A002 (the field's word)
        """Return the entity with the id, or ``None``. The id is not parsed, so it may be text from an agent."""
        members = self._match(collection).value
        return copy_json(members[id]) if isinstance(members, dict) and id in members else None

    def list(
        self, path: str | Path, filters: Mapping[str, Any] | None = None, limit: int | None = None
    ) -> Sequence[Any]:
        """Return the entities of a collection, or of all that the path's wildcards lead to, in order.

        ``filters`` are fields, dotted where nested, with the value that each must have. A path without a wildcard
        must lead somewhere.
        """
        path = _to_path(path)
        found = self.matches(path) if path.has_wildcard else (self._match(path),)
        kept = (each for each in _entities(path, found) if has_fields(each, filters or {}))
        return [copy_json(each) for each in islice(kept, limit)]

    def create(self, path: str | Path, data: Mapping[str, Any], id: str | None = None) -> str:  # noqa: A002 (the field's word)
        """Put an entity into the collection at ``path`` and return its id.

        What the collection belongs to must exist. The id is the one given, or what the declared id field of ``data``
        holds, or a new one; :class:`ConflictError` if it is taken.
        """
        path = _to_path(path)
        # The declared collection at the path; `None` in a tree that declares no collections.
        if not path.segments or path.segments[-1].selector is not None:
            raise SandboxError(f"{path or 'the root'} is not a collection; create takes a path that ends in a name.")
        collection = self.shape.collection(pattern(path))
        if collection is None and self.shape.collections:
            known = ", ".join(each.path for each in self.shape.collections)
            raise NotFoundError(f"no collection is at {path}; there are: {known}.", str(path), path.segments[-1].name)
        id_field = collection.id_field if collection else None
        given = data.get(id_field) if id_field else None
        if id is not None:
            key = id
        elif given is not None:
            key = str(given)
        elif self._ids is None:
            raise SandboxError("an entity needs an id: this tree has nothing to make one from.")
        else:
            key = self._ids.uuid()
        entity = copy_json({id_field: key} | dict(data) | {id_field: key} if id_field else dict(data))
        self._check_references(collection, entity)
        self.apply(self._insertion(path, key, entity))
        return key

    def update(self, path: str | Path, fields: Mapping[str, Any]) -> Any:
        """Set fields of the object at ``path``, leave its others, and return it."""
        match = self._object(path)
        self._check_references(self.shape.collection(match.names[:-1]), fields)
        return self._replace(match, {**match.value, **copy_json(dict(fields))})

    def remove_fields(self, path: str | Path, *names: str) -> Any:
        """Remove fields from the object at ``path`` and return the object; missing fields are ignored."""
        match = self._object(path)
        return self._replace(match, {name: value for name, value in match.value.items() if name not in names})

    def delete(self, path: str | Path) -> Any:
        """Remove the value at ``path`` from the tree and return it."""
        match = self._match(path)
        if not match.keys:
            raise SandboxError("the root of a context tree cannot be deleted.")
        self._check_guard(match)
        self._treated.update(collection_patterns(match.names))
        self.apply(TreeEdit("deleted", match.path, match.keys, self._position(match.keys), match.value, ABSENT))
        return copy_json(match.value)

    def _match(self, path: str | Path) -> Match:
        path = _to_path(path)
        if path.has_wildcard:
            raise SandboxError(f"{path} may lead to several places; write an id for each '*'.")
        found = next(iter(self.matches(path)), None)
        if found is None:
            part = str(missing_part(self._root, path, self.shape))
            raise NotFoundError(f"{path} leads nowhere: there is no {part}.", str(path), part)
        return found

    def _object(self, path: str | Path) -> Match:
        match = self._match(path)
        if not isinstance(match.value, dict):
            raise SandboxError(f"{match.path} is {type(match.value).__name__}; only an object has fields.")
        return match

    def _insertion(self, path: Path, key: str, entity: Any) -> TreeEdit:
        """Return the edit that creates an entity and, if necessary, its collection."""
        if not is_selectable(key):
            raise SandboxError(f"{key!r} cannot be an id: no path could name it.")
        name = path.segments[-1].name
        owner = self._object(Path(path.segments[:-1]))
        self._treated.update(collection_patterns((*owner.names, name, EVERY)))
        created = f"{owner.path}.{name}[{key}]" if owner.path else f"{name}[{key}]"
        siblings = owner.value.get(name)
        if siblings is None and name not in owner.value:
            return TreeEdit("created", created, (*owner.keys, name), len(owner.value), ABSENT, {key: entity})
        if not isinstance(siblings, dict):
            raise SandboxError(f"{path} is {type(siblings).__name__}, not a collection.")
        if key in siblings:
            raise ConflictError(f"{created} is already there.", created)
        return TreeEdit("created", created, (*owner.keys, name, key), len(siblings), ABSENT, entity)

    def _replace(self, match: Match, after: dict[str, Any]) -> Any:
        if not json_equal(after, match.value):
            self._treated.update(collection_patterns(match.names))
            self.apply(TreeEdit("updated", match.path, match.keys, self._position(match.keys), match.value, after))
        return copy_json(after)

    def _position(self, keys: tuple[str, ...]) -> int:
        if not keys:
            return 0
        parent = self._root
        for key in keys[:-1]:
            parent = parent[key]
        return next(at for at, key in enumerate(parent) if key == keys[-1])

    def _check_references(self, collection: Collection | None, fields: Mapping[str, Any]) -> None:
        for name, target in (collection.references if collection else {}).items():
            for wanted in ids_in(fields.get(name)):
                if not any(wanted == match.keys[-1] for match in self._members(target)):
                    raise DanglingReferenceError(f"{name}: nothing in {target} has the id {wanted!r}.", name, wanted)

    def _check_guard(self, match: Match) -> None:
        collection = self.shape.collection(match.names[:-1])
        if collection is None or not collection.guarded:
            return
        for referring, name in self.shape.referring_to(match.names[:-1]):
            for each in self._members(referring.path):
                if match.keys[-1] in ids_in(each.value.get(name)):
                    raise ConflictError(f"{match.path} cannot be deleted: {each.path} refers to it.", match.path)

    def _members(self, collection: str) -> Iterator[Match]:
        *owners, last = Path.parse(collection).segments
        return matches(self._root, Path((*owners, Segment(last.name, EVERY))), self.shape)


def _to_path(path: str | Path) -> Path:
    return path if isinstance(path, Path) else Path.parse(path)


def _entities(path: Path, found: tuple[Match, ...]) -> Iterator[Any]:
    if path.segments and path.segments[-1].selector is not None:
        yield from (match.value for match in found)
        return
    for match in found:
        if not isinstance(match.value, dict):
            raise SandboxError(f"{match.path} is {type(match.value).__name__}, not a collection.")
        yield from match.value.values()
