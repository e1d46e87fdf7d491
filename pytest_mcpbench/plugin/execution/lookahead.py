"""Attempts that start before pytest reaches their items, so that their waiting times overlap."""

import functools
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.options.worker_channel import is_worker, receive_output
from pytest_mcpbench.plugin.execution.attempt_builder import describe_item
from pytest_mcpbench.plugin.execution.item_fixtures import item_fixtures

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pytest_mcpbench.attempt.attempt import AttemptResult
    from pytest_mcpbench.core.planning import AttemptDescription
    from pytest_mcpbench.core.sandbox import Sandbox
    from pytest_mcpbench.options.worker_channel import WorkerChannel
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.attempt_builder import AttemptBuilder
    from pytest_mcpbench.plugin.execution.attempt_executor import AttemptExecutor
    from pytest_mcpbench.plugin.execution.budget import Budget
    from pytest_mcpbench.plugin.execution.resume import EarlierAttempts


@dataclass
class PendingAttempt:
    """An attempt that was started before its item."""

    future: "Future[AttemptResult]"
    sandbox: "Sandbox"
    description: "AttemptDescription"
    exits: ExitStack
    """Closes the sandbox."""


class LookAhead:
    """Scheduler that keeps the attempts of a window of upcoming items in flight; each item waits only for its own.

    An attempt can start early only if nothing has to be set up for it first:

    * A function-scoped fixture of a user is set up when pytest reaches the item, so the attempt has to wait for that.
      The same holds for an overridden fixture of this plugin. Such attempts run one at a time.
    * A fixture with a wider scope is set up by the first item that uses it. The attempts of later items of the same
      file start early once that has happened.
    """

    def __init__(  # noqa: PLR0913 (the services that it connects)
        self,
        upcoming: "UpcomingItems",
        builder: "AttemptBuilder",
        executor: "AttemptExecutor",
        earlier: "EarlierAttempts",
        channel: "WorkerChannel",
        budget: "Budget",
    ) -> None:
        self._upcoming = upcoming
        self._builder = builder
        self._executor = executor
        self._earlier = earlier
        self._budget = budget
        self._serial_files = channel.output.serial_files
        """File -> the fixture because of which its attempts run one at a time."""
        self._pending: dict[pytest.Item, PendingAttempt] = {}
        self._finished: set[pytest.Item] = set()
        """Items whose pending attempts are finished."""
        # Apart from the pending attempts, so that a sandbox is closed even if a Ctrl-C arrives while it is opened.
        self._exits: dict[pytest.Item, ExitStack] = {}
        self._widest_window = 0
        self._entered: set[pytest.Collector | None] = set()
        """Files of which pytest has set up an item."""

    def start_after(self, item: pytest.Item) -> None:
        """Start the attempts of the items in the window behind this one."""
        self._entered.add(item.parent)
        window = self._executor.window
        # A cluster that loses a node has a smaller window; attempts that it has begun are nevertheless finished.
        self._widest_window = max(self._widest_window, window)
        upcoming = dict.fromkeys(self._upcoming.after(item, self._widest_window))
        # With --dist=worksteal another worker can take over an item whose attempt has already started here.
        self._cancel(other for other in tuple(self._pending) if other not in upcoming)
        for coming in islice(upcoming, window):
            if (
                coming not in self._pending
                and (job := job_of_attempt(coming)) is not None
                and self._may_start(coming, job)
            ):
                if self._budget.used_up is not None:
                    return
                self._start(coming, job)

    def coming_attempt(self, item: pytest.Item) -> "Job | None":
        """Return the job of an item whose attempt has not begun and is not reused; ``None`` for any other item."""
        job = job_of_attempt(item)
        if job is None or job.loaded.task is None:
            return None
        return None if item in self._pending or self._earlier.has(job) else job

    def sandbox(self, item: pytest.Item, exits: ExitStack) -> "Sandbox | None":
        """Return the sandbox of the item's pending attempt, ``None`` if there is none; ``exits`` closes it."""
        pending = self._pending.get(item)
        if pending is None:
            return None
        exits.push(pending.exits)
        return pending.sandbox

    def take(self, item: pytest.Item) -> PendingAttempt | None:
        """Hand the item's pending attempt over to the caller."""
        self._exits.pop(item, None)
        return self._pop(item)

    @property
    def finished_count(self) -> int:
        """Number of attempts that are finished although pytest has not reached their items."""
        return len(self._finished)

    def drain(self) -> "list[tuple[pytest.Item, Job, PendingAttempt]]":
        """Cancel the attempts that no item has taken; return those that are finished all the same."""
        remaining = tuple(
            (item, job, self._pending[item]) for item in self._pending if (job := job_of_attempt(item)) is not None
        )
        self._cancel(tuple(self._pending))
        for exits in self._exits.values():
            exits.close()
        return [each for each in remaining if each[2].future.done() and not each[2].future.cancelled()]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._serial_files.update(receive_output(node).serial_files)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show which attempts could not overlap, and why."""
        for file, fixture in sorted(self._serial_files.items()):
            reason = f"the fixture {fixture!r} has to be set up before each of them"
            terminalreporter.write_line(f"mcpbench: attempts of {file} ran one at a time: {reason}")

    def _start(self, item: pytest.Item, job: "Job") -> None:
        exits = self._exits[item] = ExitStack()
        # The same error occurs again when the item is set up, and is reported there.
        with suppress(Exception):
            pending = self._pending[item] = self._submit(item, job, exits)
            pending.future.add_done_callback(functools.partial(self._note_end, item))
            return
        self._exits.pop(item).close()

    def _note_end(self, item: pytest.Item, _future: "Future[AttemptResult]") -> None:
        self._finished.add(item)
        # The thread of the attempt calls this, while pytest's may take the attempt. Looked at last, as _pop() does it
        # in the opposite order, so that one of the two always forgets the item.
        if item not in self._pending:
            self._finished.discard(item)

    def _pop(self, item: pytest.Item) -> PendingAttempt | None:
        pending = self._pending.pop(item, None)
        self._finished.discard(item)
        return pending

    def _submit(self, item: pytest.Item, job: "Job", exits: ExitStack) -> PendingAttempt:
        sandbox = self._builder.open_sandbox(job, job.task, exits)
        description = describe_item(item, job, datetime.now(UTC).isoformat(timespec="milliseconds"))
        attempt = self._builder.default_attempt(job, description, sandbox)
        future = self._executor.submit(attempt, item, job)
        return PendingAttempt(future, sandbox, description, exits)

    def _may_start(self, item: pytest.Item, job: "Job") -> bool:
        if (
            job.loaded.task is None
            or not job.floors
            or any(item.iter_markers("skip"))
            or any(item.iter_markers("skipif"))
        ):
            return False
        foreign = item_fixtures(item)
        if foreign.per_item is not None:
            self._serial_files.setdefault(item.nodeid.partition("::")[0] or str(item.path), foreign.per_item)
            return False
        return (item.parent in self._entered or not foreign.exist) and not self._earlier.has(job)

    def _cancel(self, items: Iterable[pytest.Item]) -> None:
        for item in items:
            if (pending := self._pop(item)) is not None:
                pending.future.cancel()
            self._exits.pop(item).close()


def job_of_attempt(item: pytest.Item) -> "Job | None":
    """Return the job of an item that uses the evidence of its attempt."""
    if "mcp_run" not in getattr(item, "fixturenames", ()):
        return None
    # Imported only if there is a task: it brings pydantic.
    from pytest_mcpbench.plugin.collection import jobs

    return jobs.job_of_item(item)


# Items that this process runs next.


class UpcomingItems:
    """Items behind the current one, in the order in which pytest runs them; in a worker, those it has received."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._items: list[pytest.Item] = []
        self._position: dict[pytest.Item, int] = {}
        self._next: pytest.Item | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._items = session.items
        self._position = {item: index for index, item in enumerate(session.items)}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, nextitem: pytest.Item | None) -> None:
        self._next = nextitem

    def after(self, item: pytest.Item, limit: int) -> Iterator[pytest.Item]:
        """Return the items behind this one, at most ``limit``."""
        if is_worker(self._config):
            return islice(self._received(limit), limit)
        position = self._position[item]
        return islice(self._items, position + 1, position + 1 + limit)

    def _received(self, limit: int) -> Iterator[pytest.Item]:
        queue = _worker_queue(self._config)
        if queue is None or self._next is None:
            return
        # The worker has already taken the next item out of the queue, to pass it to the hooks of the current one.
        yield self._next
        with queue.lock() as entries:
            indices = list(islice(entries, limit))
        # The last entry may be a marker, which ends the worker's loop.
        yield from (self._items[index] for index in indices if isinstance(index, int))


def _worker_queue(config: pytest.Config) -> Any:
    """Return the queue of item indices of this worker, ``None`` if this version of pytest-xdist has no such queue.

    pytest-xdist tells the plugins of a worker only the next item. Its queue is an attribute of the plugin that it
    registers without a name in each worker. Without the queue nothing is started ahead.
    """
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":
            queue = getattr(plugin, "torun", None)
            return queue if hasattr(queue, "lock") else None
    return None
