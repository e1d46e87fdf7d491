"""The pass rate of attempts, as far as their verdicts are known."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.statistics.intervals import Interval, pass_rate_interval


@dataclass(frozen=True)
class PassRate:
    """Mean over tasks of the share of each task's trials that passed: a range as long as trials are unscored.

    Errors are left out. The counts are those of attempts.
    """

    passed: int
    failed: int
    unscored: int
    range: Interval | None
    """Lowest and highest rate that the unscored attempts leave possible; ``None`` without attempts."""
    interval: Interval | None
    """95 % interval over tasks, from its lower end if every unscored attempt had failed to its upper end if every one
    had passed; ``None`` without attempts."""

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "PassRate":
        """Return the pass rate of the attempts."""
        made = [entry for entry in entries if entry.outcome != "error"]
        counts = Counter(entry.outcome for entry in made)
        low = verdicts(made, unscored=False)
        high = verdicts(made, unscored=True) if counts["unscored"] else low
        return cls(
            counts["passed"],
            counts["failed"],
            counts["unscored"],
            Interval(_mean_over_tasks(low), _mean_over_tasks(high)) if made else None,
            Interval(pass_rate_interval(low).low, pass_rate_interval(high).high) if made else None,
        )

    @property
    def verdicts(self) -> int:
        """Return the number of attempts that passed or failed."""
        return self.passed + self.failed

    @property
    def made(self) -> int:
        """Return the number of attempts without an error, whether decided or not."""
        return self.verdicts + self.unscored

    @property
    def value(self) -> float | None:
        """Return the rate; ``None`` if an attempt is unscored, because then only a range is known."""
        return self.range.low if self.range is not None and not self.unscored else None

    @property
    def middle(self) -> float | None:
        """Return the rate, or the middle of its range, at which a chart draws it; ``None`` without attempts."""
        return (self.range.low + self.range.high) / 2 if self.range is not None else None

    @property
    def unscored_share(self) -> float:
        """Return the share of the attempts that are unscored; 0 without any."""
        return self.unscored / self.made if self.unscored else 0.0

    @property
    def text(self) -> str:
        """Return ``62.5 %``, or ``0 – 62 % (3 of 8 decided)`` if attempts are unscored."""
        decided = f" ({self.verdicts:,} of {self.made:,} decided)" if self.unscored else ""
        return self.bounds_text + decided

    @property
    def bounds_text(self) -> str:
        """Return :attr:`text` without the number of decided attempts, for a table that shows it in another column."""
        if self.range is None or not self.unscored:
            return number_formats.percent(self.value)
        return number_formats.percent_range(self.range)


def verdicts(entries: Iterable[Entry], *, unscored: bool | None = None) -> dict[tuple[str, str], list[bool]]:
    """Return for each suite and task whether its trials passed, without errors.

    ``unscored`` is the verdict that unscored attempts are assumed to have; ``None`` leaves them out.
    """
    by_task: dict[tuple[str, str], list[bool]] = {}
    for entry in entries:
        assumed = unscored if entry.outcome == "unscored" else entry.outcome == "passed"
        if entry.outcome != "error" and assumed is not None:
            by_task.setdefault((entry.series, entry.task_id), []).append(assumed)
    return by_task


def _mean_over_tasks(trials_by_task: Mapping[tuple[str, str], Sequence[bool]]) -> float:
    return fmean(fmean(trials) for trials in trials_by_task.values())
