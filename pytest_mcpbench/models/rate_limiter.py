"""Rate limiter with an adaptive number of requests in flight: it grows with success and is halved by status 429."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

# Budget of requests or tokens of a minute, without I/O: the caller supplies the time.

_WINDOW_SECONDS = 60.0


@dataclass
class MinuteBudget:
    """Amount that may be used within any 60 seconds; a single use may exceed it, and then later uses wait longer."""

    amount: int
    _uses: deque[tuple[float, float]] = field(default_factory=deque)
    """Time and amount of each use in the last minute."""
    _used: float = 0.0

    def use(self, amount: float, now: float) -> None:
        """Count a use."""
        self._uses.append((now, amount))
        self._used += amount

    def wait_seconds(self, now: float, expected: float = 0.0) -> float:
        """Return the time until the next use fits in; ``expected`` is its amount plus that of the uses under way."""
        self._forget(now)
        excess = self._used + expected - self.amount
        for time, amount in self._uses:
            if excess <= 0:
                break
            excess -= amount
            wait = time + _WINDOW_SECONDS - now
            if excess <= 0:
                return max(0.0, wait)
        # More than the amount of a minute by itself: it fits in as soon as nothing else is in the window.
        return max(0.0, self._uses[-1][0] + _WINDOW_SECONDS - now) if excess > 0 and self._uses else 0.0

    def is_exceeded_by(self, amount: float) -> bool:
        """Return whether another amount would exceed the budget."""
        return self._used + amount > self.amount

    def _forget(self, now: float) -> None:
        while self._uses and self._uses[0][0] <= now - _WINDOW_SECONDS:
            self._used -= self._uses.popleft()[1]


_POLL_SECONDS = 0.25
"""Wait while the requests under way alone may use up a budget."""


@dataclass
class AdaptiveLimit:
    """Allowed requests in flight: additive increase, multiplicative decrease; the caller supplies the time."""

    limit: float = 256.0
    minimum: float = 1.0
    maximum: float = 1024.0
    cooldown_seconds: float = 5.0
    """Time in which further refusals do not halve the limit again; a burst of refusals counts once."""
    in_flight: int = 0
    paused_until: float = 0.0
    halved_at: float = float("-inf")

    @property
    def is_saturated(self) -> bool:
        """True if no further request may be sent now."""
        return self.in_flight >= int(self.limit)

    def record_success(self) -> None:
        """Raise the limit if it is exhausted; call it while the request still counts as in flight."""
        if self.is_saturated:
            self.limit = min(self.maximum, self.limit + 1 / self.limit)

    def record_rate_limit(self, now: float, retry_after_seconds: float | None = None) -> None:
        """Lower the limit, and pause for the time that the provider requested."""
        if retry_after_seconds:
            self.paused_until = max(self.paused_until, now + retry_after_seconds)
        if now - self.halved_at >= self.cooldown_seconds:
            self.limit = max(self.minimum, min(self.limit, self.in_flight) / 2)
            self.halved_at = now


class RateLimiter:
    """Queue that admits requests to one model in order of arrival; all users of the model share it."""

    def __init__(
        self,
        adaptive_limit: AdaptiveLimit | None = None,
        *,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
    ) -> None:
        self.adaptive_limit = adaptive_limit or AdaptiveLimit()
        self._requests = MinuteBudget(requests_per_minute) if requests_per_minute else None
        self._tokens = MinuteBudget(tokens_per_minute) if tokens_per_minute else None
        self._mean_tokens = 0.0
        self._under_way = 0
        """Requests that were sent and are not finished; unlike those in flight, none of them waits for a budget."""
        self._waiting: deque[anyio.Event] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold a slot for one request: entered when it may be sent, left when it is over."""
        await self._acquire()
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._release()

    def record_success(self) -> None:
        """Report that the request in the slot succeeded."""
        self.adaptive_limit.record_success()

    def record_tokens(self, tokens: int) -> None:
        """Report the tokens of a finished request."""
        if self._tokens is not None:
            self._tokens.use(tokens, anyio.current_time())
            self._mean_tokens = tokens if not self._mean_tokens else 0.8 * self._mean_tokens + 0.2 * tokens

    def record_rate_limit(self, retry_after_seconds: float | None = None) -> None:
        """Report that the provider answered 429."""
        self.adaptive_limit.record_rate_limit(anyio.current_time(), retry_after_seconds)

    @property
    def pause_seconds(self) -> float:
        """Remaining seconds of a pause that the provider requested; 0 if there is none."""
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
        while (wait := max(self.pause_seconds, self._budget_seconds())) > 0:
            await anyio.sleep(wait)
        if self._requests is not None:
            self._requests.use(1, anyio.current_time())

    def _budget_seconds(self) -> float:
        """Return the time until the budgets of a minute have room for a request."""
        now = anyio.current_time()
        waits = [self._requests.wait_seconds(now, 1)] if self._requests else []
        if self._tokens is not None:
            # Requests under way will use about as much as earlier ones.
            expected = self._under_way * self._mean_tokens
            waits.append(self._tokens.wait_seconds(now, expected + self._mean_tokens))
            if expected and self._tokens.is_exceeded_by(expected + self._mean_tokens):
                waits.append(_POLL_SECONDS)
        return max(waits, default=0.0)

    async def _wait_for_slot(self) -> None:
        """Wait until a finished request hands over its slot."""
        admission = anyio.Event()
        self._waiting.append(admission)
        try:
            await admission.wait()
        except BaseException:
            # Cancelled after it was admitted: the slot is already counted and must be handed on.
            if admission.is_set():
                self._release()
            else:
                self._waiting.remove(admission)
            raise

    def _admit_waiting(self) -> None:
        while self._waiting and not self.adaptive_limit.is_saturated:
            self.adaptive_limit.in_flight += 1
            self._waiting.popleft().set()
