"""Validation of a task's seed tree against the shape of a world."""

from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.context.path import EVERY, Path, Segment
from pytest_mcpbench.core.context.resolution import Match, matches
from pytest_mcpbench.core.context.shape import Collection, Shape
from pytest_mcpbench.core.context.values import ids_in
from pytest_mcpbench.core.suggestions import did_you_mean


def shape_violations(root: dict[str, Any], shape: Shape, usual: dict[str, Any]) -> Iterator[str]:
    """Yield a sentence for each violation of the shape; none if the shape declares no collections.

    A name at the root is wrong where neither the shape nor the ``usual`` beginning has it and it is near to one that
    they have and the tree lacks, or where the tree has none that they have: recorded worlds may hold more than a server
    reads. References must lead somewhere and, in a shape that declares any, entities must repeat their own key.
    """
    if not shape.collections:
        return
    yield from _unknown(root, shape, usual)
    if any(collection.references for collection in shape.collections):
        for collection in shape.collections:
            yield from _inside(root, collection, shape)


def unknown_names(root: dict[str, Any], shape: Shape, usual: dict[str, Any]) -> tuple[str, ...]:
    """Return the names at the root that neither the shape nor the ``usual`` beginning has; none if all are unknown."""
    known = _known_names(shape, usual)
    unknown = tuple(name for name in root if name not in known)
    return unknown if shape.collections and len(unknown) < len(root) else ()


def _unknown(root: dict[str, Any], shape: Shape, usual: dict[str, Any]) -> Iterator[str]:
    known = _known_names(shape, usual)
    missing = [name for name in known if name not in root]
    is_foreign = len(missing) == len(known)
    for name in root:
        question = did_you_mean(name, missing)
        if name not in known and (question or is_foreign):
            yield f"it holds no {name!r}" + (f". {question}" if question else f"; it holds: {', '.join(known)}.")


def _inside(root: dict[str, Any], collection: Collection, shape: Shape) -> Iterator[str]:
    targets = {name: (at, _keys(root, at, shape)) for name, at in collection.references.items()}
    for entity in _members(root, collection.path, shape):
        fields = entity.value if isinstance(entity.value, dict) else {}
        own = fields.get(collection.id_field, entity.keys[-1]) if collection.id_field else entity.keys[-1]
        if str(own) != entity.keys[-1]:
            yield f"{entity.path}: {collection.id_field} is {own!r}; it must be the key, {entity.keys[-1]!r}."
        for name, (target, there) in targets.items():
            missing = (wanted for wanted in ids_in(fields.get(name)) if wanted not in there)
            yield from (f"{entity.path}: {name}: nothing in {target} has the id {wanted!r}." for wanted in missing)


def _keys(root: dict[str, Any], collection: str, shape: Shape) -> frozenset[str]:
    return frozenset(match.keys[-1] for match in _members(root, collection, shape))


def _members(root: dict[str, Any], collection: str, shape: Shape) -> Iterator[Match]:
    *owners, last = Path.parse(collection).segments
    return matches(root, Path((*owners, Segment(last.name, EVERY))), shape)


def _known_names(shape: Shape, usual: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys((*(_first_name(each) for each in shape.collections), *usual)))


def _first_name(collection: Collection) -> str:
    return Path.parse(collection.path).segments[0].name
