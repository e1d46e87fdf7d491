"""The line that a run shows while it goes on."""

from dataclasses import dataclass

from pytest_mcpbench.reporting import number_formats


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    done: int
    total: int
    recent: int
    """Attempts that were reported within the last :attr:`recent_seconds`."""
    recent_seconds: float
    in_flight: str
    """How many of what; empty where it is not known."""
    cost_usd: float | None
    """Of agents and judges so far; ``None``: not known."""

    @property
    def per_minute(self) -> float | None:
        """Attempts a minute, of late; ``None`` before the first."""
        return 60 * self.recent / self.recent_seconds if self.recent and self.recent_seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """If the rest goes as the last ones went; ``None`` where nothing can be said yet."""
        rate = self.per_minute
        return None if rate is None else max(0, self.total - self.done) * 60 / rate


def line(progress: Progress) -> str:
    """``mcpbench: 120/515 · 32 attempts in flight · 96/min · cost $1.20 · 4:07 left``."""
    rate, left = progress.per_minute, progress.seconds_left
    parts = [
        f"{progress.done}/{progress.total}",
        progress.in_flight,
        "" if rate is None else f"{rate:.3g}/min",
        f"cost {number_formats.money(progress.cost_usd)}",
        "" if left is None else f"{_clock(left)} left",
    ]
    return "mcpbench: " + " · ".join(part for part in parts if part)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
