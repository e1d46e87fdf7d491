"""Scheduling of attempts: which starts when, in this process or by an engine; each item waits only for its own."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.agents.agent import Agent
from pytest_mcpbench.attempt.attempt import Attempt, AttemptResult
from pytest_mcpbench.attempt.verdicts import missing_verdicts, renew_verdicts
from pytest_mcpbench.concurrency import wait_for_result
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.planning import AttemptDescription
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.options.parallelism import window_size
from pytest_mcpbench.options.settings import SETTINGS
from pytest_mcpbench.options.worker_channel import WorkerChannel
from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.collection.failures import AttemptError
from pytest_mcpbench.plugin.collection.item_fixtures import item_fixtures
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE
from pytest_mcpbench.plugin.collection.jobs import Job, describe_item, job_of_attempt
from pytest_mcpbench.plugin.execution.attempts import AttemptFactory
from pytest_mcpbench.plugin.execution.budget import Budget, BudgetStop
from pytest_mcpbench.plugin.execution.engines import Engine, LocalAttempts
from pytest_mcpbench.plugin.execution.resume import EarlierAttempts
from pytest_mcpbench.runs.evidence_journal import EvidenceJournal
from pytest_mcpbench.servers.secret_filter import SecretFilter


@dataclass
class PendingAttempt:
    """An attempt that was started before its item."""

    future: Future[AttemptResult]
    sandbox: Sandbox
    description: AttemptDescription
    exits: ExitStack
    """Closes the sandbox."""


class AttemptScheduler:
    """Scheduler that keeps the attempts of a window of upcoming items in flight.

    An attempt can start early only if nothing has to be set up for it first:

    * A function-scoped fixture of a user is set up when pytest reaches the item, so the attempt has to wait for that.
      The same holds for an overridden fixture of this plugin. Such attempts run one at a time.
    * A fixture with a wider scope is set up by the first item that uses it. The attempts of later items of the same
      file start early once that has happened.
    """

    def __init__(  # noqa: PLR0913 (what decides which attempt runs when and where)
        self,
        config: pytest.Config,
        factory: AttemptFactory,
        local: LocalAttempts,
        engine: Engine | None,
        earlier: EarlierAttempts,
        budget: Budget,
        budget_stop: BudgetStop,
        channel: WorkerChannel,
        directory: Path,
        secrets: Callable[[], SecretFilter],
        check_stop: Callable[[pytest.Session], None],
    ) -> None:
        self._config = config
        self._factory = factory
        self._local = local
        self._engine = engine
        self._earlier = earlier
        self._budget = budget
        self._budget_stop = budget_stop
        self._check_stop = check_stop
        self._directory = directory
        self._process = channel.process
        self._secrets = secrets
        self._upcoming = UpcomingItems(config)
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

    # What the item that pytest is at asks for.

    def sandbox(self, item: pytest.Item, job: Job, task: Task, exits: ExitStack) -> Sandbox:
        """Return the sandbox of the item's attempt, which may have started; ``exits`` closes it."""
        pending = self._pending.get(item)
        if pending is None:
            return self._factory.open_sandbox(job, task, exits)
        exits.push(pending.exits)
        return pending.sandbox

    def evidence(
        self, item: pytest.Item, task: Task, servers: Mapping[str, ServerRef], sandbox: Sandbox, agent: Agent
    ) -> AttemptEvidence:
        """Return the evidence of the item.

        It is taken from an earlier run, from an attempt that was started ahead, or from one that starts now.

        Raises:
            AttemptError: the attempt failed.
        """
        state = item.stash[ITEM_STATE]
        job = state.job
        earlier = self._earlier.attempt(job)
        if earlier is not None and earlier.evidence is not None:
            description = describe_item(item, job, state.started_at)
            attempt = self._factory.attempt(job, description, task, servers, sandbox, agent)
            state.original_start, state.seconds = earlier.begin, earlier.seconds
            state.is_taken_over = self._earlier.is_of_earlier_run(job)
            state.evidence = self._judge_again(attempt, earlier.evidence)
            return state.evidence
        self._exits.pop(item, None)
        pending = self._pop(item)
        if pending is not None:
            future, description = pending.future, pending.description
            state.started_at = description.started_at
        else:
            # The second check: other attempts may have used up the budget during the setup of the item.
            self._budget_stop.check(item, job)
            description = describe_item(item, job, state.started_at)
            future = self._submit(self._factory.attempt(job, description, task, servers, sandbox, agent), item, job)
        state.description = description
        self._start_after(item)
        result = wait_for_result(future, on_wait=functools.partial(self._on_wait, item.session))
        # Stored first, because the record has the evidence even if the attempt failed.
        state.evidence, state.seconds = result.evidence, result.seconds
        if result.error is not None:
            raise AttemptError(result.error)
        return result.evidence

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, nextitem: pytest.Item | None) -> None:
        self._upcoming.next = nextitem

    # Not tryfirst: marks come first, so that a task with the mark "skip" is not skipped by the budget.
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Skip an item whose attempt has not begun when the budget is used up."""
        job = job_of_attempt(item) if self._budget.is_limited else None
        if job is None or job.loaded.task is None or item in self._pending or self._earlier.has(job):
            return
        self._budget_stop.check(item, job)

    # Attempts ahead of their items.

    @property
    def window(self) -> int:
        """Number of items behind the current one whose attempts are to be started; 0: none."""
        concurrency = self._config.stash[SETTINGS].concurrency
        capacity = self._engine.capacity if self._engine is not None else None
        places = concurrency if capacity is None else capacity
        if capacity is None and concurrency == 1:
            return 0
        return window_size(self._config, places, is_limited=self._budget.is_limited)

    @property
    def finished_count(self) -> int:
        """Number of attempts that are finished although pytest has not reached their items."""
        return len(self._finished)

    def expect(self, items: Sequence[pytest.Item]) -> None:
        """Look ahead in these items, which run a second time; without any, in those of the session."""
        self._upcoming.repeated = items

    def drain(self) -> list[tuple[pytest.Item, Job, PendingAttempt]]:
        """Cancel the attempts that no item has taken; return those that are finished all the same."""
        remaining = tuple(
            (item, job, self._pending[item]) for item in self._pending if (job := job_of_attempt(item)) is not None
        )
        self._cancel(tuple(self._pending))
        for exits in self._exits.values():
            exits.close()
        return [each for each in remaining if each[2].future.done() and not each[2].future.cancelled()]

    def _start_after(self, item: pytest.Item) -> None:
        """Start the attempts of the items in the window behind this one."""
        self._entered.add(item.parent)
        window = self.window
        # A cluster that loses a node has a smaller window; attempts that it has begun are nevertheless finished.
        self._widest_window = max(self._widest_window, window)
        upcoming = dict.fromkeys(self._upcoming.after(item, self._widest_window))
        # With --dist=worksteal another worker can take over an item whose attempt has already started here.
        self._cancel(other for other in tuple(self._pending) if other not in upcoming)
        for coming in islice(upcoming, window):
            if coming in self._pending:
                continue
            job = job_of_attempt(coming)
            if job is not None and self._may_start(coming, job):
                if self._budget.used_up is not None:
                    return
                self._start(coming, job)

    def _may_start(self, item: pytest.Item, job: Job) -> bool:
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

    def _start(self, item: pytest.Item, job: Job) -> None:
        exits = self._exits[item] = ExitStack()
        # The same error occurs again when the item is set up, and is reported there.
        with suppress(Exception):
            sandbox = self._factory.open_sandbox(job, job.task, exits)
            description = describe_item(item, job, datetime.now(UTC).isoformat(timespec="milliseconds"))
            future = self._submit(self._factory.default_attempt(job, description, sandbox), item, job)
            self._pending[item] = PendingAttempt(future, sandbox, description, exits)
            future.add_done_callback(functools.partial(self._note_end, item))
            return
        self._exits.pop(item).close()

    def _note_end(self, item: pytest.Item, _future: Future[AttemptResult]) -> None:
        self._finished.add(item)
        # The thread of the attempt calls this, while pytest's thread may be in _pop(), which removes the item from
        # _pending and then from _finished. Here it is added before _pending is read, so that the later of the two
        # threads drops it from _finished.
        if item not in self._pending:
            self._finished.discard(item)

    def _pop(self, item: pytest.Item) -> PendingAttempt | None:
        pending = self._pending.pop(item, None)
        self._finished.discard(item)
        return pending

    def _cancel(self, items: Iterable[pytest.Item]) -> None:
        for item in items:
            if (pending := self._pop(item)) is not None:
                pending.future.cancel()
            self._exits.pop(item).close()

    # Where attempts run, and what happens meanwhile.

    def _submit(self, attempt: Attempt, item: pytest.Item, job: Job) -> Future[AttemptResult]:
        """Start the attempt, whose evidence is stored when it ends; cancelling the future cancels the attempt."""
        attempt = replace(attempt, journal=self._journal)
        engine = self._engine
        if engine is None or engine.executor is None:
            future = self._local.executor.submit(attempt)
        else:
            future = engine.executor.submit(engine.with_components(attempt, item, job))
        self._budget.count(job, future)
        return future

    def _judge_again(self, attempt: Attempt, evidence: AttemptEvidence) -> AttemptEvidence:
        """Return the evidence of an earlier attempt with verdicts of the attempt's judge; the agent is not asked."""
        if attempt.judge is None:
            return evidence.model_copy(update={"verdicts": {}})
        if not missing_verdicts(attempt, evidence):
            return evidence
        return self._local.executor.call(lambda _: renew_verdicts(attempt, evidence))

    @functools.cached_property
    def _journal(self) -> EvidenceJournal:
        return EvidenceJournal(self._directory, self._process, self._secrets())

    def _on_wait(self, session: pytest.Session) -> None:
        """End the session of a worker if the run is to stop."""
        self._budget.publish()
        self._check_stop(session)

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self) -> None:
        """Stop every attempt and server; the engine first, because it may use this process's executor.

        The journal is closed before the recorder removes it, which Windows refuses for open files.
        """
        if self._engine is not None:
            self._engine.close()
        self._local.close()
        if "_journal" in self.__dict__:
            self._journal.close()


# Items that this process runs next.


class UpcomingItems:
    """Items behind the current one, in the order in which pytest runs them; in a worker, those it has received."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._items: Sequence[pytest.Item] = ()
        self._position: dict[pytest.Item, int] = {}
        self.next: pytest.Item | None = None
        """The item that pytest runs after the current one."""
        self.repeated: Sequence[pytest.Item] = ()
        """Items that run again at the end of the run."""

    def after(self, item: pytest.Item, limit: int) -> Iterator[pytest.Item]:
        """Return the items behind this one, at most ``limit``."""
        items = self.repeated or item.session.items
        if self._items is not items:
            self._items = items
            self._position = {each: index for index, each in enumerate(items)}
        if is_worker(self._config) and not self.repeated:
            return islice(self._received(limit), limit)
        position = self._position[item]
        return islice(self._items, position + 1, position + 1 + limit)

    def _received(self, limit: int) -> Iterator[pytest.Item]:
        queue = _worker_queue(self._config)
        if queue is None or self.next is None:
            return
        # The worker has already taken the next item out of the queue, to pass it to the hooks of the current one.
        yield self.next
        with queue.lock() as entries:
            indices = list(islice(entries, limit))
        # The last entry may be a marker, which ends the worker's loop.
        yield from (self._items[index] for index in indices if isinstance(index, int))


def worker_interactor(config: pytest.Config) -> Any:
    """Return the plugin of pytest-xdist that runs the items of this worker; ``None`` if this is no worker.

    pytest-xdist registers it without a name.
    """
    return next(
        (each for each in config.pluginmanager.get_plugins() if type(each).__name__ == "WorkerInteractor"), None
    )


def _worker_queue(config: pytest.Config) -> Any:
    """Return the queue of item indices of this worker, ``None`` if this version of pytest-xdist has no such queue.

    pytest-xdist tells the plugins of a worker only the next item. Its queue is an attribute of its plugin. Without the
    queue nothing is started ahead.
    """
    queue = getattr(worker_interactor(config), "torun", None)
    return queue if hasattr(queue, "lock") else None
