"""Comparison of two runs on the same tasks, with the uncertainty of the difference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, variance

from pytest_mcpbench.statistics.exact_tests import exact_mcnemar, sign_flip
from pytest_mcpbench.statistics.intervals import FEWEST_TASKS, RESAMPLES, Interval, difference_interval, paired_shares

# Power of comparisons: the differences that a number of tasks can show.

POWER = 0.8
"""Share of comparisons that would show the smallest detectable difference."""
_ALPHA = 0.05
_STEPS = 40
_SMALLEST_STEP = 1e-9


def smallest_significant_share(tasks: int, level: float = 0.95) -> float | None:
    """Return the smallest difference of pass rates that ``tasks`` tasks can show at all, or ``None`` if none.

    Reached when every discordant task falls the same way: six of them at 95 %, so 6 / tasks.
    """
    needed = next(k for k in range(1, 64) if exact_mcnemar(k, 0) <= 1 - level)
    return needed / tasks if needed <= tasks else None


def detectable_share(both: int, better: int, worse: int, neither: int) -> float | None:
    """Return the smallest difference of pass rates that four of five such comparisons show; ``None`` if there is none.

    The arguments are as in :func:`~pytest_mcpbench.statistics.intervals.paired_shares`. The sample size formula
    for McNemar's test (Connor 1987, Biometrics 43:207), with a continuity correction, since the exact test is stricter.
    """
    n = both + better + worse + neither
    passed = (both + worse) / n
    # What one direction has in excess of two standard errors is taken for a real difference.
    changed = better + worse
    by_chance = (min(changed, 2 * min(better, worse) + 2 * sqrt(changed)) + 1) / (n + 1)
    return _detectable(n, by_chance, room=max(passed, 1 - passed), square=max(passed, 1 - passed), step=1.0)


def detectable_mean(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the smallest difference of mean scores that at least four of five such comparisons show, or ``None``.

    The formula for passes, with the variance of the differences for the share of tasks that change by chance.
    """
    differences = [after - before for before, after in pairs]
    if len(pairs) < FEWEST_TASKS:
        return None
    values = max(([before for before, _ in pairs], [1 - before for before, _ in pairs]), key=fmean)
    step = min((abs(one) for one in differences if abs(one) > _SMALLEST_STEP), default=1.0)
    squares = fmean(one * one for one in values)
    return _detectable(len(pairs), variance(differences), room=fmean(values), square=squares, step=step)


def _detectable(n: int, by_chance: float, *, room: float, square: float, step: float) -> float | None:
    """Return the smallest detectable difference; ``None`` if there is none.

    A true difference is taken to be due to a share of the tasks that lose their whole value, while the others go on
    changing by chance. ``room`` is the mean of the values that can be lost, ``square`` the mean of their squares,
    ``step`` the smallest change of one task.
    """

    def is_shown(difference: float) -> bool:
        lost = difference / room
        changed = by_chance * (1 - lost) + square * lost
        spread = sqrt(n * max(0.0, changed - difference * difference))
        return n * difference >= at_test * sqrt(n * changed) + step + at_power * spread

    if n < FEWEST_TASKS:
        return None
    at_test, at_power = NormalDist().inv_cdf(1 - _ALPHA / 2), NormalDist().inv_cdf(POWER)
    if not is_shown(room):
        return None
    low, high = 0.0, room
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_shown(middle) else (middle, high)
    return high


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


# Position of a model among others: rank by interval, relative cost.


def rank_upper_bound(intervals: Mapping[str, Interval]) -> dict[str, int]:
    """Return Rank (UB) of each model: 1 + number of models whose lower bound exceeds its upper bound (MCP-Atlas)."""
    return {
        model: 1 + sum(other.low > interval.high for other in intervals.values())
        for model, interval in intervals.items()
    }


def cre(tokens: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return each model's computational resource efficiency from its mean tokens per task (MCP-RADAR 4.2).

    (t_max - t) / (t_max - t_min): 1 is the cheapest of the models, 0 the dearest. It says nothing about one model
    alone: with fewer than two known values, or where a model's tokens are unknown, ``None``. Where all are equal, 1.
    """
    known = [value for value in tokens.values() if value is not None]
    if len(known) < 2:
        return dict.fromkeys(tokens)
    most, least = max(known), min(known)
    spread = most - least
    return {
        model: None if value is None else (most - value) / spread if spread else 1.0 for model, value in tokens.items()
    }
