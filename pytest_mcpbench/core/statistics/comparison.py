"""Comparison of two runs on the same tasks, with the uncertainty of the difference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import NormalDist, stdev

from pytest_mcpbench.core.statistics.intervals import RESAMPLES, Interval, bootstrap_mean


@dataclass(frozen=True)
class Comparison:
    """``right`` against ``left``; differences are right minus left."""

    tasks: int
    """Tasks that both have; only these are compared."""
    only_left: tuple[str, ...]
    only_right: tuple[str, ...]
    left: float
    """Mean over the common tasks."""
    right: float
    difference: float
    interval: Interval
    """Of the difference, by the paired bootstrap over tasks."""
    discordant: int
    """Tasks in which the two differ."""
    better: int
    """Discordant tasks in which ``right`` is higher."""
    worse: int
    p_value: float | None
    """Exact McNemar; ``None`` if a value is not 0 or 1."""
    smallest_detectable: float | None
    """The smallest true difference that this many tasks would have shown in four of five such comparisons;
    ``None`` if that cannot be said."""

    @property
    def is_significant(self) -> bool:
        """Return whether the interval excludes 0 and, for passes, McNemar's p is below 0.05."""
        excludes = self.interval.low > 0 or self.interval.high < 0
        return excludes and (self.p_value is None or self.p_value < 0.05)


def compare(
    left: Mapping[str, Sequence[float]],
    right: Mapping[str, Sequence[float]],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Compare values by task, each with one or several trials; a task's value is the mean of its trials."""
    ours, theirs = _means(left), _means(right)
    common = [task for task in ours if task in theirs]
    if not common:
        raise ValueError("the two runs have no task in common")
    pairs = [(ours[task], theirs[task]) for task in common]
    differences = [after - before for before, after in pairs]
    better, worse = sum(one > 1e-12 for one in differences), sum(one < -1e-12 for one in differences)
    is_pass_or_fail = all(value in (0.0, 1.0) for pair in pairs for value in pair)
    return Comparison(
        tasks=len(common),
        only_left=tuple(task for task in ours if task not in theirs),
        only_right=tuple(task for task in theirs if task not in ours),
        left=sum(before for before, _ in pairs) / len(pairs),
        right=sum(after for _, after in pairs) / len(pairs),
        difference=sum(differences) / len(differences),
        interval=bootstrap_mean([[one] for one in differences], level=level, resamples=resamples, seed=seed),
        discordant=better + worse,
        better=better,
        worse=worse,
        p_value=exact_mcnemar(better, worse) if is_pass_or_fail else None,
        smallest_detectable=_smallest_detectable(differences, is_pass_or_fail=is_pass_or_fail),
    )


def exact_mcnemar(better: int, worse: int) -> float:
    """Return two-sided p of the exact McNemar test: the binomial test that a discordant task falls either way equally.

    1 where nothing is discordant. Exact, because the chi-squared form is wrong for the few discordant tasks that
    benchmarks have.
    """
    discordant = better + worse
    tail = sum(comb(discordant, k) for k in range(min(better, worse) + 1))
    return min(1.0, tail / (1 << discordant) * 2)


def smallest_significant_share(tasks: int, level: float = 0.95) -> float | None:
    """Return the smallest difference of pass rates that ``tasks`` tasks can show at all, or ``None`` if none.

    Reached when every discordant task falls the same way: six of them at 95 %, so 6 / tasks.
    """
    needed = next(k for k in range(1, 64) if exact_mcnemar(k, 0) <= 1 - level)
    return needed / tasks if needed <= tasks else None


def _smallest_detectable(differences: list[float], *, is_pass_or_fail: bool) -> float | None:
    """Return (z of 0.975 + z of 0.8) x standard error; for passes at least the smallest significant share."""
    least = smallest_significant_share(len(differences)) if is_pass_or_fail else 0.0
    if len(differences) < 2 or least is None:
        return None
    z = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
    detectable = max(least, z * stdev(differences) / sqrt(len(differences)))
    return detectable if 0 < detectable <= 1 else None


def _means(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {task: sum(trials) / len(trials) for task, trials in values.items() if len(trials)}
