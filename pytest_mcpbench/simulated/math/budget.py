"""A bound on the processor time of one computation in this thread."""

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

SECONDS: Final = 5.0
"""Processor seconds that one computation may take; waiting for other processes does not count."""


class WorkLimitError(BaseException):
    """The time is used up. Not an ``Exception``: SymPy tries other ways after those."""


@contextmanager
def work_limit(seconds: float = SECONDS) -> Iterator[None]:
    """Raise :class:`WorkLimitError` in the block once this thread has computed for so long.

    A computation that is only abandoned after a deadline would go on behind its caller's back, and a signal reaches
    the main thread alone. The error arrives between two Python instructions, so what one instruction may cost must be
    bounded elsewhere (see ``bounds``).
    """
    watch = _Watch(threading.get_ident(), seconds)
    watch.start()
    try:
        yield
    finally:
        watch.end()


class _Watch(threading.Thread):
    """Looks at a thread's clock until it is told that the work is done."""

    def __init__(self, thread_id: int, seconds: float) -> None:
        super().__init__(name="mcpbench-work-limit", daemon=True)
        self._thread_id = thread_id
        self._now = _clock_of(thread_id)
        self._deadline = self._now() + seconds
        self._done = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> None:
        while (left := self._deadline - self._now()) > 0:
            if self._done.wait(max(left, 0.05)):
                return
        with self._lock:
            if not self._done.is_set():
                _raise_in(self._thread_id, WorkLimitError)

    def end(self) -> None:
        with self._lock:
            self._done.set()


def _clock_of(thread_id: int) -> Callable[[], float]:
    """The thread's processor time; where the system does not tell it (macOS, Windows), the time of day."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(thread_id)
    return lambda: time.clock_gettime(clock)


def _raise_in(thread_id: int, error: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), ctypes.py_object(error))
