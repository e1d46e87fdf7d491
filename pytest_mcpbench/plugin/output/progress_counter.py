"""Counts of the progress line: attempts that pytest has reported, and those that are finished ahead of its order."""

from collections import deque
from collections.abc import Generator
from typing import Any

import pytest

from pytest_mcpbench.plugin.execution.lookahead import LookAhead
from pytest_mcpbench.plugin.output.report_entry import entry_fields

_RECENT_SECONDS = 60.0
_FEWEST_RECENT = 10
"""Number of attempts that a pace is measured with."""


class ProgressCounter:
    """Counts attempts in the process that reports.

    A worker of pytest-xdist adds the number of attempts that it has finished ahead to each report that it sends.
    """

    def __init__(self, lookahead: LookAhead) -> None:
        self._lookahead = lookahead
        self._ahead_of_workers: dict[Any, int] = {}
        self._samples: deque[tuple[float, int]] = deque()
        """Times at which the number of finished attempts changed, and that number; the pace is measured from them."""
        self.total = 0
        self.cost_usd: float | None = 0.0
        """Cost of the reported attempts; ``None`` if unknown."""
        self.passed = 0
        self.failed = 0
        self._reported = 0

    @property
    def ahead(self) -> int:
        """Number of attempts that are finished and not reported yet."""
        return self._lookahead.finished_count + sum(self._ahead_of_workers.values())

    @property
    def done(self) -> int:
        """Number of finished attempts."""
        return self._reported + self.ahead

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        ahead = self._lookahead.finished_count
        if ahead:
            report.mcpbench_ahead = ahead  # type: ignore[attr-defined]  # pytest sends attributes of plain JSON
        return report

    def start(self, total: int, now: float) -> None:
        """Begin to count."""
        self.total = total
        self._samples.append((now, 0))

    def add(self, report: Any) -> None:
        """Count the attempt of a report, and what its worker has finished ahead."""
        if hasattr(report, "node"):
            self._ahead_of_workers[report.node] = getattr(report, "mcpbench_ahead", 0)
        entry = entry_fields(report)
        if entry is None:
            return
        self._reported += 1
        self.passed += entry["outcome"] == "passed"
        self.failed += entry["outcome"] == "failed"
        # What is missing cost nothing; in a usage that is there, no cost is an unknown one.
        for usage in (entry[name] for name in ("usage", "judge_usage", "user_usage") if name in entry):
            cost = usage.get("cost_usd")
            self.cost_usd = None if self.cost_usd is None or cost is None else self.cost_usd + cost

    def forget_worker(self, node: Any) -> None:
        """Forget what a worker that has ended had finished ahead: others repeat it."""
        self._ahead_of_workers.pop(node, None)

    def recent(self, now: float) -> tuple[int, float, float]:
        """Return the number of attempts of the last minute, the seconds that they took, and the seconds since then.

        The time is longer if it takes longer until a few have finished, as with a slow model.
        """
        if not self._samples or self._samples[-1][1] != self.done:
            self._samples.append((now, self.done))
        while len(self._samples) > 1 and self._is_enough(*self._samples[1], now):
            self._samples.popleft()
        (started, before), (ended, done) = self._samples[0], self._samples[-1]
        return max(0, done - before), ended - started, now - ended

    def _is_enough(self, started: float, done: int, now: float) -> bool:
        """Return whether the pace can be measured from this sample on."""
        return now - started > _RECENT_SECONDS and self.done - done >= _FEWEST_RECENT
