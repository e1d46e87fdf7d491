"""Attempts in flight: one event loop in a thread of its own, on which they wait side by side."""

from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from pytest_mcpbench.runtime.arena import ServerPool
from pytest_mcpbench.runtime.attempt import Attempt, Made, make
from pytest_mcpbench.runtime.models.names import Models

Result = TypeVar("Result")


class Executor(Protocol):
    """Where attempts are made: on this process's loop or elsewhere."""

    def submit(self, attempt: Attempt) -> "Future[Made]":
        """Begin an attempt; cancelling the future cancels it."""
        ...

    def close(self) -> None:
        """Cancel what is in flight and stop every server."""
        ...


class Rollouts:
    """The executor of one process; at most ``concurrency`` attempts wait at once, in the order in which they came."""

    def __init__(self, *, concurrency: int, root: Path, models: Models) -> None:
        self._exits = ExitStack()
        self._portal: BlockingPortal = self._exits.enter_context(start_blocking_portal("asyncio"))
        self._pool: ServerPool = self._exits.enter_context(
            self._portal.wrap_async_context_manager(ServerPool(root=root))
        )
        self._exits.enter_context(self._portal.wrap_async_context_manager(models))
        self._places = self._portal.call(anyio.CapacityLimiter, concurrency)
        self._in_flight: set[anyio.CancelScope] = set()
        self._exits.callback(self._portal.call, self._cancel_all)

    def submit(self, attempt: Attempt) -> "Future[Made]":
        return self._start(self._make, attempt)

    def call(self, use: Callable[[ServerPool], Awaitable[Result]]) -> Result:
        """What ``use`` makes of the pool of servers; waits for it."""
        return self._start(use, self._pool).result()

    def close(self) -> None:
        self._exits.close()

    async def _make(self, attempt: Attempt) -> Made:
        async with self._places:
            return await make(attempt, self._pool)

    def _start(self, use: Callable[..., Awaitable[Result]], *arguments: Any) -> "Future[Result]":
        return self._portal.start_task_soon(self._within_scope, use, *arguments)

    async def _within_scope(self, use: Callable[..., Awaitable[Result]], *arguments: Any) -> Result:
        """Known to the loop, not only by its future: a Ctrl-C can come before the caller has got hold of that."""
        with anyio.CancelScope() as scope:
            self._in_flight.add(scope)
            try:
                return await use(*arguments)
            finally:
                self._in_flight.discard(scope)
        raise CancelledError

    async def _cancel_all(self) -> None:
        for scope in tuple(self._in_flight):
            scope.cancel()
