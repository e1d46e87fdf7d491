"""Exact tests of paired values: can chance alone explain that one side is higher?

Both test that each task is as likely to change one way as the other, and hold their error rate with any number of
tasks.
"""

from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy

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
        return float(numpy.mean(numpy.abs(_every_sum(changed)) >= observed))
    extreme = int(numpy.sum(numpy.abs(_drawn_sums(changed, seed)) >= observed))
    return (extreme + 1) / (_DRAWS + 1)


def _every_sum(changed: "numpy.ndarray") -> "numpy.ndarray":
    import numpy

    sums = numpy.zeros(1)
    for one in changed:
        sums = numpy.concatenate([sums + one, sums - one])
    return sums


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
