"""Budget of a run: what its attempts have cost and how long they have taken, and the end of a run that used it up."""

import functools
from collections.abc import Generator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_mcpbench.attempt.attempt import AttemptResult
from pytest_mcpbench.attempt.provider.status import Status
from pytest_mcpbench.attempt.spending import SharedSpending
from pytest_mcpbench.core.chat import CONTEXT_FULL
from pytest_mcpbench.core.errors import AgentError
from pytest_mcpbench.core.model_names import reads_local_file
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.worker_channel import WorkerChannel
from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.execution.participants import SessionModels
from pytest_mcpbench.plugin.execution.scratch import Scratch
from pytest_mcpbench.reporting.forms.number_formats import money

_ROUNDING_USD = 1e-9
"""Sums of prices are not exact: a budget of three attempts at $0.1 is used up by three."""


class BudgetUsedUpError(Exception):
    """The budget is used up, so that an attempt must not begin."""


class Budget:
    """Budget of ``--mcpbench-max-cost`` and ``--mcpbench-max-seconds`` as one process sees it.

    The cost is the larger of two sums: that of all replies of models, which includes unfinished attempts, and that of
    the finished attempts, which includes agents that call models by themselves and attempts on other machines.
    """

    def __init__(self, settings: Settings, models: SessionModels, scratch: Scratch, channel: WorkerChannel) -> None:
        self._settings = settings
        self._models = models
        self._scratch = scratch
        self._channel = channel
        self._in_flight: list[Future[AttemptResult]] = []
        self._finished_usd: float | None = 0.0
        self._written_usd: float | None = 0.0
        self._unknown: str | None = None
        """Why the cost of a finished attempt is unknown."""
        self._reason: str | None = None
        self.refused: str | None = None
        """Reason for which this process did not begin a fresh trial."""
        self.is_limited = settings.max_cost is not None or settings.max_seconds is not None

    @property
    def used_up(self) -> str | None:
        """Option, budget and what was used of it; ``None`` while another attempt may begin."""
        if self.is_limited and self._reason is None:
            self._reason = self._time_problem() or self._cost_problem()
        return self._reason

    def count(self, job: Job, future: Future[AttemptResult]) -> None:
        """Count an attempt that begins."""
        if not self.is_limited:
            return

        self._shared.start()
        # What was recorded by another run was paid by that run.
        if self._settings.replay is None and not reads_local_file(job.written_model, self._settings.aliases):
            self._in_flight.append(future)

    def check_fresh_trial(self) -> None:
        """Raise :class:`BudgetUsedUpError` if a fresh trial must not begin."""
        if self.used_up is not None:
            self.refused = self.used_up
            raise BudgetUsedUpError(self.used_up)

    def publish(self) -> None:
        """Tell the other processes what this one has spent."""
        if self._settings.max_cost is None or not self._channel.is_worker:
            return
        cost = self._own_usd()
        if cost != self._written_usd:
            self._shared.write(cost)
            self._written_usd = cost

    def pytest_sessionfinish(self) -> None:
        self.publish()

    @functools.cached_property
    def _shared(self) -> SharedSpending:
        return SharedSpending(self._scratch.directory / "budget", self._channel.process)

    def _time_problem(self) -> str | None:
        limit = self._settings.max_seconds
        if limit is None or (seconds := self._shared.seconds) < limit:
            return None
        return f"--mcpbench-max-seconds={limit:g}: the first attempt began {seconds:.1f} s ago"

    def _cost_problem(self) -> str | None:
        limit = self._settings.max_cost
        if limit is None:
            return None
        self.publish()
        spent = _larger(_sum(self._own_usd(), self._shared.cost_of_others()), self._provider_usd())
        if spent is None:
            why = self._unknown or "a reply says no number of tokens"
            return f"--mcpbench-max-cost={limit:g}: what was spent is unknown, because {why}"
        return f"--mcpbench-max-cost={limit:g}: {money(spent)} is spent" if spent >= limit - _ROUNDING_USD else None

    def _own_usd(self) -> float | None:
        """Return what this process has spent."""
        done = [future for future in self._in_flight if future.done()]
        self._in_flight = [future for future in self._in_flight if future not in done]
        for future in done:
            if not future.cancelled() and future.exception() is None:
                result = future.result()
                cost = _cost_usd(result)
                self._finished_usd = _sum(self._finished_usd, cost)
                if cost is None:
                    evidence = result.evidence
                    self._unknown = f"the agent {evidence.model} reports no cost of its attempt at {evidence.task_id}"
        return _larger(self._finished_usd, self._models.cost_usd(0.0))

    def _provider_usd(self) -> float | None:
        """Return the cost of all replies to workers; 0 in a run without workers."""
        address = self._channel.input.provider_address
        if address is None:
            return 0.0

        status = Status.read(Path(address).with_name("status"))
        return status.cost_usd if status is not None else 0.0


def _cost_usd(result: AttemptResult) -> float | None:
    """Return the cost of an attempt; ``None`` if that of a reply is unknown.

    An agent that raises can report nothing of its turn: of such an attempt, what is known counts.
    """
    evidence = result.evidence
    # A provider charges nothing for a request that it refuses because it is too long.
    steps = [step for step in evidence.trajectory.steps if step.finish_reason != CONTEXT_FULL]
    if isinstance(result.error, AgentError):
        steps = [step for step in steps if step.usage.cost_usd is not None]
    if evidence.user_usage.cost_usd is None or any(step.usage.cost_usd is None for step in steps):
        return None
    return sum(step.usage.cost_usd or 0.0 for step in steps) + sum(
        usage.cost_usd or 0.0 for usage in (evidence.judge_usage, evidence.user_usage)
    )


def _sum(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else left + right


def _larger(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else max(left, right)


# Its remaining tasks are skipped, and the exit code says so.

BUDGET_USED_UP = 20
"""Exit code of a run in which no task failed and some were skipped; pytest and its plugins use small numbers."""
_ATTRIBUTE = "mcpbench_over_budget"


class SkippedTask(NamedTuple):
    """Task that was skipped, with what identifies the comparison that it belongs to."""

    file: str
    model: str
    reason: str


_SKIPPED = pytest.StashKey[SkippedTask]()


class BudgetStop:
    """Stop at the limit of a budget: when it is used up, the items whose attempts have not begun are skipped."""

    def __init__(self, config: pytest.Config, budget: Budget) -> None:
        self._config = config
        self._budget = budget
        self.skipped: list[SkippedTask] = []
        """The tasks that were skipped, in the process that has all reports."""

    @property
    def reason(self) -> str | None:
        """Reason for which something did not begin; ``None`` if everything did."""
        return self.skipped[0].reason if self.skipped else self._budget.refused

    def problem_of(self, file: str, model: str) -> str | None:
        """Return why a comparison lacks attempts of the first trials; ``None`` if it does not."""
        return next((each.reason for each in self.skipped if (each.file, each.model) == (file, model)), None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Refuse workers on other machines, which do not know what the others spend."""
        workers = session.config.getoption("tx", None) or ()
        if self._budget.is_limited and not all("popen" in each for each in workers):
            raise pytest.UsageError(
                "--mcpbench-max-cost and --mcpbench-max-seconds need workers on this machine: use -n N, without --tx"
            )

    def check(self, item: pytest.Item, job: Job) -> None:
        """Skip the item if the budget is used up; its attempt would begin now."""
        reason = self._budget.used_up
        if reason is None:
            return
        # Without it nothing is recorded: the attempt did not take place.
        if ITEM_STATE in item.stash:
            del item.stash[ITEM_STATE]
        item.stash[_SKIPPED] = SkippedTask(item.nodeid.partition("::")[0], job.model, reason)
        pytest.skip(f"budget: {reason}")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        skipped = item.stash.get(_SKIPPED, None)
        if skipped is not None and report.skipped:
            setattr(report, _ATTRIBUTE, [*skipped])
            # The place of the file, for which pytest's summary has one line: this module would tell nobody anything.
            report.longrepr = (str(item.path), 1, f"Skipped: budget: {skipped.reason}")
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        if hasattr(report, _ATTRIBUTE):
            self.skipped.append(SkippedTask(*getattr(report, _ATTRIBUTE)))

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        """Set the exit code; failures and interruptions keep theirs."""
        yield
        if self.reason is not None and not is_worker(self._config) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = BUDGET_USED_UP
