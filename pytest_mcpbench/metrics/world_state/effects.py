"""Comparison of a world's changes with the effects that a task expects."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.effects import GENERATED, Effect
from pytest_mcpbench.core.world import Change, WorldRecord
from pytest_mcpbench.metrics.comparison.matching import maximum_matching
from pytest_mcpbench.metrics.world_state.bookkeeping import is_bookkeeping
from pytest_mcpbench.metrics.world_state.changes import changed_fields

_DIGEST = "sha256"
"""Field of a file that follows from its text, where the text is known."""


@dataclass(frozen=True)
class Wording:
    """A text that differs from the reference's where the task leaves the words open."""

    path: str
    expected: str
    actual: str


@dataclass(frozen=True)
class EffectMatching:
    """Expected effects paired with actual changes."""

    missing: tuple[Effect, ...]
    """Effects without a change."""
    extra: tuple[tuple[str, Change], ...]
    """World and change without an effect."""
    wordings: tuple[Wording, ...]
    """Texts of the pairs that a judge must compare."""
    near: tuple[str, ...]
    """For each missing effect, the differences from the nearest extra change of its collection; empty if none is."""


def match_effects(
    effects: Sequence[Effect], worlds: Sequence[WorldRecord], bookkeeping: tuple[str, ...]
) -> EffectMatching:
    """Pair effects with changes, as many as possible; updates of bookkeeping fields alone are not changes."""
    changes = [
        (world.name, change)
        for world in worlds
        for change in world.changes
        if change.kind != "updated" or _changed(change, bookkeeping)
    ]
    differences = [
        [tuple(_differences(effect, name, change, bookkeeping)) for name, change in changes] for effect in effects
    ]
    pairs = maximum_matching([[not found for found in row] for row in differences])
    missing = [row for row in range(len(effects)) if row not in pairs]
    extra = [column for column in range(len(changes)) if column not in pairs.values()]
    return EffectMatching(
        missing=tuple(effects[row] for row in missing),
        extra=tuple(changes[column] for column in extra),
        wordings=tuple(
            wording for row, column in pairs.items() for wording in _wordings(effects[row], changes[column][1])
        ),
        near=tuple(_nearest(effects[row], differences[row], changes, extra) for row in missing),
    )


def _differences(effect: Effect, world: str, change: Change, bookkeeping: tuple[str, ...]) -> Iterator[str]:
    """Yield each reason why the change is not the effect."""
    if (world, change.kind) != (effect.world, effect.kind):
        yield f"{change.kind} in {world}"
    elif not _fits(effect.collection, change.collection):
        yield f"it is in {change.collection or 'the root'}"
    elif not _fits(effect.id, change.id):
        yield f"it is {change.id}"
    elif change.kind == "updated":
        yield from _field_differences(effect, _changed(change, bookkeeping), bookkeeping)
    elif change.kind == "created":
        yield from _field_differences(effect, _fields(change.after), bookkeeping)


def _field_differences(effect: Effect, actual: Mapping[str, Any], bookkeeping: tuple[str, ...]) -> Iterator[str]:
    for name in {**effect.fields, **actual}:
        if is_bookkeeping(name, bookkeeping) or (name == _DIGEST and "text" in actual):
            continue
        yield from _value_differences(effect, name, effect.fields.get(name), actual.get(name))


def _value_differences(effect: Effect, path: str, expected: Any, actual: Any) -> Iterator[str]:
    if isinstance(expected, Mapping) and isinstance(actual, Mapping) and path not in effect.any:
        yield from _object_differences(effect, path, expected, actual)
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
            yield from _value_differences(effect, f"{path}.{index}", one, other)
    elif not _same_value(effect, path, expected, actual):
        yield f"{path}: expected {expected!r}, got {actual!r}"


def _object_differences(
    effect: Effect, path: str, expected: Mapping[str, Any], actual: Mapping[str, Any]
) -> Iterator[str]:
    """Compare two objects; entries under a generated key are paired in their order."""
    generated = [value for key, value in expected.items() if key == GENERATED or key.startswith(f"{GENERATED}#")]
    others = [value for key, value in actual.items() if key not in expected]
    if len(generated) != len(others):
        yield f"{path}: {len(others)} new entries instead of {len(generated)}"
        return
    for one, other in zip(generated, others, strict=True):
        yield from _value_differences(effect, f"{path}.{GENERATED}", one, other)
    for key, value in expected.items():
        if not (key == GENERATED or key.startswith(f"{GENERATED}#")):
            yield from _value_differences(effect, f"{path}.{key}", value, actual.get(key))


def _same_value(effect: Effect, path: str, expected: Any, actual: Any) -> bool:
    if path in effect.any:
        return actual not in (None, "", [], {})
    if isinstance(expected, str) and isinstance(actual, str):
        return path in effect.judged or _fits(expected, actual)
    return (
        expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
        if (expected is not None or actual is not None)
        else True
    )


def _fits(expected: str, actual: str) -> bool:
    """Return whether a text is the expected one, with anything but nothing in place of each generated part."""
    if GENERATED not in expected:
        return expected == actual
    return re.fullmatch(re.escape(expected).replace(re.escape(GENERATED), ".+"), actual, re.DOTALL) is not None


def _wordings(effect: Effect, change: Change) -> Iterator[Wording]:
    actual = _fields(change.after)
    for path in effect.judged:
        expected_text, actual_text = _at(effect.fields, path), _at(actual, path)
        if isinstance(expected_text, str) and isinstance(actual_text, str) and expected_text != actual_text:
            yield Wording(f"{effect.world}: {path}", expected_text, actual_text)


def _nearest(
    effect: Effect, row: Sequence[tuple[str, ...]], changes: Sequence[tuple[str, Change]], extra: Sequence[int]
) -> str:
    candidates = [
        column
        for column in extra
        if changes[column][0] == effect.world
        and changes[column][1].kind == effect.kind
        and _fits(effect.collection, changes[column][1].collection)
    ]
    best = min(candidates, key=lambda column: len(row[column]), default=None)
    return "" if best is None else "; ".join(row[best])


def _changed(change: Change, bookkeeping: tuple[str, ...]) -> dict[str, Any]:
    """Return the new values of an update's changed fields, without bookkeeping."""
    after = _fields(change.after)
    names = (name for name in changed_fields(change) if not is_bookkeeping(name, bookkeeping))
    return {name: after.get(name) for name in names} or _whole(change)


def _whole(change: Change) -> dict[str, Any]:
    """Return the new value of an entity that is not an object; empty for an object."""
    is_object = isinstance(change.before, dict) and isinstance(change.after, dict)
    return {} if is_object else {"value": change.after}


def _fields(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {"value": value}


def _at(value: Any, path: str) -> Any:
    """Return the value at a dotted path; names may contain dots themselves."""
    if not path:
        return value
    if isinstance(value, list):
        index, _, rest = path.partition(".")
        return _at(value[int(index)], rest) if index.isdigit() and int(index) < len(value) else None
    if isinstance(value, dict):
        for name in sorted(value, key=len, reverse=True):
            if path == name or path.startswith(f"{name}."):
                return _at(value[name], path[len(name) + 1 :])
    return None
