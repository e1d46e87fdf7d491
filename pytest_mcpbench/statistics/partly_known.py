"""Means over tasks of shares of which some are not known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.statistics.intervals import Interval, Task, mean_interval


@dataclass(frozen=True)
class PartlyKnownMean:
    """Mean over tasks of the mean of their trials, each from 0 to 1, for every value that the unknown ones may have."""

    lowest: Sequence[Sequence[float]]
    """The trials of each task if every unknown one were 0."""
    highest: Sequence[Sequence[float]]
    """The trials of each task if every unknown one were 1."""

    @classmethod
    def of(cls, trials: Iterable[tuple[Task, float | None]]) -> "PartlyKnownMean":
        """Return the mean of trials with their tasks; ``None`` is a trial whose share is not known."""
        by_task = group_by(trials, lambda trial: trial[0])
        # Sorted, because the bootstrap draws other resamples from another order.
        tasks = [[share for _, share in by_task[task]] for task in sorted(by_task)]
        lowest, highest = ([[end if share is None else share for share in each] for each in tasks] for end in (0, 1))
        return cls(lowest, highest)

    def range(self) -> Interval:
        """Return the least and the greatest mean that are possible, without regard to other tasks."""
        return Interval(fmean(map(fmean, self.lowest)), fmean(map(fmean, self.highest)))

    def interval(self) -> Interval:
        """Return the 95 % interval from its lower end of the least mean to its upper end of the greatest."""
        low = mean_interval(self.lowest)
        return low if self.highest == self.lowest else Interval(low.low, mean_interval(self.highest).high)
