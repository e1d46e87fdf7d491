"""Executor that runs the attempts of one process concurrently on an event loop in a background thread."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pytest_mcpbench.agents.dispatchers import Dispatchers
from pytest_mcpbench.attempt.attempt import Attempt, AttemptResult
from pytest_mcpbench.attempt.run import run_attempt
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.concurrency import LoopThread
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.servers.isolation import NO_ISOLATION, Isolation

Result = TypeVar("Result")

CLOSE_SECONDS = 4.0
"""Time in which servers and connections may end by themselves; after it they are killed and abandoned."""

PRESTART_LIMIT = 2 + (os.cpu_count() or 1)
"""Maximum number of waiting attempts whose servers are already opened; equals the number of concurrent starts."""


class LocalExecutor:
    """Executor that lets at most ``concurrency`` agents act at the same time, in the order of submission.

    It opens the servers of a few waiting attempts in advance, so that an agent need not wait for its servers.
    """

    def __init__(
        self,
        *,
        concurrency: int,
        root: Path,
        models: Models,
        dispatchers: Dispatchers | None = None,
        isolation: Isolation = NO_ISOLATION,
    ) -> None:
        self._concurrency = concurrency
        self._pool = ServerPool(root=root, models=models, dispatchers=dispatchers, isolation=isolation)
        self._models = models
        # Two limits: the first admits an attempt to open its servers, the second lets its agent act.
        self._open_slots = asyncio.Semaphore(concurrency + min(concurrency, PRESTART_LIMIT))
        self._agent_slots = asyncio.Semaphore(concurrency)
        self._in_flight: set[asyncio.Task[Any]] = set()
        self._is_closed = False
        self._loop = LoopThread("mcpbench attempts")

    @property
    def active_count(self) -> int:
        """Number of attempts and direct calls that are under way, at most as many as agents may act at once."""
        return min(len(self._in_flight), self._concurrency)

    def submit(self, attempt: Attempt) -> "Future[AttemptResult]":
        """Start an attempt; cancelling the future cancels the attempt."""
        return self._loop.start(self._track(partial(self._run, attempt)))

    def call(self, use: Callable[[ServerPool], Awaitable[Result]]) -> Result:
        """Run ``use`` with the server pool on the loop, wait for it and return its result."""
        return self._loop.call(self._track(partial(use, self._pool)))

    def close(self) -> None:
        """Cancel everything in flight and stop every server; return within bounded time, whatever state they are in."""
        if self._is_closed:
            return
        self._is_closed = True
        self._loop.close(self._shut_down(), within_seconds=CLOSE_SECONDS)
        self._pool.kill()

    async def _run(self, attempt: Attempt) -> AttemptResult:
        async with self._open_slots:
            return await run_attempt(attempt, self._pool, self._agent_slots)

    async def _track(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Run ``work`` with its task registered as in flight."""
        # The future alone is not enough to cancel the work at the end: a Ctrl-C can interrupt the calling thread
        # before it has stored the future that submit() returns.
        task = asyncio.current_task()
        assert task is not None
        self._in_flight.add(task)
        try:
            return await work()
        finally:
            self._in_flight.discard(task)

    async def _shut_down(self) -> None:
        for task in self._in_flight:
            task.cancel()
        await asyncio.gather(self._pool.close(), *self._in_flight, return_exceptions=True)
        await self._models.aclose()
