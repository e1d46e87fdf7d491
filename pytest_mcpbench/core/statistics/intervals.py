"""Confidence intervals of means over tasks: Wilson's interval, bootstrap over tasks.

What is resampled is tasks, with all trials of a task staying together: trials of one task resemble each other, and
counting them as independent would make the interval too narrow.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy

RESAMPLES = 10_000

_DRAWN_AT_ONCE = 2_000_000
"""Numbers drawn at once, which bounds memory at 16 MB for any number of tasks."""


class Interval(NamedTuple):
    """Both bounds belong to it."""

    low: float
    high: float


def wilson(passed: float, n: int, level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a share (Wilson 1927); never outside 0 to 1, and sensible at 0 and at 1."""
    if n < 1:
        raise ValueError("n is 0; a share of nothing has no interval")
    if not 0 <= passed <= n:
        raise ValueError(f"{passed} of {n} cannot have passed")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = passed / n
    centre = share + z * z / (2 * n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low = 0.0 if passed == 0 else (centre - half) / scale
    return Interval(low, 1.0 if passed == n else (centre + half) / scale)


def bootstrap_mean(
    values: Iterable[Sequence[float]], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Return the percentile interval of the mean over tasks of task means, resampling tasks."""
    means = [sum(trials) / len(trials) for trials in values if len(trials)]
    return bootstrap_ratio([(mean, 1.0) for mean in means], level=level, resamples=resamples, seed=seed)


def bootstrap_ratio(
    counts: Iterable[tuple[float, float]], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Return the percentile interval of sum(part) / sum(whole) over tasks, without resamples whose whole is 0."""
    import numpy

    table = numpy.asarray(list(counts), dtype=float)
    if not table.size:
        raise ValueError("there is no task to resample")
    parts, wholes = _resampled_sums(table, resamples, seed).T
    ratios = parts[wholes > 0] / wholes[wholes > 0]
    low, high = numpy.quantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def pass_rate_interval(verdicts: Mapping[str, Sequence[bool]], level: float = 0.95) -> Interval:
    """Return the interval of the pass rate: Wilson's if the trials of each task agree, else by bootstrap over tasks.

    The bootstrap alone would be sure of 0 or 1, however few tasks it is seen in.
    """
    trials = [verdicts[task] for task in sorted(verdicts) if len(verdicts[task])]
    if all(len(set(each)) == 1 for each in trials):
        return wilson(sum(each[0] for each in trials), len(trials), level)
    return bootstrap_mean(trials, level=level)


def _resampled_sums(table: "numpy.ndarray", resamples: int, seed: int) -> "numpy.ndarray":
    """Return one row per resample with the column sums of rows drawn with replacement.

    How often each distinct row is drawn is multinomial: the same as drawing tasks one by one, but a hundred times
    faster where, as with passes, thousands of tasks have few distinct values.
    """
    import numpy

    random = numpy.random.default_rng(seed)
    distinct, times = numpy.unique(table, axis=0, return_counts=True)
    at_once = max(1, _DRAWN_AT_ONCE // len(distinct))
    sums = [
        random.multinomial(len(table), times / len(table), size=min(at_once, resamples - start)) @ distinct
        for start in range(0, resamples, at_once)
    ]
    return numpy.concatenate(sums)
