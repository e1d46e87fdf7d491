"""How a run stops: signals end it in order or at once, and workers of pytest-xdist cancel their attempts."""

import _thread
import os
import signal
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.plugin.collection.file_names import is_task_id
from pytest_mcpbench.plugin.output.report_entry import has_entry

if TYPE_CHECKING:
    from pytest_mcpbench.options.worker_channel import WorkerChannel
    from pytest_mcpbench.plugin.execution.scratch import Scratch


# End of a worker of pytest-xdist whose controller was killed.

_SECONDS = 0.25
"""Time between two looks at the parent process."""


def end_with_parent() -> None:
    """Start a thread that ends this process when its parent process has ended.

    execnet lets a worker go on for 15 s. In that time it would ask models for attempts that the next run makes too.
    Whatever has finished is on disk.
    """
    threading.Thread(target=_wait, args=(os.getppid(),), name="mcpbench parent", daemon=True).start()


def _wait(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(pytest.ExitCode.INTERRUPTED)


_DEFAULTS = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}
"""Handlers that are replaced; one that somebody else has set, such as that of ``nohup``, stays."""

_WEAKREF_FILES = frozenset({weakref.__file__, weakref.WeakSet.__init__.__code__.co_filename})
_REPEAT_SECONDS = 0.05
"""Time after which a signal is repeated that came where an exception would be dropped."""


class Interruption:
    """Handlers of the signals while a run with tasks goes on.

    Workers of pytest-xdist ignore the signals, which a terminal or a service manager sends to all processes: the
    controller ends them.
    """

    def __init__(self, channel: "WorkerChannel", scratch: "Scratch") -> None:
        self._handle: Callable[[int, FrameType | None], None] = _ignore if channel.is_worker else self._interrupt
        self._is_worker = channel.is_worker
        self._ends_with_parent = False
        self._scratch = scratch
        self._replaced: dict[int, Any] = {}
        self._is_interrupted = False

    def prepare(self) -> None:
        """Set the handlers, if this is the main thread; let a worker end with its controller."""
        if self._is_worker and not self._ends_with_parent:
            self._ends_with_parent = True
            end_with_parent()
        if self._replaced or threading.current_thread() is not threading.main_thread():
            return
        for name, default in _DEFAULTS.items():
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is default:
                self._replaced[number] = signal.signal(number, self._handle)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Set the handlers in the controller, which collects nothing itself, if its workers have tasks."""
        if any(map(is_task_id, ids)):
            self.prepare()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if has_entry(report):
            self.prepare()

    def pytest_unconfigure(self) -> None:
        """Restore the handlers."""
        for number, handler in self._replaced.items():
            signal.signal(number, handler)
        self._replaced.clear()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._is_interrupted:
            self._scratch.remove()
            # Servers end with this process, and workers when they notice that the scratch directory is gone.
            os._exit(pytest.ExitCode.INTERRUPTED)
        if ignores_exceptions(frame):
            repeat_signal(number, _REPEAT_SECONDS)
            return
        self._is_interrupted = True
        raise KeyboardInterrupt(signal.Signals(number).name)


def ignores_exceptions(frame: FrameType | None) -> bool:
    """Return whether Python drops exceptions in a frame, as in a finalizer or a callback of ``weakref``."""
    while frame is not None:
        if frame.f_code.co_name == "__del__" or frame.f_code.co_filename in _WEAKREF_FILES:
            return True
        frame = frame.f_back
    return False


def repeat_signal(number: int, seconds: float) -> None:
    """Send a signal to the main thread again after some time."""
    main = threading.main_thread().ident
    assert main is not None, "the main thread runs"
    if sys.platform == "win32":
        repeat = threading.Timer(seconds, _thread.interrupt_main, (number,))
    else:
        repeat = threading.Timer(seconds, signal.pthread_kill, (main, number))
    repeat.daemon = True
    repeat.start()


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing; unlike ``SIG_IGN``, this handler is not inherited by servers."""


# Stop signal for the workers, on which they cancel the attempts in flight.


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
