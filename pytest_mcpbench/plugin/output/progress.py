"""Progress of a run: a line below pytest's own output on a terminal, a line every 30 seconds in a log."""

import os
import shutil
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.collection.file_names import is_task_id
from pytest_mcpbench.plugin.execution.session_door import SessionDoor
from pytest_mcpbench.plugin.output.report_entry import RERUN, entry_fields

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.execution.local_models import LocalEngines
    from pytest_mcpbench.plugin.execution.provider_process import ProviderProcess

_TICK_SECONDS = 0.5
_LOG_SECONDS = 30.0
_LOG_COLUMNS = 80
_GO_BELOW = "\x1bD\x1b[A\x1b7\x1b[B\r\x1b[2K"
"""Escape sequences: scroll if there is no line below, save the cursor, go to the start of the next line, clear it."""
_GO_BACK = "\x1b8"
"""Escape sequence: restore the cursor."""


class ProgressLine:
    """Draws the line while pytest waits, and erases it before pytest writes.

    It is drawn with plain dots only: ``-q`` asks for less output, and with ``-v`` and ``-s`` text is written at times
    that no hook announces. Where the output is no terminal, or in CI, the line is written from time to time and stays.
    """

    def __init__(
        self,
        config: pytest.Config,
        counter: "ProgressCounter",
        door: SessionDoor,
        provider: "ProviderProcess",
        engines: "LocalEngines | None" = None,
    ) -> None:
        self._engines = engines
        self._config = config
        self._counter = counter
        self._door = door
        self._provider = provider
        # A duplicate, because pytest redirects the original descriptor while it captures the output of an item.
        self._terminal: int | None = None
        self._running: set[str] = set()
        # Reentrant, because a hook that holds it while pytest writes may call another hook of this class.
        self._lock = threading.RLock()
        self._is_drawn = False
        self._is_over = threading.Event()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._start(sum(hasattr(item, "job") for item in session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Start in the controller, which collects nothing itself; all workers collect the same items."""
        self._start(sum(map(is_task_id, ids)))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> Generator[None]:
        self._running.add(nodeid)
        with self._lock:
            self._erase()
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> Generator[None]:
        with self._lock:
            self._erase()
            self._counter.add(report)
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> Generator[None]:
        self._running.discard(nodeid)
        with self._lock:
            self._erase()
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True, optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> Generator[None]:
        """Erase the line, because pytest-xdist may report a worker that has ended."""
        with self._lock:
            self._erase()
            self._counter.forget_worker(node)
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        self._end()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        self._end()

    def _start(self, total: int) -> None:
        is_drawn = _is_drawable(self._config)
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        # The output is kept as it is written, and not asked to be short.
        is_kept = reporter is not None and (not reporter.isatty or "CI" in os.environ)
        is_log = is_kept and self._config.get_verbosity() >= 0
        if self._terminal is not None or not total or not (is_drawn or is_log):
            return
        show, seconds = (self._draw, _TICK_SECONDS) if is_drawn else (self._log, _LOG_SECONDS)
        # Not a file where another program has replaced standard output by an object in memory.
        with suppress(OSError, ValueError):
            self._terminal = os.dup(sys.stdout.fileno())
            self._counter.start(total, time.monotonic())
            threading.Thread(target=self._repeat, args=(show, seconds), name="mcpbench progress", daemon=True).start()

    def _end(self) -> None:
        self._is_over.set()
        with self._lock:
            self._erase()
            terminal, self._terminal = self._terminal, None
        if terminal is not None:
            os.close(terminal)

    def _repeat(self, show: Callable[[], None], seconds: float) -> None:
        while not self._is_over.wait(seconds):
            with self._lock:
                if not self._is_over.is_set():
                    show()

    def _draw(self) -> None:
        width = shutil.get_terminal_size().columns - 1
        self._write(_GO_BELOW + self._text(width) + _GO_BACK)
        self._is_drawn = True

    def _log(self) -> None:
        # Begins with a line feed, because pytest has not ended its line of dots.
        self._write(f"\n{self._text(_LOG_COLUMNS)}\n")

    def _erase(self) -> None:
        if self._is_drawn:
            self._write(_GO_BELOW + _GO_BACK)
            self._is_drawn = False

    def _write(self, text: str) -> None:
        if self._terminal is not None:
            with suppress(OSError):
                os.write(self._terminal, text.encode())

    def _text(self, columns: int) -> str:
        from pytest_mcpbench.reporting.texts import progress

        recent, recent_seconds, idle_seconds = self._counter.recent(time.monotonic())
        in_flight, cost = self._in_flight()
        speed = self._engines.speed if self._engines is not None else ""
        state = progress.Progress(
            done=self._counter.done,
            ahead=self._counter.ahead,
            total=self._counter.total,
            passed=self._counter.passed,
            verdicts=self._counter.passed + self._counter.failed,
            recent=recent,
            recent_seconds=recent_seconds,
            idle_seconds=idle_seconds,
            in_flight=", ".join(filter(None, (in_flight, speed))),
            cost_usd=cost,
        )
        return progress.line(state, columns)

    def _in_flight(self) -> tuple[str, float | None]:
        """Return the work in flight, and the cost so far, with that of unfinished attempts where it is known."""
        supervisor, session = self._provider.supervisor, self._door.opened
        if supervisor is None and session is not None:
            return f"{session.local.active_count} in flight", session.models.cost_usd(self._counter.cost_usd)
        if supervisor is None:
            return "0 in flight", self._counter.cost_usd
        status = supervisor.status
        if status is None:
            return f"{len(self._running)} running", self._counter.cost_usd
        return f"{status.in_flight} requests in flight", status.cost_usd


def _is_drawable(config: pytest.Config) -> bool:
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not reporter.isatty or sys.stdout.encoding.lower() != "utf-8":
        return False
    is_terminal = os.isatty(sys.stdout.fileno()) and os.environ.get("TERM", "dumb") != "dumb" and "CI" not in os.environ
    is_plain = config.get_verbosity() == 0 and config.getoption("capture") != "no" and not config.getini("log_cli")
    return is_terminal and is_plain


# Counts of the progress line: attempts that pytest has reported, and those that are finished ahead of its order.

_RECENT_SECONDS = 60.0
_FEWEST_RECENT = 10
"""Number of attempts that a pace is measured with."""


class ProgressCounter:
    """Counts attempts in the process that reports.

    A worker of pytest-xdist adds the number of attempts that it has finished ahead to each report that it sends.
    """

    def __init__(self, door: SessionDoor) -> None:
        self._door = door
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
        return self._ahead_here + sum(self._ahead_of_workers.values())

    @property
    def _ahead_here(self) -> int:
        session = self._door.opened
        return session.scheduler.finished_count if session is not None else 0

    @property
    def done(self) -> int:
        """Number of finished attempts."""
        return self._reported + self.ahead

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        ahead = self._ahead_here
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
        self._reported += report.outcome != RERUN
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
        while len(self._samples) > 1:
            started, done = self._samples[1]
            # The pace can be measured from this sample on.
            if now - started <= _RECENT_SECONDS or self.done - done < _FEWEST_RECENT:
                break
            self._samples.popleft()
        (started, before), (ended, done) = self._samples[0], self._samples[-1]
        return max(0, done - before), ended - started, now - ended
