"""Rate limiter with an adaptive number of requests in flight: it follows what the provider admits."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count

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
        while self._uses and self._uses[0][0] <= now - _WINDOW_SECONDS:
            self._used -= self._uses.popleft()[1]
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


_POLL_SECONDS = 0.25
"""Wait while the requests under way alone may use up a budget."""


_TOLERATED_SHARE = 0.3
"""Share of refused requests up to which the limit stays: each is sent again, and few are refused many times."""
_SMALLEST_ROUND = 20
"""Requests of which a share can be told."""
_HELPFUL_SHARE = 2 / 3
"""Part of the share before that must not be exceeded under a lower limit; otherwise the lower limit did not help."""
_ROUNDS_HELD = 10
"""Rounds in which the limit stays after a lower one did not help."""
_FIRST_PROBE_SECONDS = 0.1
"""Time between the first two requests of a pause that find out whether it is needed."""


@dataclass
class Pause:
    """Time in which no request is sent because the provider said when it admits the next one.

    It ends early if a request succeeds that was sent after the refused one, because then the provider refuses for other
    reasons than a budget that is used up. To find out, one request is sent when an earlier one ends with success: a
    place may have become free. If it is refused too, the next one follows after twice the time.
    """

    until: float = 0.0
    _refused: int = 0
    """Number of the latest refused request."""
    _probe_at: float = 0.0
    _probe_seconds: float = 0.0
    _may_probe: bool = False

    def record_refusal(self, number: int, until: float, now: float) -> None:
        """Begin a pause or make it longer."""
        if now >= self.until:
            self._probe_seconds, self._probe_at = _FIRST_PROBE_SECONDS, now
        self.until = max(self.until, until)
        self._refused = max(self._refused, number)

    def record_success(self, number: int, now: float) -> bool:
        """End the pause or allow a probe; return whether another request may be sent now because of that."""
        if now >= self.until:
            return False
        if number > self._refused:
            self.until = 0.0
            return True
        if now >= self._probe_at and not self._may_probe:
            self._may_probe = True
            return True
        return False

    def admit(self, now: float) -> float:
        """Return 0 if a request may be sent now, otherwise the seconds to wait; a probe is admitted once."""
        if self._may_probe and now < self.until:
            self._may_probe = False
            self._probe_at = now + self._probe_seconds
            self._probe_seconds *= 2
            return 0.0
        return max(0.0, self.until - now)


@dataclass
class AdaptiveLimit:
    """Allowed requests in flight, adapted after each round of requests to the share that the provider refused.

    A provider with capacity for a part of the requests admits as many if the others are not sent, so that the limit
    falls to that part at once; it rises slowly. If the share is the same with a lower limit, the refusals have another
    cause, such as other users of the key, and fewer requests would only take longer.
    """

    limit: float = 256.0
    minimum: float = 1.0
    maximum: float = 1024.0
    in_flight: int = 0
    sent: int = 0
    """Number of the latest request."""
    _round_after: int = 0
    """Number of the latest request that was sent under another limit."""
    _finished: int = 0
    _refused: int = 0
    _most_in_flight: int = 0
    """Most requests in flight in this round."""
    _lowered: tuple[float, float] | None = None
    """Limit before it was lowered, and the share above which that did not help."""
    _rounds_held: int = 0

    @property
    def is_saturated(self) -> bool:
        """True if no further request may be sent now."""
        return self.in_flight >= int(self.limit)

    def record(self, number: int, *, is_refused: bool) -> None:
        """Count the end of a request; call it while the request still counts as in flight."""
        if number <= self._round_after:
            return
        self._finished += 1
        self._refused += is_refused
        self._most_in_flight = max(self._most_in_flight, self.in_flight)
        if self._finished >= max(_SMALLEST_ROUND, min(self._most_in_flight, self.limit)):
            share = self._refused / self._finished
            lowered, self._lowered = self._lowered, None
            self._rounds_held = max(0, self._rounds_held - 1)
            if lowered is not None and share > lowered[1]:
                self.limit = max(self.limit, lowered[0])
                self._rounds_held = _ROUNDS_HELD
            elif share > _TOLERATED_SHARE and not self._rounds_held:
                self._lowered = (self.limit, share * _HELPFUL_SHARE)
                self.limit = max(self.minimum, min(self._most_in_flight, self.limit) * (1 - share))
                self._round_after = self.sent
            elif share <= _TOLERATED_SHARE and self.is_saturated:
                self.limit = min(self.maximum, self.limit + 1)
            self._finished = self._refused = self._most_in_flight = 0


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
        self._pause = Pause()
        self._held: set[anyio.Event] = set()
        """Requests with a slot that wait for the end of the pause; set if one of them may be sent before."""
        self._requests = MinuteBudget(requests_per_minute) if requests_per_minute else None
        self._tokens = MinuteBudget(tokens_per_minute) if tokens_per_minute else None
        self._mean_tokens = 0.0
        self.has_answered = False
        """True as soon as the provider has answered a request, be it with an error."""
        self._under_way = 0
        """Requests that were sent and are not finished; unlike those in flight, none of them waits for a budget."""
        self._arrivals = count()
        self._waiting: list[tuple[bool, int, anyio.Event]] = []
        """Heap of those that wait: repeated requests first, each kind in order of arrival."""

    @asynccontextmanager
    async def slot(self, *, is_repeated: bool = False) -> AsyncIterator[int]:
        """Hold a slot for one request: entered with its number when it may be sent, left when it is over."""
        place = (not is_repeated, next(self._arrivals))
        if self._waiting or self.adaptive_limit.is_saturated:
            await self._wait_for_slot(place)
        else:
            self.adaptive_limit.in_flight += 1
        while not await self._is_admitted():
            if self.adaptive_limit.in_flight > int(self.adaptive_limit.limit):
                # The limit was lowered meanwhile: back into the queue, to the same place.
                self._release()
                await self._wait_for_slot(place)
        if self._requests is not None:
            self._requests.use(1, anyio.current_time())
        self._under_way += 1
        self.adaptive_limit.sent += 1
        try:
            yield self.adaptive_limit.sent
        finally:
            self._under_way -= 1
            self._release()

    def record_success(self, number: int) -> None:
        """Report that the request with a number succeeded."""
        self.adaptive_limit.record(number, is_refused=False)
        if self._pause.record_success(number, anyio.current_time()):
            for held in self._held:
                held.set()

    def record_tokens(self, tokens: int) -> None:
        """Report the tokens of a finished request."""
        if self._tokens is not None:
            self._tokens.use(tokens, anyio.current_time())
            self._mean_tokens = tokens if not self._mean_tokens else 0.8 * self._mean_tokens + 0.2 * tokens

    def record_rate_limit(self, number: int, retry_after_seconds: float | None = None) -> None:
        """Report that the provider answered the request with a number with 429."""
        self.adaptive_limit.record(number, is_refused=True)
        if retry_after_seconds:
            now = anyio.current_time()
            self._pause.record_refusal(number, now + retry_after_seconds, now)

    @property
    def pause_seconds(self) -> float:
        """Remaining seconds of a pause that the provider requested; 0 if there is none."""
        return max(0.0, self._pause.until - anyio.current_time())

    async def _is_admitted(self) -> bool:
        """Return whether the request with a slot may be sent now; wait if it may not."""
        try:
            if wait := self._budget_seconds():
                await anyio.sleep(wait)
                return False
            if wait := self._pause.admit(anyio.current_time()):
                await self._hold(wait)
                return False
        except BaseException:
            self._release()
            raise
        return True

    async def _hold(self, seconds: float) -> None:
        """Wait for a time, or until a request may be sent before."""
        held = anyio.Event()
        self._held.add(held)
        try:
            with anyio.move_on_after(seconds):
                await held.wait()
        finally:
            self._held.remove(held)

    def _release(self) -> None:
        self.adaptive_limit.in_flight -= 1
        while self._waiting and not self.adaptive_limit.is_saturated:
            self.adaptive_limit.in_flight += 1
            heappop(self._waiting)[-1].set()

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

    async def _wait_for_slot(self, place: tuple[bool, int]) -> None:
        """Wait until a finished request hands over its slot."""
        waiting = (*place, anyio.Event())
        heappush(self._waiting, waiting)
        try:
            await waiting[-1].wait()
        except BaseException:
            # Cancelled after it was admitted: the slot is already counted and must be handed on.
            if waiting[-1].is_set():
                self._release()
            else:
                self._waiting.remove(waiting)
                heapify(self._waiting)
            raise
