"""End of a run whose budget is used up: its remaining tasks are skipped, and the exit code says so."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_mcpbench.options.worker_channel import is_worker
from pytest_mcpbench.plugin.collection.item_state import ITEM_STATE

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.budget import Budget
    from pytest_mcpbench.plugin.execution.lookahead import LookAhead

BUDGET_USED_UP = 20
"""Exit code of a run in which no task failed and some were skipped; pytest and its plugins use small numbers."""
_ATTRIBUTE = "mcpbench_over_budget"


class SkippedTask(NamedTuple):
    """Task that was skipped, with what identifies the comparison that it belongs to."""

    file: str
    model: str
    reason: str


_SKIPPED = pytest.StashKey[SkippedTask]()


class BudgetGate:
    """Gate that skips the items whose attempts have not begun when the budget is used up."""

    def __init__(self, config: pytest.Config, budget: "Budget", lookahead: "LookAhead") -> None:
        self._config = config
        self._budget = budget
        self._lookahead = lookahead
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

    # Not tryfirst: marks come first, so that a task with the mark "skip" is not skipped by the budget.
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        job = self._lookahead.coming_attempt(item) if self._budget.is_limited else None
        if job is not None:
            self.check(item, job)

    def check(self, item: pytest.Item, job: "Job") -> None:
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
