"""Fresh trials of the tasks that a gate confirms: attempts that are no items of pytest."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

from pytest_mcpbench.attempt.attempt import AttemptResult
from pytest_mcpbench.concurrency import wait_for_result
from pytest_mcpbench.core.errors import McpBenchError, MetricError
from pytest_mcpbench.plugin.collection.item_state import ItemState
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.execution.attempts import AttemptFactory, Scorer
from pytest_mcpbench.plugin.execution.budget import Budget, BudgetUsedUpError
from pytest_mcpbench.plugin.execution.engines import LocalAttempts


@dataclass(frozen=True)
class FinishedTrial:
    """A fresh trial with its scores, or with the error that kept it from having any."""

    job: Job
    state: ItemState
    error: McpBenchError | None = None


@dataclass(frozen=True)
class _StartedTrial:
    job: Job
    future: Future[AttemptResult]
    started_at: str


class FreshTrials:
    """Runner of attempts in this process, as many at once as ``--mcpbench-concurrency`` allows."""

    def __init__(
        self, factory: AttemptFactory, local: LocalAttempts, scorer: Scorer, budget: Budget, *, concurrency: int
    ) -> None:
        self._factory = factory
        self._local = local
        self._scorer = scorer
        self._budget = budget
        self._concurrency = concurrency

    def run(self, jobs: Sequence[Job]) -> Iterator[FinishedTrial]:
        """Yield the trials in the order of the jobs, in which they start; the caller alternates the arms.

        Raises:
            BudgetUsedUpError: The budget is used up; the trials that had begun have been yielded.
        """
        # With a budget no more are started than run: each that has started has to be paid for.
        most = self._concurrency if self._budget.is_limited else len(jobs)
        waiting, problem = deque(jobs), None
        with ExitStack() as exits:
            started: deque[_StartedTrial] = deque()
            while started or (waiting and problem is None):
                try:
                    while waiting and problem is None and len(started) < most:
                        self._budget.check_fresh_trial()
                        started.append(self._start(waiting.popleft(), exits))
                except BudgetUsedUpError as error:
                    problem = error
                    continue
                yield self._finished(started.popleft())
        if problem is not None:
            raise problem

    def _start(self, job: Job, exits: ExitStack) -> _StartedTrial:
        sandbox = self._factory.open_sandbox(job, job.task, exits)
        attempt = self._factory.default_attempt(job, job.description, sandbox)
        future = self._local.executor.submit(attempt)
        exits.callback(future.cancel)
        self._budget.count(job, future)
        return _StartedTrial(job, future, datetime.now(UTC).isoformat(timespec="milliseconds"))

    def _finished(self, trial: _StartedTrial) -> FinishedTrial:
        job, started_at = trial.job, trial.started_at
        result = wait_for_result(trial.future)
        state = ItemState(job, started_at, result.seconds, result.evidence)
        if result.error is not None:
            return FinishedTrial(job, state, result.error)
        try:
            state.scorecard = self._scorer.scorecard(job, job.task, result.evidence)
        except MetricError as error:
            return FinishedTrial(job, state, error)
        return FinishedTrial(job, state)
