"""Fresh trials of the tasks that a gate confirms: attempts that are no items of pytest."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_mcpbench.plugin.collection.item_state import ItemState

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pytest_mcpbench.core.errors import McpBenchError
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.attempt_builder import AttemptBuilder
    from pytest_mcpbench.plugin.execution.local_attempts import LocalAttempts
    from pytest_mcpbench.plugin.execution.scoring import Scorer
    from pytest_mcpbench.runtime.attempt import AttemptResult


@dataclass(frozen=True)
class FinishedTrial:
    """A fresh trial with its scores, or with the error that kept it from having any."""

    job: "Job"
    state: ItemState
    error: "McpBenchError | None" = None


class FreshTrials:
    """Runs attempts of this process, as many at once as ``--mcpbench-concurrency`` allows."""

    def __init__(self, builder: "AttemptBuilder", local: "LocalAttempts", scorer: "Scorer") -> None:
        self._builder = builder
        self._local = local
        self._scorer = scorer

    def run(self, jobs: "Sequence[Job]") -> Iterator[FinishedTrial]:
        """Yield the trials in the order of the jobs, in which they start; the caller alternates the arms."""
        from pytest_mcpbench.runtime.loop_thread import wait_for_result

        with ExitStack() as exits:
            started = [(job, *self._start(job, exits)) for job in jobs]
            for _, future, _ in started:
                exits.callback(future.cancel)
            for job, future, started_at in started:
                yield self._finished(job, wait_for_result(future), started_at)

    def _start(self, job: "Job", exits: ExitStack) -> "tuple[Future[AttemptResult], str]":
        task = job.task
        sandbox = self._builder.open_sandbox(job, task, exits)
        attempt = self._builder.default_attempt(job, task, sandbox)
        return self._local.executor.submit(attempt), datetime.now(UTC).isoformat(timespec="milliseconds")

    def _finished(self, job: "Job", result: "AttemptResult", started_at: str) -> FinishedTrial:
        from pytest_mcpbench.core.errors import MetricError

        state = ItemState(job, started_at, result.seconds, result.evidence)
        if result.error is not None:
            return FinishedTrial(job, state, result.error)
        try:
            state.scorecard = self._scorer.scorecard(job, job.task, result.evidence)
        except MetricError as error:
            return FinishedTrial(job, state, error)
        return FinishedTrial(job, state)
