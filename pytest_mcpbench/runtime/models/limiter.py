"""How many requests to one model may be in flight: more while all goes well, half when the provider says too many."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio


@dataclass
class Pace:
    """The rule (additive increase, multiplicative decrease), told the time by its caller."""

    limit: float = 256.0
    least: float = 1.0
    most: float = 1024.0
    cooldown_seconds: float = 5.0
    """One burst of refusals halves the limit once."""
    in_flight: int = 0
    paused_until: float = 0.0
    halved_at: float = float("-inf")

    @property
    def is_saturated(self) -> bool:
        return self.in_flight >= int(self.limit)

    def succeeded(self) -> None:
        """Called while the request still counts as in flight: only a limit that is used up is worth raising."""
        if self.is_saturated:
            self.limit = min(self.most, self.limit + 1 / self.limit)

    def refused(self, now: float, retry_after_seconds: float | None = None) -> None:
        """The provider answered 429."""
        if retry_after_seconds:
            self.paused_until = max(self.paused_until, now + retry_after_seconds)
        if now - self.halved_at >= self.cooldown_seconds:
            self.limit = max(self.least, min(self.limit, self.in_flight) / 2)
            self.halved_at = now


class Limiter:
    """Lets requests to one model through at its pace, first come, first served; shared by all that ask the model."""

    def __init__(self, pace: Pace | None = None) -> None:
        self.pace = pace or Pace()
        self._waiting: deque[anyio.Event] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """One request: entered when it may be sent, left when it is over."""
        await self._enter()
        try:
            yield
        finally:
            self._leave()

    def succeeded(self) -> None:
        self.pace.succeeded()

    def refused(self, retry_after_seconds: float | None = None) -> None:
        self.pace.refused(anyio.current_time(), retry_after_seconds)

    @property
    def pause_seconds(self) -> float:
        """How long no request is sent, because the provider asked for it; 0 where it did not."""
        return max(0.0, self.pace.paused_until - anyio.current_time())

    async def _enter(self) -> None:
        if self._waiting or self.pace.is_saturated:
            await self._queue()
        else:
            self.pace.in_flight += 1
        try:
            await self._outlast_pause()
        except BaseException:
            self._leave()
            raise

    def _leave(self) -> None:
        self.pace.in_flight -= 1
        self._admit()

    async def _outlast_pause(self) -> None:
        while (wait := self.pause_seconds) > 0:
            await anyio.sleep(wait)

    async def _queue(self) -> None:
        """Wait for a place; whoever leaves one hands it over."""
        turn = anyio.Event()
        self._waiting.append(turn)
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():
                self._leave()
            else:
                self._waiting.remove(turn)
            raise

    def _admit(self) -> None:
        while self._waiting and not self.pace.is_saturated:
            self.pace.in_flight += 1
            self._waiting.popleft().set()
