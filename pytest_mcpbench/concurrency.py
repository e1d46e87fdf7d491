"""Work at the same time: an event loop in a thread, and coroutines over many items."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, TypeVar

import anyio

# Event loop in a background thread that is abandoned if it does not end in time.

Result = TypeVar("Result")

_POLL_SECONDS = 0.2
_CANCEL_SECONDS = 0.5
_LATE_END = "Loop %r that handles pid %r is closed"
"""asyncio's warning about a process that ends after its loop (Python 3.11 to 3.13)."""


class LoopThread:
    """Event loop in a thread that runs coroutines submitted from other threads.

    No method but :meth:`call` waits without a limit.
    """

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        # A daemon: a coroutine that hangs in code of a user must not keep the interpreter from exiting.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, Result]) -> "Future[Result]":
        """Schedule a coroutine; cancelling the future cancels it and does not wait for its end."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def call(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Return the result of a coroutine; if the wait is interrupted, the coroutine is cancelled."""
        return wait_for_result(self.start(coroutine))

    def close(self, last: Coroutine[Any, Any, Any], *, within_seconds: float) -> bool:
        """Run a last coroutine, cancel all others and end the thread; return whether the thread ended in time."""
        wait([self.start(last)], timeout=within_seconds)
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=2 * _CANCEL_SECONDS)
        return not self._thread.is_alive()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        # anyio asks it for the library in each operation. Unless the thread is told, it looks for a current task.
        # It may not be installed, or be an old version without this attribute.
        with suppress(ImportError, AttributeError):
            import sniffio

            sniffio.thread_local.name = "asyncio"
        try:
            # Not run_forever(): anyio's worker threads end together with the task that was started by
            # run_until_complete(), which anyio finds through its callbacks (private; tried with anyio 4.16).
            self._run_to_completion(self._loop.create_task(self._until_stopped()))
        finally:
            asyncio.set_event_loop(None)
            logging.getLogger("asyncio").addFilter(self._is_news)
            self._loop.close()

    def _is_news(self, record: logging.LogRecord) -> bool:
        """Return whether a record is anything but the end of a process that this loop has started and left."""
        is_own = isinstance(record.args, tuple) and self._loop in record.args
        return not (is_own and record.msg == _LATE_END)

    def _run_to_completion(self, task: "asyncio.Task[None]") -> None:
        """Run the loop until the task is done, whatever other tasks raise."""
        while not task.done():
            # asyncio leaves the loop when any task raises one of these, and has stored it in that task. Raised by code
            # of a user, they would end the attempts of all others.
            with suppress(SystemExit, KeyboardInterrupt):
                self._loop.run_until_complete(task)

    async def _until_stopped(self) -> None:
        await self._stop.wait()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        if rest:
            await asyncio.wait(rest, timeout=_CANCEL_SECONDS)
        await self._loop.shutdown_asyncgens()


def wait_for_result(future: "Future[Result]", *, on_wait: Callable[[], None] = lambda: None) -> Result:
    """Return the result of a future; if the wait is interrupted, the future is cancelled.

    Args:
        future: Future to wait for.
        on_wait: Function that is called several times a second during the wait; an exception from it ends the wait.
    """
    try:
        # In slices, because a signal that arrives just before a thread blocks on a lock is noticed only when the
        # wait ends: a Ctrl-C would have no effect until the attempt is done.
        while not wait([future], timeout=_POLL_SECONDS).done:
            on_wait()
        return future.result()
    except BaseException:
        future.cancel()
        raise


# Application of a coroutine function to many items, some of them at the same time.

Item = TypeVar("Item")
Mapped = TypeVar("Mapped")


async def concurrent_map(
    items: Sequence[Item], work: Callable[[Item], Awaitable[Mapped]], *, concurrency: int
) -> list[Mapped]:
    """Return the results of ``work`` for all items, in their order; at most ``concurrency`` of them run at a time."""
    results: dict[int, Mapped] = {}
    slots = anyio.CapacityLimiter(concurrency)

    async def one(index: int, item: Item) -> None:
        async with slots:
            results[index] = await work(item)

    async with anyio.create_task_group() as group:
        for index, item in enumerate(items):
            group.start_soon(one, index, item)
    return [results[index] for index in range(len(items))]
