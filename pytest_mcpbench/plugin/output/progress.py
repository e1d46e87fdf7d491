"""Progress line below pytest's own output; on a terminal only, and gone when the run is over."""

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

from pytest_mcpbench.plugin.collection.file_names import is_task_id
from pytest_mcpbench.plugin.output.report_entry import entry_fields

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.execution.local_attempts import LocalAttempts
    from pytest_mcpbench.plugin.execution.models import SessionModels
    from pytest_mcpbench.plugin.execution.provider_process import ProviderProcess

_TICK_SECONDS = 0.5
_RECENT_SECONDS = 60.0
_GO_BELOW = "\x1bD\x1b[A\x1b7\x1b[B\r\x1b[2K"
"""Escape sequences: scroll if there is no line below, save the cursor, go to the start of the next line, clear it."""
_GO_BACK = "\x1b8"
"""Escape sequence: restore the cursor."""


class ProgressLine:
    """Draws the line while pytest waits, and erases it before pytest writes.

    It is shown with plain dots only: ``-q`` asks for less output, and with ``-v`` and ``-s`` text is written at times
    that no hook announces.
    """

    def __init__(
        self, config: pytest.Config, models: "SessionModels", local: "LocalAttempts", provider: "ProviderProcess"
    ) -> None:
        self._config = config
        self._models = models
        self._local = local
        self._provider = provider
        # A duplicate, because pytest redirects the original descriptor while it captures the output of an item.
        self._terminal: int | None = None
        self._total = 0
        self._running: set[str] = set()
        self._done = 0
        self._cost: float | None = 0.0
        self._started = time.monotonic()
        self._finished: deque[float] = deque()
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
            self._count(entry_fields(report))
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> Generator[None]:
        self._running.discard(nodeid)
        with self._lock:
            self._erase()
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True, optionalhook=True)
    def pytest_testnodedown(self) -> Generator[None]:
        """Erase the line, because pytest-xdist may report a worker that has ended."""
        with self._lock:
            self._erase()
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        self._end()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        self._end()

    def _start(self, total: int) -> None:
        if self._terminal is not None or not total or not _is_enabled(self._config):
            return
        self._terminal = os.dup(sys.stdout.fileno())
        self._total, self._started = total, time.monotonic()
        threading.Thread(target=self._draw_periodically, name="mcpbench progress", daemon=True).start()

    def _end(self) -> None:
        self._is_over.set()
        with self._lock:
            self._erase()
            terminal, self._terminal = self._terminal, None
        if terminal is not None:
            os.close(terminal)

    def _draw_periodically(self) -> None:
        while not self._is_over.wait(_TICK_SECONDS):
            with self._lock:
                if not self._is_over.is_set():
                    self._draw()

    def _draw(self) -> None:
        width = shutil.get_terminal_size().columns - 1
        self._write(_GO_BELOW + self._text()[:width] + _GO_BACK)
        self._is_drawn = True

    def _erase(self) -> None:
        if self._is_drawn:
            self._write(_GO_BELOW + _GO_BACK)
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
        state = progress.Progress(
            done=self._done,
            total=self._total,
            recent=len(self._finished),
            recent_seconds=min(_RECENT_SECONDS, now - self._started),
            in_flight=in_flight,
            cost_usd=cost,
        )
        return progress.line(state)

    def _in_flight(self) -> tuple[str, float | None]:
        """Return the work in flight, and the cost so far, with that of unfinished attempts where it is known."""
        supervisor = self._provider.supervisor
        if supervisor is None:
            return f"{self._local.active_count} in flight", self._models.cost_usd(self._cost)
        status = supervisor.status
        if status is None:
            return f"{len(self._running)} running", self._cost
        return f"{status.in_flight} requests in flight", status.cost_usd


def _is_enabled(config: pytest.Config) -> bool:
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not reporter.isatty or sys.stdout.encoding.lower() != "utf-8":
        return False
    is_terminal = os.isatty(sys.stdout.fileno()) and os.environ.get("TERM", "dumb") != "dumb" and "CI" not in os.environ
    is_plain = config.get_verbosity() == 0 and config.getoption("capture") != "no" and not config.getini("log_cli")
    return is_terminal and is_plain
