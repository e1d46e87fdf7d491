"""Removal of candidates whose request has nearly the same words as an earlier one."""

import itertools
import re
from collections.abc import Iterator, Sequence

from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped, TaskCandidate
from pytest_mcpbench.generation.pipeline.stages import Selection

MOST_SIMILAR = 0.8
"""Largest Jaccard index of the pairs of neighbouring words of two requests."""


async def keep_distinct(candidates: Sequence[TaskCandidate]) -> Selection:
    """Keep the first of the candidates whose requests have nearly the same words."""
    kept: list[tuple[TaskCandidate, frozenset[str]]] = []
    dropped: list[Dropped] = []
    for candidate in candidates:
        pairs = _word_pairs(candidate)
        twin = next((other for other, theirs in kept if _similarity(pairs, theirs) > MOST_SIMILAR), None)
        if twin is None:
            kept.append((candidate, pairs))
        else:
            dropped.append(Dropped.of(candidate, Drop("the request resembles that of another task", twin.id)))
    return Selection([candidate for candidate, _ in kept], dropped)


def _similarity(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def _word_pairs(candidate: TaskCandidate) -> frozenset[str]:
    words = ["", *re.findall(r"\w+", " ".join(_requests(candidate)).casefold()), ""]
    return frozenset(f"{first} {second}" for first, second in itertools.pairwise(words))


def _requests(candidate: TaskCandidate) -> Iterator[str]:
    yield str(candidate.task.get("ask", ""))
    turns = candidate.task.get("turns")
    for turn in turns if isinstance(turns, list) else ():
        yield str(turn.get("user", turn.get("ask", "")) if isinstance(turn, dict) else turn)
