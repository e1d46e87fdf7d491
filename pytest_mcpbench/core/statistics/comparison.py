"""Comparison of two runs on the same tasks, with the uncertainty of the difference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.statistics.detection import detectable_mean, detectable_share
from pytest_mcpbench.core.statistics.intervals import (
    FEWEST_TASKS,
    RESAMPLES,
    Interval,
    difference_interval,
    paired_shares,
)
from pytest_mcpbench.core.statistics.paired_tests import exact_mcnemar, sign_flip

ALPHA = 0.05
_SAME = 1e-12


@dataclass(frozen=True)
class Comparison:
    """Comparison of two runs on the tasks that both have; differences are ``right`` minus ``left``."""

    tasks: int
    """Tasks that both have; only these are compared."""
    only_left: tuple[str, ...]
    only_right: tuple[str, ...]
    left: float
    """Mean over the common tasks."""
    right: float
    difference: float
    interval: Interval
    """Interval of the difference, never of zero width: Newcombe's for passes, else the paired bootstrap over tasks."""
    discordant: int
    """Tasks in which the two differ."""
    better: int
    """Discordant tasks in which ``right`` is higher."""
    worse: int
    p_value: float | None
    """Exact McNemar for passes, the exact sign-flip test for other values; ``None`` with fewer than six tasks."""
    p_without_one: float | None
    """:attr:`p_value` without the one task that speaks most for the difference; ``None`` with fewer than seven."""
    smallest_detectable: float | None
    """The smallest true difference that this many tasks would have shown in four of five such comparisons;
    ``None`` if that cannot be said."""

    @property
    def is_significant(self) -> bool:
        """Return whether the exact test's p is below 0.05 and the interval excludes 0."""
        excludes = self.interval.low > 0 or self.interval.high < 0
        return excludes and self.p_value is not None and self.p_value < ALPHA

    @property
    def is_decided_by_one_task(self) -> bool:
        """Return whether the difference would not be significant without one of the tasks."""
        return self.is_significant and (self.p_without_one is None or self.p_without_one >= ALPHA)

    @property
    def is_robust(self) -> bool:
        """Return whether the difference is significant, and stays so without any one of the tasks."""
        return self.is_significant and not self.is_decided_by_one_task


def compare(
    left: Mapping[str, Sequence[float]],
    right: Mapping[str, Sequence[float]],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Compare scores by task, each with one or several trials; a task's value is the mean of its trials."""
    ours, theirs = _means(left), _means(right)
    common = [task for task in ours if task in theirs]
    if not common:
        raise ValueError("the two runs have no task in common")
    pairs = [(ours[task], theirs[task]) for task in common]
    differences = [after - before for before, after in pairs]
    better, worse = sum(one > _SAME for one in differences), sum(one < -_SAME for one in differences)
    interval, p_value, detectable = (
        _of_passes(pairs, better, worse, level)
        if all(value in (0.0, 1.0) for pair in pairs for value in pair)
        else _of_scores(pairs, level=level, resamples=resamples, seed=seed)
    )
    return Comparison(
        tasks=len(common),
        only_left=tuple(task for task in ours if task not in theirs),
        only_right=tuple(task for task in theirs if task not in ours),
        left=sum(before for before, _ in pairs) / len(pairs),
        right=sum(after for _, after in pairs) / len(pairs),
        difference=sum(differences) / len(differences),
        interval=interval,
        discordant=better + worse,
        better=better,
        worse=worse,
        p_value=p_value if len(common) >= FEWEST_TASKS else None,
        p_without_one=_p_without_one(differences, seed) if len(common) > FEWEST_TASKS else None,
        smallest_detectable=detectable,
    )


Uncertainty = tuple[Interval, float, float | None]
"""Interval of the difference, p, smallest detectable difference."""


def _of_passes(pairs: Sequence[tuple[float, float]], better: int, worse: int, level: float) -> Uncertainty:
    both = sum(before == after == 1 for before, after in pairs)
    counts = (both, better, worse, len(pairs) - both - better - worse)
    return paired_shares(*counts, level), exact_mcnemar(better, worse), detectable_share(*counts)


def _of_scores(pairs: Sequence[tuple[float, float]], *, level: float, resamples: int, seed: int) -> Uncertainty:
    # Rounded, so that equal differences are equal: (2/3 - 1/3) and (1 - 2/3) are not, and equal ones are counted once.
    differences = [round(after - before, 9) for before, after in pairs]
    interval = difference_interval(differences, level=level, resamples=resamples, seed=seed)
    return interval, sign_flip(differences, seed), detectable_mean(pairs)


def _p_without_one(differences: Sequence[float], seed: int) -> float:
    """Return p without the largest difference in the direction of the sum."""
    sign = 1 if sum(differences) >= 0 else -1
    rest = sorted((round(sign * one, 9) for one in differences), reverse=True)[1:]
    if all(one in (-1.0, 0.0, 1.0) for one in rest):
        return exact_mcnemar(rest.count(1.0), rest.count(-1.0))
    return sign_flip(rest, seed)


def _means(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {task: sum(trials) / len(trials) for task, trials in values.items() if len(trials)}
