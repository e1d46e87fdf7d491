"""A line below pytest's own that says how far the run has come; on a terminal only, and gone when the run is over."""

import os
import shutil
import sys
import threading
import time
from collections import deque
from collections.abc import Generator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.execution.provider_process import Sharing
    from pytest_mcpbench.plugin.execution.session import Session

_TICK_SECONDS = 0.5
_RECENT_SECONDS = 60.0
_BELOW = "\x1bD\x1b[A\x1b7\x1b[B\r\x1b[2K"
"""Make sure that there is a line below, remember the place, go to that line's beginning and empty it."""
_BACK = "\x1b8"


class ProgressLine:
    """Draws the line while pytest waits, and takes it away before pytest writes.

    Only for plain dots: ``-q`` asks for less, ``-v`` and ``-s`` write whenever they like.
    """

    def __init__(self, config: pytest.Config, session: "Session", sharing: "Sharing") -> None:
        self._config = config
        self._session = session
        self._sharing = sharing
        self._terminal: int | None = None
        """A descriptor of its own: the other is given to the capturing of output while an item is at work."""
        self._total = 0
        self._running: set[str] = set()
        self._done = 0
        self._cost: float | None = 0.0
        self._began = time.monotonic()
        self._finished: deque[float] = deque()
        self._lock = threading.RLock()
        self._is_drawn = False
        self._is_over = threading.Event()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._begin(sum(hasattr(item, "job") for item in session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """The workers collect; all of them the same."""
        from pytest_mcpbench.plugin.xdist import server_sets

        self._begin(sum(map(server_sets.is_task, ids)))

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
            self._count(getattr(report, "mcpbench", None))
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> Generator[None]:
        self._running.discard(nodeid)
        with self._lock:
            self._erase()
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True, optionalhook=True)
    def pytest_testnodedown(self) -> Generator[None]:
        """A worker of xdist ended, of which something may be said."""
        with self._lock:
            self._erase()
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        self._end()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        self._end()

    def _begin(self, total: int) -> None:
        if self._terminal is not None or not total or not _is_wanted(self._config):
            return
        self._terminal = os.dup(sys.stdout.fileno())
        self._total, self._began = total, time.monotonic()
        threading.Thread(target=self._draw_now_and_then, name="mcpbench progress", daemon=True).start()

    def _end(self) -> None:
        self._is_over.set()
        with self._lock:
            self._erase()
            terminal, self._terminal = self._terminal, None
        if terminal is not None:
            os.close(terminal)

    def _draw_now_and_then(self) -> None:
        while not self._is_over.wait(_TICK_SECONDS):
            with self._lock:
                if not self._is_over.is_set():
                    self._draw()

    def _draw(self) -> None:
        width = shutil.get_terminal_size().columns - 1
        self._write(_BELOW + self._text()[:width] + _BACK)
        self._is_drawn = True

    def _erase(self) -> None:
        if self._is_drawn:
            self._write(_BELOW + _BACK)
            self._is_drawn = False

    def _write(self, text: str) -> None:
        if self._terminal is not None:
            with suppress(OSError):
                os.write(self._terminal, text.encode())

    def _count(self, entry: dict[str, Any] | None) -> None:
        if entry is None:
            return
        self._done += 1
        self._finished.append(time.monotonic())
        for usage in (entry["usage"], entry["judge_usage"]):
            cost = usage["cost_usd"]
            self._cost = None if self._cost is None or cost is None else self._cost + cost

    def _text(self) -> str:
        from pytest_mcpbench.reporting import progress

        now = time.monotonic()
        while self._finished and now - self._finished[0] > _RECENT_SECONDS:
            self._finished.popleft()
        in_flight, cost = self._in_flight()
        made = progress.Progress(
            done=self._done,
            total=self._total,
            recent=len(self._finished),
            recent_seconds=min(_RECENT_SECONDS, now - self._began),
            in_flight=in_flight,
            cost_usd=cost,
        )
        return progress.line(made)

    def _in_flight(self) -> tuple[str, float | None]:
        """What is under way, and what was paid so far: also for attempts that are not finished, where that is known."""
        status = self._sharing.supervisor.status if self._sharing.supervisor is not None else None
        if status is not None:
            return f"{status.in_flight} requests in flight", status.cost_usd
        if self._sharing.supervisor is not None:
            return f"{len(self._running)} running", self._cost
        return f"{self._session.acting} in flight", self._session.spent_usd(self._cost)


def _is_wanted(config: pytest.Config) -> bool:
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not reporter.isatty or sys.stdout.encoding.lower() != "utf-8":
        return False
    is_terminal = os.isatty(sys.stdout.fileno()) and os.environ.get("TERM", "dumb") != "dumb" and "CI" not in os.environ
    is_plain = config.get_verbosity() == 0 and config.getoption("capture") != "no" and not config.getini("log_cli")
    return is_terminal and is_plain
