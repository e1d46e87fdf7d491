"""Stop signal for the workers of pytest-xdist, on which they cancel the attempts in flight."""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.options.worker_channel import WorkerChannel
    from pytest_mcpbench.plugin.execution.scratch import Scratch

_REASON = "the run is to stop"


class StopSignal:
    """A file that exists while the run goes on: the controller removes it, and workers check whether it is there.

    pytest-xdist itself only appends a marker to the queue of each worker, which the worker reaches after all items that
    it has received. A worker on another machine does not see the file and ends as pytest-xdist does it.
    """

    def __init__(self, config: pytest.Config, channel: "WorkerChannel", scratch: "Scratch") -> None:
        self._config = config
        self._scratch = scratch
        self._own_file: Path | None = None
        self._failures = 0
        received = channel.input.running_file
        self._received_file = Path(received) if received is not None and Path(received).exists() else None

    def file(self) -> str:
        """Return the path of the file for a worker that starts; the first call creates the file."""
        if self._own_file is None:
            handle, name = tempfile.mkstemp(prefix="running-", dir=self._scratch.directory)
            os.close(handle)
            self._own_file = Path(name)
        return str(self._own_file)

    def check(self, session: pytest.Session) -> None:
        """End the session of this worker if the run is to stop; its current item is not reported."""
        if self._received_file is None or self._received_file.exists():
            return
        session.shouldstop = _REASON
        # pytest's terminal would format the traceback of the exit, which nobody sees: a second of processor time.
        session.config.pluginmanager.unregister(name="terminalreporter")
        # With the exit status of an interruption the controller would take the worker for crashed.
        pytest.exit(_REASON, returncode=pytest.ExitCode.TESTS_FAILED)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failures += report.failed
        limit = self._config.getoption("maxfail")
        if limit and self._failures >= limit:
            self.send()

    def pytest_keyboard_interrupt(self) -> None:
        self.send()

    def pytest_unconfigure(self) -> None:
        self.send()

    def send(self) -> None:
        """Let the workers cancel their attempts."""
        if self._own_file is not None:
            self._own_file.unlink(missing_ok=True)
