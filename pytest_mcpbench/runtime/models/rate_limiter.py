"""How many requests to one model may be in flight: more while all goes well, half when the provider says too many."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio


@dataclass
class AdaptiveLimit:
    """The rule (additive increase, multiplicative decrease), told the time by its caller."""

    limit: float = 256.0
    minimum: float = 1.0
    maximum: float = 1024.0
    cooldown_seconds: float = 5.0
    """One burst of refusals halves the limit once."""
    in_flight: int = 0
    paused_until: float = 0.0
    halved_at: float = float("-inf")

    @property
    def is_saturated(self) -> bool:
        return self.in_flight >= int(self.limit)

    def record_success(self) -> None:
        """Called while the request still counts as in flight: only a limit that is used up is worth raising."""
        if self.is_saturated:
            self.limit = min(self.maximum, self.limit + 1 / self.limit)

    def record_rate_limit(self, now: float, retry_after_seconds: float | None = None) -> None:
        """The provider answered 429."""
        if retry_after_seconds:
            self.paused_until = max(self.paused_until, now + retry_after_seconds)
        if now - self.halved_at >= self.cooldown_seconds:
            self.limit = max(self.minimum, min(self.limit, self.in_flight) / 2)
            self.halved_at = now


class RateLimiter:
    """Lets requests to one model through at its pace, first come, first served; shared by all that ask the model."""

    def __init__(self, adaptive_limit: AdaptiveLimit | None = None) -> None:
        self.adaptive_limit = adaptive_limit or AdaptiveLimit()
        self._waiting: deque[anyio.Event] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """One request: entered when it may be sent, left when it is over."""
        await self._acquire()
        try:
            yield
        finally:
            self._release()

    def record_success(self) -> None:
        self.adaptive_limit.record_success()

    def record_rate_limit(self, retry_after_seconds: float | None = None) -> None:
        self.adaptive_limit.record_rate_limit(anyio.current_time(), retry_after_seconds)

    @property
    def pause_seconds(self) -> float:
        """How long no request is sent, because the provider asked for it; 0 where it did not."""
        return max(0.0, self.adaptive_limit.paused_until - anyio.current_time())

    async def _acquire(self) -> None:
        if self._waiting or self.adaptive_limit.is_saturated:
            await self._wait_for_slot()
        else:
            self.adaptive_limit.in_flight += 1
        try:
            await self._wait_out_pause()
        except BaseException:
            self._release()
            raise

    def _release(self) -> None:
        self.adaptive_limit.in_flight -= 1
        self._admit_waiting()

    async def _wait_out_pause(self) -> None:
        while (wait := self.pause_seconds) > 0:
            await anyio.sleep(wait)

    async def _wait_for_slot(self) -> None:
        """Wait for a place; whoever leaves one hands it over."""
        admission = anyio.Event()
        self._waiting.append(admission)
        try:
            await admission.wait()
        except BaseException:
            if admission.is_set():
                self._release()
            else:
                self._waiting.remove(admission)
            raise

    def _admit_waiting(self) -> None:
        while self._waiting and not self.adaptive_limit.is_saturated:
            self.adaptive_limit.in_flight += 1
            self._waiting.popleft().set()
