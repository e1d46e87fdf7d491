"""The choice of as many tasks as were asked for, in equal shares."""

from collections.abc import Sequence
from itertools import zip_longest

from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped, TaskCandidate
from pytest_mcpbench.generation.pipeline.stages import Selection

SHARE = "calls"
"""Tag whose values get equal shares, as far as there are enough candidates."""


def choose(candidates: Sequence[TaskCandidate], number: int) -> Selection:
    """Keep a number of candidates, one of each group in turn, in the order of the candidates."""
    groups: dict[str, list[TaskCandidate]] = {}
    for candidate in candidates:
        groups.setdefault(_group(candidate), []).append(candidate)
    in_turn = [each for row in zip_longest(*groups.values()) for each in row if each is not None]
    chosen = {each.id for each in in_turn[:number]}
    kept = [each for each in candidates if each.id in chosen]
    rest = [Dropped.of(each, Drop("enough tasks without it")) for each in candidates if each.id not in chosen]
    return Selection(kept, rest)


def _group(candidate: TaskCandidate) -> str:
    tags = candidate.task.get("tags")
    return str(tags.get(SHARE, "")) if isinstance(tags, dict) else ""
