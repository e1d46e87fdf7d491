"""Cost of a run that took over attempts of an earlier one: its own, and that of all attempts."""

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_mcpbench.core.report import Entry, Report
from pytest_mcpbench.core.speed import Speed
from pytest_mcpbench.reporting.aggregates.run_end import joined_runs
from pytest_mcpbench.reporting.aggregates.summary import KnownSum
from pytest_mcpbench.reporting.forms import number_formats


@dataclass(frozen=True)
class Spending:
    """Attempts that the latest start of the run has made, and those that it took over."""

    own: tuple[Entry, ...]
    taken_over: tuple[Entry, ...]

    @property
    def own_sum(self) -> KnownSum:
        """Cost of agents and judges of the attempts that it made."""
        return _sum(self.own)

    @property
    def whole_sum(self) -> KnownSum:
        """Cost of all attempts."""
        return _sum((*self.own, *self.taken_over))

    @property
    def own_cost(self) -> str:
        """Cost of the attempts that it made, as text."""
        return _text(self.own_sum)

    @property
    def whole_cost(self) -> str:
        """Cost of all attempts, as text."""
        return _text(self.whole_sum)

    @property
    def sentence(self) -> str:
        """Both costs with the numbers of attempts."""
        count = len(self.own) + len(self.taken_over)
        return (
            f"cost of this run: {self.own_cost} ({len(self.own):,} attempts); "
            f"of all {count:,}: {self.whole_cost} ({len(self.taken_over):,} were taken over)"
        )


def spending(report: Report) -> Spending | None:
    """Return the division of the attempts; ``None`` if the run took over none."""
    started = str(report.facts.get("resumed_at") or report.facts.get("started_at") or "")
    if not started or joined_runs(report):
        return None
    earlier = [entry for entry in report.entries if _is_earlier(entry, started)]
    own = [entry for entry in report.entries if not _is_earlier(entry, started)]
    return Spending(tuple(own), tuple(earlier)) if earlier else None


def _is_earlier(entry: Entry, started: str) -> bool:
    return entry.is_taken_over or (entry.started_at != "" and entry.started_at < started)


def _sum(entries: Iterable[Entry]) -> KnownSum:
    return KnownSum.of((entry.usage + entry.judge_usage + entry.user_usage).cost_usd for entry in entries)


def _text(cost: KnownSum) -> str:
    return number_formats.at_least(number_formats.money(cost.known), cost.unknown, cost.attempts)


# Speed of a model in words.


def short_speed(speed: Speed) -> str:
    """Return the speed for the progress line; empty before the first reply."""
    read, written = speed.read_per_second, speed.written_per_second
    return f"reads {_rate(read)}, writes {_rate(written)} tokens/s" if read and written else ""


def speed_line(name: str, speed: Speed) -> str:
    """Return the speed with its numbers of tokens, for the end of a run."""
    prompts = speed.read_tokens + speed.cached_tokens
    cached = f"{speed.cached_tokens:,} of {prompts:,} prompt tokens from the cache"
    share = "" if speed.cached_share is None else f" ({speed.cached_share * 100:.0f} %)"
    return (
        f"{name}: read {_rate(speed.read_per_second)} tokens/s ({speed.read_tokens:,} tokens), wrote "
        f"{_rate(speed.written_per_second)} tokens/s ({speed.written_tokens:,} tokens); {cached}{share}"
    )


def _rate(rate: float | None) -> str:
    return "?" if rate is None else f"{rate:.0f}" if rate >= 20 else f"{rate:.1f}"
