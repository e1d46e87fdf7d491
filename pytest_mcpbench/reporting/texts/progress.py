"""Progress line of a run that is under way."""

from dataclasses import dataclass

from pytest_mcpbench.reporting.forms import number_formats


@dataclass(frozen=True)
class Progress:
    """Progress of a run at one moment."""

    done: int
    """Number of finished attempts."""
    total: int
    recent: int
    """Number of attempts that the pace is measured with."""
    recent_seconds: float
    """Time that they took, until the last of them finished."""
    in_flight: str
    """Number and kind of pending operations (``32 attempts in flight``); "" if unknown."""
    cost_usd: float | None
    """Cost of agents and judges so far; ``None`` if unknown."""
    ahead: int = 0
    """Number of them that pytest has not reported yet, because it reports in order."""
    passed: int = 0
    verdicts: int = 0
    """Number of reported attempts that passed or failed."""
    idle_seconds: float = 0.0
    """Time since the last attempt finished."""

    @property
    def per_minute(self) -> float | None:
        """Return the recent number of attempts per minute, or ``None`` before the first attempt."""
        interval = self._interval
        return None if interval is None else 60 / interval

    @property
    def seconds_left(self) -> float | None:
        """Return the remaining seconds at the recent rate, or ``None`` if there is no rate yet."""
        interval = self._interval
        if interval is None:
            return None
        # The time that the next attempt has taken so far is no longer left.
        return max(0.0, (self.total - self.done) * interval - min(self.idle_seconds, interval))

    @property
    def _interval(self) -> float | None:
        """Return the mean seconds from one finished attempt to the next."""
        if not self.recent or self.recent_seconds <= 0:
            return None
        # An attempt that takes longer than the others counts as if it ended now.
        with_next = (self.recent_seconds + self.idle_seconds) / (self.recent + 1)
        return max(self.recent_seconds / self.recent, with_next)


def line(progress: Progress, columns: int) -> str:
    """Return ``mcpbench: 120/515 (7 ahead) · 62 % passed · 32 in flight · 96/min · cost $1.20 · 4:07 left``.

    What is least needed is left out until the line fits.
    """
    rate, left = progress.per_minute, progress.seconds_left
    done = f"{progress.done}/{progress.total}"
    passed = f"{progress.passed / progress.verdicts * 100:.0f} % passed" if progress.verdicts else ""
    per_minute = "" if rate is None else f"{rate:,.0f}/min" if rate >= 10 else f"{rate:.2g}/min"
    cost = f"cost {number_formats.money(progress.cost_usd)}"
    time_left = ""
    if left is not None:
        minutes, seconds = divmod(round(left), 60)
        hours, minutes = divmod(minutes, 60)
        time_left = f"{hours}:{minutes:02}:{seconds:02} left" if hours else f"{minutes}:{seconds:02} left"
    with_ahead = done + (f" ({progress.ahead} ahead)" if progress.ahead else "")
    lines = (
        _joined(with_ahead, passed, progress.in_flight, per_minute, cost, time_left),
        _joined(with_ahead, passed, progress.in_flight, cost, time_left),
        _joined(with_ahead, passed, cost, time_left),
        _joined(done, passed, cost, time_left),
    )
    return next((text for text in lines if len(text) <= columns), lines[-1][:columns])


def _joined(*parts: str) -> str:
    return "mcpbench: " + " · ".join(part for part in parts if part)
