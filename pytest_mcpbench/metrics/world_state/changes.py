"""Selection of a world's changes by the paths that a task uses."""

from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.context.journal import ABSENT, field_value
from pytest_mcpbench.core.context.path import EVERY, Path, PathSyntaxError
from pytest_mcpbench.core.world import Change, Observation, WorldRecord
from pytest_mcpbench.metrics.comparison.containment import equivalent


def entity_path(change: Change) -> str:
    """Return the entity's path; at the root, where there is no collection, its name."""
    return change.path if change.collection else change.id


def find_observation(world: WorldRecord, path: str) -> Observation | None:
    """Return the observation of the world at a path of the task."""
    return next((seen for seen in world.observations if seen.path == path), None)


def resolve_path(world: WorldRecord, path: str) -> tuple[str, ...]:
    """Return the paths with ids to which a task's path resolves; the path itself if the world did not resolve it."""
    seen = find_observation(world, path)
    return seen.resolved if seen and seen.resolved else (path,)


def changes_at(world: WorldRecord, path: str) -> Iterator[Change]:
    """Yield the changes of the entity, the collection's entities or the field at the path.

    Entities inside an entity that was created or deleted count as changes of their own.
    """
    paths = resolve_path(world, path)
    for change in world.changes:
        if any(_is_at(change, where) for where in paths):
            yield change
        elif change.kind != "updated":
            yield from (part for where in paths for part in _parts(change, where))


def overlapping_changes(world: WorldRecord, path: str) -> Iterator[Change]:
    """Return changes at the path or below it, and of entities around it that were created or deleted."""
    paths = resolve_path(world, path)
    return (change for change in world.changes if any(_touches(change, where) for where in paths))


def changed_fields(change: Change) -> tuple[str, ...]:
    """Return the names of an updated entity's top-level fields whose values differ."""
    if not isinstance(change.before, dict) or not isinstance(change.after, dict):
        return ()
    before, after = change.before, change.after
    names = dict.fromkeys((*before, *after))
    return tuple(name for name in names if not _equal(before.get(name, ABSENT), after.get(name, ABSENT)))


def entity_value(change: Change) -> Any:
    """Return the entity after the change, or before it if the entity was deleted."""
    return change.before if change.kind == "deleted" else change.after


def _touches(change: Change, where: str) -> bool:
    came_or_went = change.kind != "updated" and _lies_below(where, entity_path(change))
    return came_or_went or _is_at(change, where) or _lies_below(entity_path(change), where)


def _is_at(change: Change, where: str) -> bool:
    if _same_path(where, change.collection) or _same_path(where, entity_path(change)):
        return True
    if change.kind != "updated" or not where.startswith(entity_path(change) + "."):
        return False
    name = where.removeprefix(entity_path(change) + ".")
    return not _equal(field_value(change.before, name), field_value(change.after, name))


def _parts(change: Change, where: str) -> Iterator[Change]:
    """Yield the entities at the path ``where`` inside an entity that was created or deleted."""
    if not where.startswith(entity_path(change) + "."):
        return
    path = _parse(where.removeprefix(entity_path(change) + "."))
    if path is None:
        return
    found = entity_value(change)
    for segment in path.segments:
        found = field_value(found, segment.name)
        if segment.selector is not None:
            found = found.get(segment.selector, ABSENT) if isinstance(found, dict) else ABSENT
    if found is ABSENT:
        return
    last = path.segments[-1].selector
    members = {last: found} if last is not None else found
    collection = where.removesuffix(f"[{last}]")
    for key, value in members.items() if isinstance(members, dict) else ():
        before, after = (value, None) if change.kind == "deleted" else (None, value)
        yield Change(kind=change.kind, collection=collection, id=key, before=before, after=after)


def _same_path(pattern: str, path: str) -> bool:
    """Return whether a path is what the pattern says; ``*`` in the pattern stands for any id."""
    if pattern == path:
        return True
    if EVERY not in pattern:
        return False
    left, right = _parse(pattern), _parse(path)
    if left is None or right is None or len(left.segments) != len(right.segments):
        return False
    return all(
        one.name == other.name and (one.selector == other.selector or (one.selector == EVERY and other.selector))
        for one, other in zip(left.segments, right.segments, strict=True)
    )


def _parse(text: str) -> Path | None:
    try:
        return Path.parse(text)
    except PathSyntaxError:
        return None


def _lies_below(path: str, whole: str) -> bool:
    return path.startswith((whole + ".", whole + "["))


def _equal(left: Any, right: Any) -> bool:
    return left is right or (left is not ABSENT and right is not ABSENT and equivalent(left, right))
