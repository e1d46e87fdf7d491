"""Evaluation of a task's state checks against the changes and observations of its worlds."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pytest_mcpbench.core.sandbox import FILES
from pytest_mcpbench.core.task import StateCheck
from pytest_mcpbench.core.world import Change, Observation, WorldRecord
from pytest_mcpbench.metrics.comparison.containment import MOST_LISTED, disagreements, equivalent, format_json
from pytest_mcpbench.metrics.world_state.changes import (
    changes_at,
    entity_path,
    entity_value,
    find_observation,
    overlapping_changes,
)
from pytest_mcpbench.metrics.world_state.check_result import CheckResult


def evaluate_check(check: StateCheck, worlds: Iterable[WorldRecord]) -> CheckResult:
    """Evaluate the check against the worlds."""
    worlds = tuple(worlds)
    asked = [world for world in worlds if check.world in (None, world.name)]
    if not asked:
        known = ", ".join(world.name for world in worlds) or "none"
        which = f"world {check.world!r} was not observed" if check.world else "no world was observed"
        return CheckResult(None, f"{describe_check(check)}: {which}; observed: {known}")
    if doubts := path_problems(check, asked):
        return CheckResult(None, f"{describe_check(check)}: {describe_path_problems(doubts)}")
    holds, why = _RULES[check.verb](check, asked)
    return CheckResult(holds, f"{describe_check(check)}: {why}")


def path_problems(check: StateCheck, worlds: Iterable[WorldRecord]) -> dict[str, Observation]:
    """Return the worlds in which the check's path is doubtful; empty if it is valid in at least one of them."""
    observation = {
        world.name: find_observation(world, check.path) for world in worlds if check.world in (None, world.name)
    }
    # Worlds without declared collections may still create what is missing.
    needs_entity = check.verb in ("updated", "deleted", "unchanged")
    doubts = {
        name: one
        for name, one in observation.items()
        if one is not None and one.doubt is not None and (one.is_undeclared or needs_entity)
    }
    return doubts if len(doubts) == len(observation) else {}


def describe_path_problems(doubts: dict[str, Observation]) -> str:
    """Describe path problems per world; the sandbox directory only if no server has a world."""
    of_servers = {name: one for name, one in doubts.items() if name != FILES} or doubts
    return "; ".join(f"world {name!r}: {one.doubt}" for name, one in of_servers.items())


def requested_changes(check: StateCheck, world: WorldRecord) -> Iterator[Change]:
    """Return changes of the world that the check asks for."""
    if check.world not in (None, world.name) or check.verb == "unchanged":
        return iter(())
    if check.verb == "equals":
        return overlapping_changes(world, check.path)
    return _matching_changes(check, changes_at(world, check.path))


def describe_check(check: StateCheck) -> str:
    """Return the check as a task author wrote it, on one line."""
    parts = [f"{check.verb} {check.path}"]
    if check.world:
        parts.insert(0, f"{check.world}:")
    if check.where:
        parts.append(f"where {format_json(check.where)}")
    if check.verb == "equals":
        parts.append(format_json(check.value))
    if check.count is not None:
        parts.append(f"×{check.count}")
    return " ".join(parts)


def _check_change(check: StateCheck, worlds: list[WorldRecord]) -> tuple[bool, str]:
    candidates = [change for world in worlds for change in changes_at(world, check.path) if change.kind == check.verb]
    matching = list(_matching_changes(check, candidates))
    right = len(matching) == check.count if check.count is not None else bool(matching)
    if matching or not candidates:
        return right, f"{len(matching)} {check.verb}" + _change_list(matching)
    misses = "; ".join(
        f"{entity_path(change)}: {', '.join(_misses(check, change))}" for change in candidates[:MOST_LISTED]
    )
    return right, f"none of {len(candidates)} {check.verb} fits ({misses})"


def _check_unchanged(check: StateCheck, worlds: list[WorldRecord]) -> tuple[bool, str]:
    changes = [change for world in worlds for change in overlapping_changes(world, check.path)]
    return not changes, f"{len(changes)} changes" + _change_list(changes)


def _check_value(check: StateCheck, worlds: list[WorldRecord]) -> tuple[bool | None, str]:
    observation = [one for world in worlds if (one := find_observation(world, check.path)) is not None]
    if not observation:
        return None, "the path was not observed"
    found: list[Any] = []
    for one in observation:
        if "[*]" not in one.path:
            found.append(one.after)
        elif isinstance(one.after, dict):
            found += one.after.values()
    equal = [value for value in found if equivalent(check.value, value)]
    right = len(equal) == check.count if check.count is not None else bool(found) and len(equal) == len(found)
    return right, f"found {', '.join(format_json(value) for value in found[:MOST_LISTED]) or 'nothing'}"


def _matching_changes(check: StateCheck, candidates: Iterable[Change]) -> Iterator[Change]:
    return (change for change in candidates if change.kind == check.verb and not _misses(check, change))


def _misses(check: StateCheck, change: Change) -> tuple[str, ...]:
    return disagreements(check.where, entity_value(change))


def _change_list(changes: list[Change]) -> str:
    return (
        ": " + ", ".join(f"{change.kind} {entity_path(change)}" for change in changes[:MOST_LISTED]) if changes else ""
    )


_Rule = Callable[[StateCheck, list[WorldRecord]], tuple[bool | None, str]]

_RULES: dict[str, _Rule] = {
    "created": _check_change,
    "updated": _check_change,
    "deleted": _check_change,
    "unchanged": _check_unchanged,
    "equals": _check_value,
}
