"""Attempts that finished ahead of the item at which the run ended: recorded, although pytest does not report them."""

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.worker_channel import receive_output

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.lookahead import LookAhead, PendingAttempt
    from pytest_mcpbench.plugin.execution.scoring import Scorer
    from pytest_mcpbench.plugin.output.recorder import Recorder
    from pytest_mcpbench.plugin.worker_channel import WorkerChannel


class UnreportedAttempts:
    """Ends look-ahead with the session and records what has finished, so that a resumed run need not repeat it."""

    def __init__(
        self, lookahead: "LookAhead", scorer: "Scorer", recorder: "Recorder", channel: "WorkerChannel"
    ) -> None:
        self._lookahead = lookahead
        self._scorer = scorer
        self._recorder = recorder
        self._channel = channel

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Record and cancel; first, so that nothing that is discarded runs on while others write their reports."""
        recorded = [self._record(*each) for each in self._lookahead.drain()]
        self._channel.output.unreported_attempts += sum(recorded)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._channel.output.unreported_attempts += receive_output(node).unreported_attempts

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        count = self._channel.output.unreported_attempts
        if count:
            attempts = "1 attempt" if count == 1 else f"{count} attempts"
            terminalreporter.write_line(
                f"mcpbench: {attempts} finished ahead of the end of the run: recorded for --mcpbench-resume"
            )

    def _record(self, item: pytest.Item, job: "Job", pending: "PendingAttempt") -> bool:
        """Record the attempt unless it is an error; return whether it is recorded."""
        if pending.future.exception() is not None or pending.future.result().error is not None:
            return False
        from pytest_mcpbench.core.errors import MetricError, StorageError
        from pytest_mcpbench.plugin.collection.item_state import ItemState
        from pytest_mcpbench.plugin.output import item_records

        result = pending.future.result()
        try:
            scorecard = self._scorer.scorecard(job, job.task, result.evidence)
        except MetricError:
            return False
        started_at = pending.description.started_at
        state = ItemState(job, started_at, result.seconds, result.evidence, scorecard, pending.description)
        try:
            self._recorder.append(item_records.record_of_unreported(item, state))
        except StorageError:  # the disk is full, which has ended the run; what the journal has is kept
            return False
        return True
