"""Tells the workers of xdist that the run is to stop, so that they cancel what is in flight and do not wait for it."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest


class Stopping:
    """The controller makes a file that means "go on" and removes it when the run is to stop; workers look for it.

    xdist itself only adds a mark to the end of a worker's queue, before which the worker runs all that it was given.
    A worker on another machine does not see the file and ends as xdist has it.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._made: Path | None = None
        self._failures = 0
        told = getattr(config, "workerinput", {}).get("mcpbench_go_on")
        self._seen = Path(told) if told and Path(told).exists() else None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        if self._made is None:
            handle, name = tempfile.mkstemp(prefix="mcpbench-go-on-")
            os.close(handle)
            self._made = Path(name)
        node.workerinput["mcpbench_go_on"] = str(self._made)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failures += report.failed
        most = self._config.getoption("maxfail")
        if most and self._failures >= most:
            self._stop()

    def pytest_keyboard_interrupt(self) -> None:
        self._stop()

    def pytest_unconfigure(self) -> None:
        self._stop()

    def heed(self, session: pytest.Session) -> None:
        """End this worker's session if the run is to stop; the item that it is at is not reported."""
        if self._seen is None or self._seen.exists():
            return
        session.shouldstop = "the run is to stop"
        # With the status of an interruption the controller would take the worker for crashed.
        pytest.exit("the run is to stop", returncode=pytest.ExitCode.TESTS_FAILED)

    def _stop(self) -> None:
        if self._made is not None:
            self._made.unlink(missing_ok=True)
