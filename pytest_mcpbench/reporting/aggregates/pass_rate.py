"""The pass rate of attempts, as far as their verdicts are known."""

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.statistics.intervals import Interval, pass_rate_interval


@dataclass(frozen=True)
class PassRate:
    """Share of attempts that passed: one number if all are decided, otherwise a range. Errors are left out."""

    passed: int
    failed: int
    unscored: int
    interval: Interval | None
    """95 % interval over tasks, from its lower end if every unscored attempt had failed to its upper end if every one
    had passed; ``None`` without attempts."""

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "PassRate":
        """Return the pass rate of the attempts."""
        made = [entry for entry in entries if entry.outcome != "error"]
        counts = {name: sum(entry.outcome == name for entry in made) for name in ("passed", "failed", "unscored")}
        return cls(**counts, interval=_interval(made, has_unscored=bool(counts["unscored"])) if made else None)

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
        """Return the share that passed; ``None`` if an attempt is unscored, because then only a range is known."""
        return self.passed / self.verdicts if self.verdicts and not self.unscored else None

    @property
    def range(self) -> Interval | None:
        """Return the lowest and the highest share that the unscored attempts leave possible; ``None`` without any."""
        if not self.made:
            return None
        return Interval(self.passed / self.made, (self.passed + self.unscored) / self.made)

    @property
    def unscored_share(self) -> float:
        """Return the share of the attempts that are unscored; 0 without any."""
        return self.unscored / self.made if self.unscored else 0.0

    @property
    def text(self) -> str:
        """Return ``62.5 %``, or ``0 – 62 % (3 of 8 decided)`` if attempts are unscored."""
        if self.range is None or not self.unscored:
            return number_formats.percent(self.value)
        decided = f"{self.verdicts:,} of {self.made:,} decided"
        return f"{number_formats.percent_range(self.range)} ({decided})"


def verdicts(entries: Iterable[Entry], *, unscored: bool | None = None) -> dict[str, list[bool]]:
    """Return for each task whether its trials passed, without errors.

    ``unscored`` is the verdict that unscored attempts are assumed to have; ``None`` leaves them out.
    """
    by_task: dict[str, list[bool]] = {}
    for entry in entries:
        assumed = unscored if entry.outcome == "unscored" else entry.outcome == "passed"
        if entry.outcome != "error" and assumed is not None:
            by_task.setdefault(entry.task_id, []).append(assumed)
    return by_task


def _interval(made: Iterable[Entry], *, has_unscored: bool) -> Interval:
    entries = tuple(made)
    low = pass_rate_interval(verdicts(entries, unscored=False))
    high = pass_rate_interval(verdicts(entries, unscored=True)) if has_unscored else low
    return Interval(low.low, high.high)
