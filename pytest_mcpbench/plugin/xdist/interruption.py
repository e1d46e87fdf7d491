"""Signals that end a run with tasks: the first in order, a second one at once."""

import _thread
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
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
