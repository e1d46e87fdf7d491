"""Numbers of tasks and trials, or the margin, with which an undecided comparison would be decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist

from pytest_mcpbench.core.statistics.intervals import FEWEST_TASKS, Interval, paired_shares
from pytest_mcpbench.core.statistics.stratified import TrialPair

_MOST_TASKS = 20_000
_MOST_TRIALS = 50


@dataclass(frozen=True)
class Remedies:
    """Each of them alone would exclude a loss, if the arms are in truth as equal as they look."""

    tasks: int | None
    """Number of tasks of the same kind; ``None`` if no reasonable number is enough."""
    trials: int | None
    """Number of first trials of each task; ``None`` if the tasks are too few for any number of trials."""
    margin: float
    """The margin that the present trials exclude."""


def remedies_of(pairs: Sequence[TrialPair], interval: Interval, margin: float) -> Remedies:
    """Return what would show that the loss is smaller than the margin."""
    changed = sum(abs(pair.difference) for pair in pairs) / len(pairs)
    return Remedies(
        tasks=tasks_needed(changed, margin), trials=_trials_needed(pairs, changed, margin), margin=-interval.low
    )


def tasks_needed(changed: float, margin: float) -> int | None:
    """Return the number of tasks whose interval excludes a loss of the margin when this share changes by chance."""
    if not _is_shown(_MOST_TASKS, changed, margin):
        return None
    low, high = 1, _MOST_TASKS
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_shown(middle, changed, margin) else (middle + 1, high)
    return high


def _is_shown(tasks: int, changed: float, margin: float) -> bool:
    """Return whether an even split of changes, and no change in the others, excludes a loss of the margin."""
    each_way = ceil(tasks * changed / 2) if changed else 0
    return paired_shares(max(0, tasks - 2 * each_way), each_way, each_way, 0).low > -margin


def _trials_needed(pairs: Sequence[TrialPair], changed: float, margin: float) -> int | None:
    """Return the trials with which the spread of the differences is small enough; all of it is taken for chance."""
    trials = min(pair.candidate.made for pair in pairs)
    at_once = NormalDist().inv_cdf(0.975) ** 2 * changed * trials / (margin * margin * len(pairs))
    is_possible = changed and len(pairs) >= FEWEST_TASKS and trials < at_once <= _MOST_TRIALS
    return ceil(at_once) if is_possible else None
