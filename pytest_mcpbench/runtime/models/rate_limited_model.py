"""The model that agents and judges use: a backend behind the limiter, the retries and the price list."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import anyio

from pytest_mcpbench.core.chat import CONTEXT_FULL, ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.trajectory import Usage
from pytest_mcpbench.runtime.models.backend import Backend
from pytest_mcpbench.runtime.models.deadline import Deadline
from pytest_mcpbench.runtime.models.ledger import Ledger
from pytest_mcpbench.runtime.models.prices import Price
from pytest_mcpbench.runtime.models.provider_error import ProviderError
from pytest_mcpbench.runtime.models.rate_limiter import RateLimiter
from pytest_mcpbench.runtime.models.retry import Jitter, RetryPolicy, wait_seconds

Result = TypeVar("Result")


@dataclass(frozen=True)
class RateLimitedModel:
    """Requests wait for their place, are repeated where that may help, and know what they cost."""

    name: str
    backend: Backend
    limiter: RateLimiter = field(default_factory=RateLimiter)
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    price: Price | None = None
    """For usage of which the provider does not say the cost."""
    defaults: ModelSettings = field(default_factory=ModelSettings)
    """Of these, ``extra`` and ``takes_images`` are added to the settings of each request."""
    jitter: Jitter = field(default_factory=Jitter)
    ledger: Ledger = field(default_factory=Ledger)

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        settings = _with_defaults(settings, self.defaults)
        deadline = Deadline(settings.deadline)
        self._check_pause(deadline)
        attempts = 0
        while True:
            attempts += 1
            try:
                with deadline.limit_retry():
                    reply = await self._send(lambda: self.backend.complete(messages, tools, settings))
                    return self._with_cost(reply, attempts)
            except ProviderError as error:
                if error.kind == "context_full":
                    return Reply(finish_reason=CONTEXT_FULL, usage=Usage(), retries=attempts - 1)
                await self._wait_or_fail(error, attempts, deadline)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text."""
        attempts = 0
        while True:
            attempts += 1
            try:
                return await self._send(lambda: self.backend.embed(texts))
            except ProviderError as error:
                await self._wait_or_fail(error, attempts, Deadline(None))

    async def aclose(self) -> None:
        """Give back the backend's connections."""
        await self.backend.aclose()

    async def _send(self, request: Callable[[], Awaitable[Result]]) -> Result:
        """What comes of one request, which waits for its place."""
        async with self.limiter.slot():
            try:
                result = await request()
            except ProviderError as error:
                if error.is_rate_limit and error.is_retryable:
                    self.limiter.record_rate_limit(error.retry_after_seconds)
                raise
            self.limiter.record_success()
            return result

    async def _wait_or_fail(self, error: ProviderError, attempts: int, deadline: Deadline) -> None:
        wait = wait_seconds(self.retries, error, attempts, self.jitter)
        if wait is None or wait >= deadline.seconds_left:
            is_unreachable = error.kind == "unreachable"
            raise ModelError(error.problem, self.name, error.status, attempts, is_unreachable) from None
        deadline.last_error = error
        await anyio.sleep(wait)

    def _check_pause(self, deadline: Deadline) -> None:
        """Refuse a request that would have to wait too long because another was answered 429."""
        if (pause := self.limiter.pause_seconds) > deadline.seconds_left:
            raise ModelError(f"answered 429 and asked to wait; {pause:.3g} seconds are left", self.name, status=429)

    def _with_cost(self, reply: Reply, attempts: int) -> Reply:
        usage = reply.usage
        if usage.cost_usd is None and self.price is not None:
            usage = usage.model_copy(update={"cost_usd": self.price.cost(usage)})
        self.ledger.add(usage)
        return reply.model_copy(update={"usage": usage, "retries": attempts - 1})


def _with_defaults(settings: ModelSettings, defaults: ModelSettings) -> ModelSettings:
    """The settings with what the model itself needs; where both say something, the settings count."""
    if not defaults.extra and not defaults.takes_images:
        return settings
    return settings.model_copy(
        update={
            "extra": {**defaults.extra, **settings.extra},
            "takes_images": settings.takes_images or defaults.takes_images,
        }
    )
