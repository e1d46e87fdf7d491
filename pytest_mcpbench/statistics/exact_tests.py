"""Exact tests: of paired values, and of two arms with trials of the same tasks."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy

# Exact tests of paired values: can chance alone explain that one side is higher?
#
# Both test that each task is as likely to change one way as the other, and hold their error rate with any number of
# tasks.

_MOST_ENUMERATED = 16
"""Changed tasks of which all combinations of signs are counted (65,536); with more of them, signs are drawn."""
_DRAWS = 20_000
_DRAWN_AT_ONCE = 2_000_000
_SAME = 1e-9


def exact_mcnemar(better: int, worse: int) -> float:
    """Return two-sided p of the exact McNemar test: the binomial test that a discordant task falls either way equally.

    1 where nothing is discordant. Exact, because the chi-squared form is wrong for the few discordant tasks that
    benchmarks have.
    """
    discordant = better + worse
    tail = sum(comb(discordant, k) for k in range(min(better, worse) + 1))
    return min(1.0, tail / (1 << discordant) * 2)


def sign_flip(differences: Sequence[float], seed: int = 0) -> float:
    """Return two-sided p of the paired permutation test (Fisher 1935): each difference may have had the other sign.

    All combinations of signs are counted, or 20,000 are drawn and the observed one is added to them, which keeps the
    error rate exact (Phipson and Smyth 2010). For passes and failures the test is McNemar's.
    """
    import numpy

    changed = numpy.asarray([abs(one) for one in differences if abs(one) > _SAME])
    if not len(changed):
        return 1.0
    observed = abs(sum(differences)) - _SAME
    if len(changed) <= _MOST_ENUMERATED:
        sums = numpy.zeros(1)
        for one in changed:
            sums = numpy.concatenate([sums + one, sums - one])
        return float(numpy.mean(numpy.abs(sums) >= observed))
    extreme = int(numpy.sum(numpy.abs(_drawn_sums(changed, seed)) >= observed))
    return (extreme + 1) / (_DRAWS + 1)


def _drawn_sums(changed: "numpy.ndarray", seed: int) -> "numpy.ndarray":
    """Return sums with random signs; of equal values, only the number of positive signs is drawn."""
    import numpy

    random = numpy.random.default_rng(seed)
    distinct, times = numpy.unique(changed, return_counts=True)
    at_once = max(1, _DRAWN_AT_ONCE // len(distinct))
    sums = [
        (2 * random.binomial(times, 0.5, size=(min(at_once, _DRAWS - start), len(distinct))) - times) @ distinct
        for start in range(0, _DRAWS, at_once)
    ]
    return numpy.concatenate(sums)


# Exact stratified test of two arms with trials of the same tasks, and Holm's correction for tests of single tasks.


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
    supports = [(pair, *_support(pair.baseline, pair.candidate)) for pair in pairs]
    # A task whose number of passes can be one number only says nothing.
    informative = [(pair, low) for pair, low, high in supports if low < high]
    if not informative:
        return 1.0
    ways = functools.reduce(_convolve, (_ways(pair.baseline, pair.candidate) for pair, _ in informative))
    lowest = sum(low for _, low in informative)
    observed = sum(pair.candidate.passed for pair, _ in informative) - lowest
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
