"""Resolution of paths in a context tree."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.context.path import EVERY, PRIMARY, Path, Segment
from pytest_mcpbench.core.context.shape import Shape, is_primary
from pytest_mcpbench.core.errors import SandboxError


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
    """Return the first segment behind which a path that leads nowhere finds nothing."""
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
    """Return the key for the first segments (several if the key contains dots), with their number."""
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
    for field in shape.id_fields(collection.names):
        for key, member in members.items():
            if isinstance(member, dict) and member.get(field) == selector:
                return [key]
    if selector == PRIMARY:
        return [key for key, member in members.items() if is_primary(member)][:1]
    return []
