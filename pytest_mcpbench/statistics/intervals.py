"""Confidence intervals of means over tasks: Wilson's interval, Newcombe's interval, bootstrap over tasks.

The bootstrap resamples tasks, and all trials of a task stay together: trials of one task resemble each other, and
counting them as independent would make the interval too narrow.

No interval has zero width: tasks that were not tried may have other values, even where all tried tasks agree.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    import numpy

RESAMPLES = 10_000

FEWEST_TASKS = 6
"""Tasks that a bootstrap needs. With fewer tasks, resampling them says little about the tasks that were not tried; nor
can an exact paired test reach 5 %."""

_SAME = 1e-12

_DRAWN_AT_ONCE = 2_000_000
"""Numbers drawn at once, which bounds memory at 16 MB for any number of tasks."""


Task = TypeVar("Task", str, tuple[str, str])
"""Name of a task, or its suite and name."""


class Interval(NamedTuple):
    """Closed interval: both bounds belong to it."""

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


def paired_shares(both: int, better: int, worse: int, neither: int, level: float = 0.95) -> Interval:
    """Return the interval of the difference of two paired shares (Newcombe 1998, Stat. Med. 17:2635, method 10).

    The arguments are the tasks that passed both times, only the second time, only the first time, and never. The
    bootstrap would be certain of the difference where few tasks changed or all of them changed alike.
    """
    n = both + better + worse + neither
    before, after = (both + worse) / n, (both + better) / n
    first, second = wilson(both + worse, n, level), wilson(both + better, n, level)
    # The correlation of the two outcomes, with Newcombe's continuity correction where it is positive.
    product = (both + better) * (worse + neither) * (both + worse) * (better + neither)
    if product == 0:
        phi = 0.0
    else:
        covariance = both * neither - better * worse
        corrected = max(covariance - (both + better + worse + neither) / 2, 0.0) if covariance > 0 else covariance
        phi = float(corrected / sqrt(product))
    down = _root_of_squares(after - second.low, first.high - before, phi)
    up = _root_of_squares(second.high - after, before - first.low, phi)
    difference = (better - worse) / n
    return Interval(max(-1.0, difference - down), min(1.0, difference + up))


def _root_of_squares(one: float, other: float, phi: float) -> float:
    return sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def mean_interval(
    values: Iterable[Sequence[float]], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Return the interval of the mean over tasks of task means; all values are scores from 0 to 1.

    Wilson's interval if every task's mean is 0 or 1, or if there are fewer than :data:`FEWEST_TASKS` tasks: no other
    values from 0 to 1 with the same mean spread more than passes and failures. The bootstrap otherwise.
    """
    means = _task_means(values)
    if len(means) < FEWEST_TASKS or all(mean in (0.0, 1.0) for mean in means):
        return wilson(min(sum(means), len(means)), len(means), level)
    return bootstrap_mean([[mean] for mean in means], level=level, resamples=resamples, seed=seed)


def difference_interval(
    differences: Sequence[float], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Return the interval of the mean of paired differences of scores, each from -1 to 1.

    With fewer than :data:`FEWEST_TASKS` tasks it is Wilson's on the scale from -1 to 1, the widest that such values
    can have; the bootstrap over tasks otherwise.
    """
    n = len(differences)
    if n < FEWEST_TASKS:
        low, high = wilson(min(max(sum((one + 1) / 2 for one in differences), 0.0), n), n, level)
        return Interval(2 * low - 1, 2 * high - 1)
    each = [[one] for one in differences]
    return bootstrap_mean(each, bounds=(-1.0, 1.0), level=level, resamples=resamples, seed=seed)


def bootstrap_mean(
    values: Iterable[Sequence[float]],
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Return the percentile interval of the mean over tasks of task means, resampling tasks.

    The percentiles are expanded for few tasks (Hesterberg 2015, Am. Stat. 69:371, section 5.3). Where all tasks have
    the same mean, resampling shows no spread; the interval then allows for the share of other tasks that may have a
    value at the ``bounds``.
    """
    means = _task_means(values)
    counts = [(mean, 1.0) for mean in means]
    return _bootstrap(counts, bounds, level=level, resamples=resamples, seed=seed)


def bootstrap_ratio(
    counts: Iterable[tuple[float, float]], *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Return the percentile interval of sum(part) / sum(whole) over tasks, without resamples whose whole is 0.

    Where all tasks have the same ratio, the interval allows for other tasks as in :func:`bootstrap_mean`.
    """
    return _bootstrap(list(counts), (0.0, 1.0), level=level, resamples=resamples, seed=seed)


def _bootstrap(
    counts: Sequence[tuple[float, float]], bounds: tuple[float, float], *, level: float, resamples: int, seed: int
) -> Interval:
    import numpy

    if not counts:
        raise ValueError("there is no task to resample")
    ratios = {part / whole for part, whole in counts if whole > 0}
    if ratios and max(ratios) - min(ratios) < _SAME:
        # Wilson's upper bound of 0 in n is the share of tasks that may have another value; at most, it is that of a
        # bound.
        value = min(ratios)
        share = wilson(0, sum(whole > 0 for _, whole in counts), level).high
        least, greatest = min(bounds[0], value), max(bounds[1], value)
        return Interval(value - share * (value - least), value + share * (greatest - value))
    parts, wholes = _resampled_sums(numpy.asarray(counts, dtype=float), resamples, seed).T
    resampled = parts[wholes > 0] / wholes[wholes > 0]
    # Resamples of n tasks vary by a factor of sqrt((n - 1) / n) too little, and their tails are those of a normal
    # distribution, where Student's t is needed.
    n = len(counts)
    wider = sqrt(n / (n - 1)) * student_t((1 + level) / 2, n - 1)
    tail = NormalDist().cdf(-wider)
    low, high = numpy.quantile(resampled, [tail, 1 - tail])
    return Interval(float(low), float(high))


def pass_rate_interval(verdicts: Mapping[Task, Sequence[bool]], level: float = 0.95) -> Interval:
    """Return the interval of the pass rate, the mean over tasks of the share of their trials that passed."""
    return mean_interval([verdicts[task] for task in sorted(verdicts)], level=level)


def student_t(probability: float, degrees: int) -> float:
    """Return the quantile of Student's t (Abramowitz and Stegun 26.7.5); within 0.01 from 5 degrees of freedom."""
    z = NormalDist().inv_cdf(probability)
    return (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    )


def _task_means(values: Iterable[Sequence[float]]) -> list[float]:
    return [sum(trials) / len(trials) for trials in values if len(trials)]


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
