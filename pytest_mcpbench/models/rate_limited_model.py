"""Model for agents and judges: a backend with rate limiter, retries and prices."""

import math
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import anyio

from pytest_mcpbench.core.chat import CONTEXT_FULL, ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.models.ledger import Ledger
from pytest_mcpbench.models.model import Backend
from pytest_mcpbench.models.prices import Price
from pytest_mcpbench.models.provider_error import ProviderError
from pytest_mcpbench.models.rate_limiter import RateLimiter

# Deadline of a caller that waits for a reply, and the last error of the provider.

_LONGEST_MARGIN_SECONDS = 0.25
"""Longest time by which a repeated request ends before the caller stops waiting."""
_MARGIN_SHARE = 0.1
"""Share of the remaining time that is reserved so that the error still reaches the caller."""


class Deadline:
    """Point on the machine's monotonic clock until which a caller waits; ``None`` means forever."""

    def __init__(self, time_limit: float | None) -> None:
        self._time = math.inf
        if time_limit is not None:
            margin = (time_limit - time.monotonic()) * _MARGIN_SHARE
            self._time = time_limit - max(0.0, min(_LONGEST_MARGIN_SECONDS, margin))
        self.last_error: ProviderError | None = None
        """Error because of which the request is repeated."""

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline; 0 after it."""
        return max(0.0, self._time - time.monotonic())

    @contextmanager
    def limit_retry(self) -> Iterator[None]:
        """Cancel a repeated request at the deadline; a first request is not limited.

        Raises:
            ProviderError: the error because of which the request was repeated. It explains the failure better than a
                time-out, which the caller would otherwise report.
        """
        if self.last_error is None:
            yield
            return
        with anyio.move_on_after(self.seconds_left):
            yield
            return
        raise self.last_error


@dataclass(frozen=True)
class RetryPolicy:
    """Number of requests, and the exponential waits with jitter between them."""

    attempts: int = 5
    """Requests in all."""
    unreachable_attempts: int = 2
    """Requests in all if nothing listens at the address."""
    announced_attempts: int = 20
    """Requests in all as long as the provider says when its rate limit admits the next one."""
    first_seconds: float = 1.0
    """Wait before the second request; each further one is twice as long."""
    longest_seconds: float = 60.0
    longest_announced_seconds: float = 10.0
    """Wait if the provider says when its rate limit admits the next request, and this is sooner."""
    longest_retry_after_seconds: float = 300.0
    """If the provider requests a longer wait, the request is not repeated."""


@dataclass
class Jitter:
    """Random shares of a wait, from 0.5 to 1, so that clients that failed together do not return together.

    Each instance draws its own numbers unless a seed makes them repeatable.
    """

    seed: int | None = None
    _random: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def share(self) -> float:
        return self._random.uniform(0.5, 1.0)


def wait_seconds(policy: RetryPolicy, error: ProviderError, attempts: int, jitter: Jitter) -> float | None:
    """Return the wait after a number of failed attempts; ``None`` if the request must not be repeated."""
    most = policy.unreachable_attempts if error.kind == "unreachable" else policy.attempts
    longest = policy.longest_seconds
    if error.is_rate_limit and error.retry_after_seconds is not None:
        # Not a failure: with many attempts in flight on one key some are refused again and again, by chance.
        most, longest = policy.announced_attempts, policy.longest_announced_seconds
    asked = error.retry_after_seconds or 0.0
    if not error.is_retryable or attempts >= most or asked > policy.longest_retry_after_seconds:
        return None
    backoff: float = min(longest, policy.first_seconds * 2 ** (attempts - 1))
    return max(asked, backoff * jitter.share())


Result = TypeVar("Result")


@dataclass(frozen=True)
class RateLimitedModel:
    """Model that queues requests, retries failed ones and computes their cost."""

    name: str
    backend: Backend
    limiter: RateLimiter = field(default_factory=RateLimiter)
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    price: Price | None = None
    """Price for usage whose cost the provider does not report."""
    defaults: ModelSettings = field(default_factory=ModelSettings)
    """Settings for requests that do not have their own."""
    jitter: Jitter = field(default_factory=Jitter)
    ledger: Ledger = field(default_factory=Ledger)

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """Return the model's next message, see :class:`~pytest_mcpbench.models.model.Model`."""
        # The request's own settings take precedence, except that the lower limit of output applies. 0 is a value,
        # although it equals False.
        defaults = self.defaults
        unset = [name for name, value in settings if value is None or value is False]
        limits = [each.max_output_tokens for each in (settings, defaults) if each.max_output_tokens is not None]
        changes = {name: value for name, value in defaults if name in unset} | {
            "extra": {**defaults.extra, **settings.extra},
            "max_output_tokens": min(limits, default=None),
        }
        settings = settings.model_copy(update=changes)
        deadline = Deadline(settings.deadline)
        # The provider may have requested a pause of an earlier request.
        if (pause := self.limiter.pause_seconds) > deadline.seconds_left:
            raise ModelError(f"answered 429 and asked to wait; {_span(pause)} left", self.name, status=429)
        attempts = 0
        while True:
            attempts += 1
            try:
                with deadline.limit_retry():
                    reply = await self._send(lambda: self.backend.complete(messages, tools, settings), attempts)
                    self.limiter.record_tokens((reply.usage.input_tokens or 0) + (reply.usage.output_tokens or 0))
                    return self._with_cost(reply, attempts)
            except ProviderError as error:
                if error.kind == "context_full":
                    return Reply(finish_reason=CONTEXT_FULL, usage=Usage(), retries=attempts - 1)
                await self._wait_or_fail(error, attempts, deadline)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text."""
        attempts = 0
        while True:
            attempts += 1
            try:
                return await self._send(lambda: self.backend.embed(texts), attempts)
            except ProviderError as error:
                await self._wait_or_fail(error, attempts, Deadline(None))

    async def aclose(self) -> None:
        """Close the connections of the backend."""
        await self.backend.aclose()

    async def _send(self, request: Callable[[], Awaitable[Result]], attempts: int) -> Result:
        """Send one request as soon as the limiter admits it."""
        async with self.limiter.slot(is_repeated=attempts > 1) as number:
            try:
                result = await request()
            except ProviderError as error:
                self.limiter.has_answered |= error.kind != "unreachable"
                if error.is_rate_limit and error.is_retryable:
                    self.limiter.record_rate_limit(number, error.retry_after_seconds)
                raise
            self.limiter.has_answered = True
            self.limiter.record_success(number)
            return result

    async def _wait_or_fail(self, error: ProviderError, attempts: int, deadline: Deadline) -> None:
        wait = wait_seconds(self.retries, error, attempts, self.jitter)
        if wait is None or wait >= deadline.seconds_left:
            is_unreachable = error.kind == "unreachable"
            raise ModelError(
                error.problem,
                self.name,
                error.status,
                attempts,
                is_unreachable=is_unreachable,
                is_refused=error.is_refusal or (is_unreachable and not self.limiter.has_answered),
            ) from None
        deadline.last_error = error
        await anyio.sleep(wait)

    def _with_cost(self, reply: Reply, attempts: int) -> Reply:
        usage = reply.usage
        if usage.cost_usd is None and self.price is not None:
            usage = usage.model_copy(update={"cost_usd": self.price.cost(usage)})
        reply = reply.model_copy(update={"usage": usage, "retries": attempts - 1})
        self.ledger.add(self.name, reply)
        return reply


def _span(seconds: float) -> str:
    """Return ``20 seconds are``, ``3 hours are``: a number with one or two digits in the largest unit, rounded up."""
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * size:
            return f"{math.ceil(seconds / size):,} {unit}s are"
    return "1 second is" if seconds <= 1 else f"{math.ceil(seconds)} seconds are"
