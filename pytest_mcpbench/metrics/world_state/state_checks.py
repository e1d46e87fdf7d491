"""Whether a task's statements about the world hold, decided from its changes and observations."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.sandbox import FILES
from pytest_mcpbench.core.task import StateCheck
from pytest_mcpbench.core.world import Change, Observation, WorldRecord
from pytest_mcpbench.metrics.comparison.containment import agrees, disagreements, shown
from pytest_mcpbench.metrics.world_state.changes import entity, meant, observation, place, touching


@dataclass(frozen=True)
class Finding:
    """One check with its answer; ``holds`` is ``None`` where nothing was observed that could answer it."""

    check: StateCheck
    holds: bool | None
    reason: str


def find(check: StateCheck, worlds: Iterable[WorldRecord]) -> Finding:
    """The check's answer."""
    worlds = tuple(worlds)
    asked = [world for world in worlds if check.world in (None, world.name)]
    if not asked:
        known = ", ".join(world.name for world in worlds) or "none"
        which = f"world {check.world!r} was not observed" if check.world else "no world was observed"
        return Finding(check, None, f"{sentence(check)}: {which}; observed: {known}")
    if doubts := doubts_of(check, asked):
        return Finding(check, None, f"{sentence(check)}: {doubts_in_words(doubts)}")
    holds, why = _RULES[check.verb](check, asked)
    return Finding(check, holds, f"{sentence(check)}: {why}")


def doubts_of(check: StateCheck, worlds: Iterable[WorldRecord]) -> dict[str, Observation]:
    """World -> why the check's path can mean nothing in it; empty where it means something in any that is asked."""
    seen = {world.name: observation(world, check.path) for world in worlds if check.world in (None, world.name)}
    doubts = {name: one for name, one in seen.items() if one is not None and _is_in_doubt(check, one)}
    return doubts if len(doubts) == len(seen) else {}


def doubts_in_words(doubts: dict[str, Observation]) -> str:
    """What is in doubt, world by world; what the sandbox directory holds only where no server has a world."""
    of_servers = {name: one for name, one in doubts.items() if name != FILES} or doubts
    return "; ".join(f"world {name!r}: {one.doubt}" for name, one in of_servers.items())


def accounted(check: StateCheck, world: WorldRecord) -> Iterator[Change]:
    """Changes of the world that the check asks for."""
    if check.world not in (None, world.name) or check.verb == "unchanged":
        return iter(())
    if check.verb == "equals":
        return touching(world, check.path)
    return _matching(check, meant(world, check.path))


def sentence(check: StateCheck) -> str:
    """The check as a task author wrote it, on one line."""
    parts = [f"{check.verb} {check.path}"]
    if check.world:
        parts.insert(0, f"{check.world}:")
    if check.where:
        parts.append(f"where {shown(check.where)}")
    if check.verb == "equals":
        parts.append(shown(check.value))
    if check.count is not None:
        parts.append(f"×{check.count}")
    return " ".join(parts)


def _is_in_doubt(check: StateCheck, seen: Observation) -> bool:
    """What may come to be can be asked for, in a world that declares nothing; what is there must have been there."""
    return seen.doubt is not None and (seen.is_undeclared or check.verb in ("updated", "deleted", "unchanged"))


def _changed(check: StateCheck, worlds: list[WorldRecord]) -> tuple[bool, str]:
    candidates = [change for world in worlds for change in meant(world, check.path) if change.kind == check.verb]
    matching = list(_matching(check, candidates))
    right = len(matching) == check.count if check.count is not None else bool(matching)
    if matching or not candidates:
        return right, f"{len(matching)} {check.verb}" + _listed(matching)
    misses = "; ".join(f"{place(change)}: {', '.join(_misses(check, change))}" for change in candidates[:3])
    return right, f"none of {len(candidates)} {check.verb} fits ({misses})"


def _unchanged(check: StateCheck, worlds: list[WorldRecord]) -> tuple[bool, str]:
    changes = [change for world in worlds for change in touching(world, check.path)]
    return not changes, f"{len(changes)} changes" + _listed(changes)


def _equals(check: StateCheck, worlds: list[WorldRecord]) -> tuple[bool | None, str]:
    seen = [one for world in worlds if (one := observation(world, check.path)) is not None]
    if not seen:
        return None, "the path was not observed"
    found = [value for one in seen for value in _values_after(one)]
    equal = [value for value in found if agrees(check.value, value) and agrees(value, check.value)]
    right = len(equal) == check.count if check.count is not None else bool(found) and len(equal) == len(found)
    return right, f"found {', '.join(shown(value) for value in found[:3]) or 'nothing'}"


def _values_after(seen: Observation) -> list[Any]:
    """What is at the path after the attempt; ``None`` stands for nothing there."""
    if "[*]" in seen.path:
        return list(seen.after.values()) if isinstance(seen.after, dict) else []
    return [seen.after]


def _matching(check: StateCheck, candidates: Iterable[Change]) -> Iterator[Change]:
    return (change for change in candidates if change.kind == check.verb and not _misses(check, change))


def _misses(check: StateCheck, change: Change) -> tuple[str, ...]:
    return disagreements(check.where, entity(change))


def _listed(changes: list[Change]) -> str:
    return ": " + ", ".join(f"{change.kind} {place(change)}" for change in changes[:5]) if changes else ""


_Rule = Callable[[StateCheck, list[WorldRecord]], tuple[bool | None, str]]

_RULES: dict[str, _Rule] = {
    "created": _changed,
    "updated": _changed,
    "deleted": _changed,
    "unchanged": _unchanged,
    "equals": _equals,
}
