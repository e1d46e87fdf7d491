"""Exact stratified test of two arms with trials of the same tasks, and Holm's correction for tests of single tasks."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb


@dataclass(frozen=True)
class Trials:
    """Trials of one task in one arm."""

    passed: int
    made: int

    @property
    def rate(self) -> float | None:
        """Share of the trials that passed; ``None`` without trials."""
        return self.passed / self.made if self.made else None


@dataclass(frozen=True)
class TrialPair:
    """Trials of one task in two arms."""

    task: str
    baseline: Trials
    candidate: Trials

    @property
    def difference(self) -> float:
        """Pass rate of the candidate minus that of the baseline; 0 if an arm has no trial."""
        before, after = self.baseline.rate, self.candidate.rate
        return 0.0 if before is None or after is None else after - before

    @property
    def swapped(self) -> "TrialPair":
        """Return the pair with the arms exchanged, to ask whether the candidate is better."""
        return TrialPair(self.task, self.candidate, self.baseline)


def stratified_p(pairs: Iterable[TrialPair]) -> float:
    """Return one-sided p of the hypothesis that no task got worse (Cochran 1954; Mantel and Haenszel 1959).

    Given the number of passes of a task in both arms together, those of the candidate are hypergeometric if the arms
    are equal. Their sum over the tasks is compared with the observed one; its distribution is exact, so the error rate
    holds for any number of tasks and trials. With one trial each it is McNemar's exact test.
    """
    informative = [pair for pair in pairs if _is_informative(pair)]
    if not informative:
        return 1.0
    ways = functools.reduce(_convolve, (_ways(pair.baseline, pair.candidate) for pair in informative))
    lowest = sum(_support(pair.baseline, pair.candidate)[0] for pair in informative)
    observed = sum(pair.candidate.passed for pair in informative) - lowest
    # Integers until here: rounding must not turn a p that equals the level into one above it.
    return sum(ways[: observed + 1]) / sum(ways)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p values adjusted for their number, in the same order (Holm 1979)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, highest = [1.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def _is_informative(pair: TrialPair) -> bool:
    low, high = _support(pair.baseline, pair.candidate)
    return low < high


def _support(baseline: Trials, candidate: Trials) -> tuple[int, int]:
    """Return the least and the greatest number of passes that the candidate can have, given those of both arms."""
    passed = baseline.passed + candidate.passed
    return max(0, passed - baseline.made), min(passed, candidate.made)


@functools.lru_cache(maxsize=4096)
def _ways(baseline: Trials, candidate: Trials) -> tuple[int, ...]:
    """Return the assignments of the passes to the arms by the candidate's passes, from the least possible number on."""
    passed = baseline.passed + candidate.passed
    low, high = _support(baseline, candidate)
    return tuple(comb(candidate.made, each) * comb(baseline.made, passed - each) for each in range(low, high + 1))


def _convolve(left: Sequence[int], right: Sequence[int]) -> tuple[int, ...]:
    sums = [0] * (len(left) + len(right) - 1)
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            sums[i + j] += one * other
    return tuple(sums)
