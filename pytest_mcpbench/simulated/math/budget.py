"""A limit on the processor time of one computation in the current thread."""

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

SECONDS: Final = 5.0
"""Processor seconds that one computation may take; time spent waiting for other processes does not count."""


class WorkLimitError(BaseException):
    """Error for an exceeded time limit. Not an ``Exception``, because SymPy catches those and tries another method."""


@contextmanager
def work_limit(seconds: float = SECONDS) -> Iterator[None]:
    """Raise :class:`WorkLimitError` in the block once this thread has computed for ``seconds``.

    Merely abandoning a computation after a deadline would leave it running in the background, and signals reach only
    the main thread. The error is raised between two Python instructions, so the cost of a single instruction has to be
    bounded elsewhere (see ``bounds``).
    """
    watch = _Watchdog(threading.get_ident(), seconds)
    watch.start()
    try:
        yield
    finally:
        watch.end()


class _Watchdog(threading.Thread):
    """A thread that watches the processor time of another thread until it is told to end."""

    def __init__(self, thread_id: int, seconds: float) -> None:
        super().__init__(name="mcpbench-work-limit", daemon=True)
        self._thread_id = thread_id
        self._now = _clock_of(thread_id)
        self._deadline = self._now() + seconds
        self._done = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> None:
        while (remaining := self._deadline - self._now()) > 0:
            if self._done.wait(max(remaining, 0.05)):
                return
        with self._lock:
            if not self._done.is_set():
                _raise_in(self._thread_id, WorkLimitError)

    def end(self) -> None:
        with self._lock:
            self._done.set()


def _clock_of(thread_id: int) -> Callable[[], float]:
    """Return the thread's processor clock or, where the system has none (macOS, Windows), the monotonic clock."""
    if sys.platform == "win32" or not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(thread_id)
    return lambda: time.clock_gettime(clock)


def _raise_in(thread_id: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), ctypes.py_object(error))
