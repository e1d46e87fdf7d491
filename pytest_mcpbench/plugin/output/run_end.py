"""End of a run before all of its attempts have run, as ``run.json`` and the reports state it."""

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.collection.item_state import SELECTED
from pytest_mcpbench.plugin.execution.lookahead import job_of_attempt
from pytest_mcpbench.plugin.worker_channel import receive_output

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.execution.budget_gate import BudgetGate
    from pytest_mcpbench.plugin.output.recorder import Recorder
    from pytest_mcpbench.plugin.worker_channel import WorkerChannel


class RunEnd:
    """Counts the selected attempts, and stores why the run ended before all of them had run."""

    def __init__(
        self, config: pytest.Config, channel: "WorkerChannel", recorder: "Recorder", budget_gate: "BudgetGate"
    ) -> None:
        self._config = config
        self._channel = channel
        self._recorder = recorder
        self._budget_gate = budget_gate
        self._interruption: str | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Count after ``-k`` and the other options that deselect, and before the facts of the run are written."""
        count = sum(job_of_attempt(item) is not None for item in items)
        self._config.stash[SELECTED] = self._channel.output.selected = count

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the number of any worker: all collect the same items, and the controller collects none."""
        count = receive_output(node).selected
        if count is not None:
            self._config.stash[SELECTED] = count

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self._interruption = str(excinfo.value) or "Ctrl-C"

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Store the end; first, because the reports state it."""
        if not self._channel.is_worker and self._recorder.has_begun:
            self._recorder.store_end(self._end(session))

    def _end(self, session: pytest.Session) -> dict[str, Any] | None:
        """Return why the run ended and how many attempts it has; ``None`` if nothing kept them from running."""
        cause, reason = self._cause(session)
        if cause is None:
            return None
        return {"cause": cause, "reason": reason, "selected": self._config.stash.get(SELECTED, None)}

    def _cause(self, session: pytest.Session) -> tuple[str | None, str]:
        if self._interruption is not None:
            return "interrupted", self._interruption
        if session.shouldfail:
            return "stopped", str(session.shouldfail)
        reason = self._budget_gate.reason
        return ("budget", reason) if reason is not None else (None, "")
