"""An event loop in a thread of its own, which is left alone if it does not end in time."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from typing import Any, TypeVar

Result = TypeVar("Result")

_SLICE_SECONDS = 0.2
_LAST_SECONDS = 0.5


class LoopThread:
    """Runs coroutines that other threads give it.

    Its thread is a daemon: one that hangs in somebody's code does not keep the interpreter from ending. No method
    waits without a limit but :meth:`call`.
    """

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, Result]) -> "Future[Result]":
        """Begin it; cancelling the future cancels it, and does not wait for that."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def call(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """What it returns; it is cancelled where the wait is broken off."""
        return wait_for_result(self.start(coroutine))

    def close(self, last: Coroutine[Any, Any, Any], *, within_seconds: float) -> bool:
        """Run a last coroutine, cancel everything else and end the thread; whether it has ended in time."""
        wait([self.start(last)], timeout=within_seconds)
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=2 * _LAST_SECONDS)
        return not self._thread.is_alive()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            # Through run_until_complete, so that anyio takes this task for the root that its worker threads end with.
            self._loop.run_until_complete(self._until_stopped())
        finally:
            asyncio.set_event_loop(None)
            self._loop.close()

    async def _until_stopped(self) -> None:
        await self._stop.wait()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        if rest:
            await asyncio.wait(rest, timeout=_LAST_SECONDS)
        await self._loop.shutdown_asyncgens()


def wait_for_result(future: "Future[Result]", *, on_wait: Callable[[], None] = lambda: None) -> Result:
    """The future's result; it is cancelled where the wait is broken off.

    Waits in slices: a signal that arrives just before a thread begins to wait is only noticed when the wait ends.
    Between them ``on_wait`` is called, which may raise.
    """
    try:
        while not wait([future], timeout=_SLICE_SECONDS).done:
            on_wait()
        return future.result()
    except BaseException:
        future.cancel()
        raise
