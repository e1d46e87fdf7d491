"""The pass rate of attempts, as far as their verdicts are known."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.statistics.intervals import Interval
from pytest_mcpbench.statistics.partly_known import PartlyKnownMean

RANGES = "A pass rate that is a range, because attempts are unscored, is drawn at its middle."
"""Note of a chart that draws :attr:`PassRate.middle`."""


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
        mean = PartlyKnownMean.of(((entry.series, entry.task_id), _verdict(entry)) for entry in made)
        return cls(
            counts["passed"],
            counts["failed"],
            counts["unscored"],
            mean.range() if made else None,
            mean.interval() if made else None,
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


def verdicts(entries: Iterable[Entry]) -> dict[tuple[str, str], list[bool]]:
    """Return for each suite and task whether its trials passed, without those that have no verdict."""
    by_task: dict[tuple[str, str], list[bool]] = {}
    for entry in entries:
        verdict = _verdict(entry)
        if entry.outcome != "error" and verdict is not None:
            by_task.setdefault((entry.series, entry.task_id), []).append(verdict)
    return by_task


def possible_range(entries: Iterable[Entry]) -> Interval | None:
    """Return the lowest and the highest rate that unscored attempts and errors leave possible.

    ``None`` without an attempt, or if every one is an error.
    """
    every = list(entries)
    mean = PartlyKnownMean.of(((entry.series, entry.task_id), _verdict(entry)) for entry in every)
    return mean.range() if any(entry.outcome != "error" for entry in every) else None


def _verdict(entry: Entry) -> bool | None:
    return None if entry.outcome in ("unscored", "error") else entry.outcome == "passed"
