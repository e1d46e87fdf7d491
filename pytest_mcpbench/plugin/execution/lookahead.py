"""Attempts begun ahead of the item that pytest is at, so that their waiting overlaps."""

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.execution import fixture_needs

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pytest_mcpbench.core.sandbox import Sandbox
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.session import Session
    from pytest_mcpbench.plugin.execution.upcoming_items import Upcoming
    from pytest_mcpbench.plugin.options.settings import Settings
    from pytest_mcpbench.runtime.attempt import AttemptResult

_IN_STEP = "mcpbench_in_step"
_KEPT = "mcpbench_kept"


def window(config: pytest.Config, settings: "Settings") -> int:
    """How many items ahead attempts are begun: enough that a slow one does not leave the others waiting.

    With ``-x`` no more than are in flight, for what is begun is paid for.
    """
    if settings.concurrency == 1:
        return 0
    return settings.concurrency if config.getoption("maxfail") else 4 * settings.concurrency


@dataclass
class PendingAttempt:
    """An attempt that was begun before its item."""

    future: "Future[AttemptResult]"
    sandbox: "Sandbox"
    started_at: str
    exits: ExitStack
    """Closes the sandbox."""


class LookAhead:
    """Keeps a window of attempts begun; each item waits for its own only, in pytest's order.

    What a function-scoped fixture of a user sets up must be there before the attempt begins, and for another item it is
    not there yet: such items are made one at a time, as are those that override a fixture of ours. Where an item uses
    fixtures of a wider scope, those behind it in the same file are begun when it has set them up.
    """

    def __init__(self, config: pytest.Config, session: "Session", upcoming: "Upcoming", *, window: int) -> None:
        self._config = config
        self._session = session
        self._upcoming = upcoming
        self._window = window
        self._begun: dict[pytest.Item, PendingAttempt] = {}
        self._opened: dict[pytest.Item, ExitStack] = {}
        """What closes the sandboxes, known before they are opened: a Ctrl-C may come at any point."""
        self._entered: set[pytest.Collector | None] = set()
        self._in_step: dict[str, str] = {}
        """File -> the fixture because of which its attempts are made one at a time."""
        self._kept = 0

    def widen(self, places: int) -> None:
        """Look further ahead, for so many attempts can be in flight elsewhere."""
        self._window = places if self._config.getoption("maxfail") else 4 * places

    def begin_after(self, item: pytest.Item) -> None:
        """Begin the attempts of the items behind this one, as far as the window goes; end those that were lost."""
        self._entered.add(item.parent)
        upcoming = dict.fromkeys(self._upcoming.after(item, self._window))
        self._cancel(lost for lost in tuple(self._begun) if lost not in upcoming)
        for coming in upcoming:
            if coming not in self._begun and (job := _job(coming)) is not None and self._may_begin(coming, job):
                self._begin(coming, job)

    def sandbox(self, item: pytest.Item, exits: ExitStack) -> "Sandbox | None":
        """The sandbox of the attempt that was begun for the item, closed by ``exits``."""
        begun = self._begun.get(item)
        if begun is None:
            return None
        exits.push(begun.exits)
        return begun.sandbox

    def take(self, item: pytest.Item) -> PendingAttempt | None:
        """The attempt that was begun for the item; it is the item's from now on."""
        self._opened.pop(item, None)
        return self._begun.pop(item, None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Keep what is finished, cancel the rest; a worker tells its controller."""
        for item, begun in self._begun.items():
            job = _job(item)
            self._kept += job is not None and self._session.keep(item, job, begun)
        self._cancel(tuple(self._begun))
        for exits in self._opened.values():
            exits.close()
        workeroutput: dict[str, Any] | None = getattr(self._config, "workeroutput", None)
        if workeroutput is not None:
            workeroutput |= {_IN_STEP: self._in_step, _KEPT: self._kept}

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """One that gives each worker enough items to look ahead in."""
        from pytest_mcpbench.plugin.xdist import scheduler

        return scheduler.scheduler(config, log)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of xdist has ended; one that crashed tells nothing."""
        told: dict[str, Any] = getattr(node, "workeroutput", {})
        self._in_step |= told.get(_IN_STEP, {})
        self._kept += told.get(_KEPT, 0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where attempts could not overlap, and what was finished ahead of the end."""
        for file, fixture in sorted(self._in_step.items()):
            why = f"the fixture {fixture!r} has to be set up before each of them"
            terminalreporter.write_line(f"mcpbench: attempts of {file} were made one at a time: {why}")
        if self._kept:
            attempts = "1 attempt that was" if self._kept == 1 else f"{self._kept} attempts that were"
            terminalreporter.write_line(
                f"mcpbench: {attempts} finished ahead of the end of the run: kept in the records for --mcpbench-resume"
            )

    def _begin(self, item: pytest.Item, job: "Job") -> None:
        exits = self._opened[item] = ExitStack()
        # What goes wrong here goes wrong in the item's own set-up too, and is reported there.
        with suppress(Exception):
            self._begun[item] = self._session.begin(item, job, exits)
            return
        self._opened.pop(item).close()

    def _may_begin(self, item: pytest.Item, job: "Job") -> bool:
        if job.loaded.task is None or any(item.iter_markers("skip")) or any(item.iter_markers("skipif")):
            return False
        own = fixture_needs.of(item)
        if own.fixture is not None:
            self._in_step.setdefault(_file(item), own.fixture)
            return False
        return (item.parent in self._entered or not own.is_shared) and self._session.resumed(job) is None

    def _cancel(self, items: "Iterator[pytest.Item] | tuple[pytest.Item, ...]") -> None:
        for item in items:
            begun = self._begun.pop(item)
            begun.future.cancel()
            self._opened.pop(item).close()


def _job(item: pytest.Item) -> "Job | None":
    """The job of an item that asks for the attempt."""
    from pytest_mcpbench.plugin.collection import jobs

    return jobs.of_item(item) if "mcp_run" in getattr(item, "fixturenames", ()) else None


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0] or str(item.path)
