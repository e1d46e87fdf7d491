"""Attempts in flight: one event loop in a thread of its own, on which they wait side by side."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pytest_mcpbench.runtime.attempt import Attempt, AttemptResult, run_attempt
from pytest_mcpbench.runtime.loop_thread import LoopThread
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.server_pool import ServerPool

Result = TypeVar("Result")

CLOSE_SECONDS = 4.0
"""How long servers and connections may take to end by themselves; then they are killed and given up."""

SPARE = 2 + (os.cpu_count() or 1)
"""Attempts of which the servers are opened while those before them still act; as many as may start at once."""


class LocalExecutor:
    """The executor of one process; at most ``concurrency`` agents act at once, in the order in which they came.

    The servers of a few attempts behind them are opened meanwhile, so that an agent need not wait for its servers.
    """

    def __init__(self, *, concurrency: int, root: Path, models: Models) -> None:
        self._concurrency = concurrency
        self._pool = ServerPool(root=root, models=models)
        self._models = models
        self._places = asyncio.Semaphore(concurrency)
        self._opened = asyncio.Semaphore(concurrency + min(concurrency, SPARE))
        self._in_flight: set[asyncio.Task[Any]] = set()
        self._is_closed = False
        self._loop = LoopThread("mcpbench attempts")

    @property
    def active_count(self) -> int:
        """How many attempts are under way."""
        return min(len(self._in_flight), self._concurrency)

    def submit(self, attempt: Attempt) -> "Future[AttemptResult]":
        """Begin an attempt; cancelling the future cancels it."""
        return self._loop.start(self._known(partial(self._make, attempt)))

    def call(self, use: Callable[[ServerPool], Awaitable[Result]]) -> Result:
        """What ``use`` makes of the pool of servers; waits for it."""
        return self._loop.call(self._known(partial(use, self._pool)))

    def close(self) -> None:
        """Cancel what is in flight and stop every server; within bounded time, in whatever state they are."""
        if self._is_closed:
            return
        self._is_closed = True
        self._loop.close(self._end(), within_seconds=CLOSE_SECONDS)
        self._pool.kill()

    async def _make(self, attempt: Attempt) -> AttemptResult:
        async with self._opened:
            return await run_attempt(attempt, self._pool, self._places)

    async def _known(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Known to the loop, not only by its future: a Ctrl-C can come before the caller has got hold of that."""
        task = asyncio.current_task()
        assert task is not None
        self._in_flight.add(task)
        try:
            return await work()
        finally:
            self._in_flight.discard(task)

    async def _end(self) -> None:
        for task in self._in_flight:
            task.cancel()
        await asyncio.gather(self._pool.close(), *self._in_flight, return_exceptions=True)
        await self._models.aclose()
