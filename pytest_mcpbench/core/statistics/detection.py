"""Power of comparisons: the differences that a number of tasks can show."""

from collections.abc import Callable, Sequence
from math import sqrt
from statistics import NormalDist, fmean, variance

from pytest_mcpbench.core.statistics.intervals import FEWEST_TASKS
from pytest_mcpbench.core.statistics.paired_tests import exact_mcnemar

POWER = 0.8
"""Share of comparisons that would show the smallest detectable difference."""
_ALPHA = 0.05
_STEPS = 40
_SAME = 1e-9


def smallest_significant_share(tasks: int, level: float = 0.95) -> float | None:
    """Return the smallest difference of pass rates that ``tasks`` tasks can show at all, or ``None`` if none.

    Reached when every discordant task falls the same way: six of them at 95 %, so 6 / tasks.
    """
    needed = next(k for k in range(1, 64) if exact_mcnemar(k, 0) <= 1 - level)
    return needed / tasks if needed <= tasks else None


def detectable_share(both: int, better: int, worse: int, neither: int) -> float | None:
    """Return the smallest difference of pass rates that four of five such comparisons show; ``None`` if there is none.

    The arguments are as in :func:`~pytest_mcpbench.core.statistics.intervals.paired_shares`. The sample size formula
    for McNemar's test (Connor 1987, Biometrics 43:207), with a continuity correction, since the exact test is stricter.
    """
    n = both + better + worse + neither
    passed = (both + worse) / n
    by_chance = _changed_by_chance(better, worse) / (n + 1)
    return _detectable(n, by_chance, room=max(passed, 1 - passed), square=max(passed, 1 - passed), step=1.0)


def detectable_mean(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the smallest difference of mean scores that at least four of five such comparisons show, or ``None``.

    The formula for passes, with the variance of the differences for the share of tasks that change by chance.
    """
    differences = [after - before for before, after in pairs]
    if len(pairs) < FEWEST_TASKS:
        return None
    values = max(([before for before, _ in pairs], [1 - before for before, _ in pairs]), key=fmean)
    step = min((abs(one) for one in differences if abs(one) > _SAME), default=1.0)
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
    return _smallest(is_shown, room)


def _changed_by_chance(better: int, worse: int) -> float:
    """Return the number of tasks that changed by chance, at least 1.

    What one direction has in excess of two standard errors is taken for a real difference.
    """
    changed = better + worse
    return min(changed, 2 * min(better, worse) + 2 * sqrt(changed)) + 1


def _smallest(is_enough: Callable[[float], bool], most: float) -> float | None:
    """Return the smallest value up to ``most`` that is enough, by bisection; ``None`` if ``most`` is not."""
    if not is_enough(most):
        return None
    low, high = 0.0, most
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
