"""Many requests to a provider with a real capacity, on a clock that jumps from one event to the next."""

import asyncio
import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import anyio
import pytest

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.models.provider_error import ProviderError
from pytest_mcpbench.models.rate_limited_model import Jitter, RateLimitedModel

_REQUESTS = 600
_LATENCY_SECONDS = 0.1


class JumpingClock(asyncio.SelectorEventLoop):
    """Event loop whose time is that of its next event, so that waits take no time."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]  # what the base class keeps
            self._now = max(self._now, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


@dataclass
class LimitedProvider:
    """Provider that answers a request, or refuses it until a time."""

    refuse: Callable[[float, int], float | None]
    """Return the seconds of ``Retry-After`` for a request at a time beside others in flight; ``None`` admits it."""
    in_flight: int = 0

    async def complete(self, _messages: list[ChatMessage], _tools: list[ToolSpec], _settings: ModelSettings) -> Reply:
        if (wait := self.refuse(anyio.current_time(), self.in_flight)) is not None:
            await anyio.sleep(_LATENCY_SECONDS / 2)
            raise ProviderError("status", "answered 429", 429, wait)
        self.in_flight += 1
        await anyio.sleep(_LATENCY_SECONDS)
        self.in_flight -= 1
        return Reply(finish_reason="stop", usage=Usage())


def by_chance(share: float) -> Callable[[float, int], float | None]:
    draws = random.Random(7)
    return lambda _now, _in_flight: 1.0 if draws.random() < share else None


def each_window(requests: int, seconds: float) -> Callable[[float, int], float | None]:
    used: dict[int, int] = {}

    def refuse(now: float, _in_flight: int) -> float | None:
        window = int(now / seconds)
        used[window] = used.get(window, 0) + 1
        return None if used[window] <= requests else math.ceil((window + 1) * seconds - now)

    return refuse


def by_bucket(requests_per_second: float, size: float) -> Callable[[float, int], float | None]:
    tokens, filled_at = size, 0.0

    def refuse(now: float, _in_flight: int) -> float | None:
        nonlocal tokens, filled_at
        tokens, filled_at = min(size, tokens + (now - filled_at) * requests_per_second), now
        if tokens < 1:
            return 1.0
        tokens -= 1
        return None

    return refuse


def beyond(at_once: int) -> Callable[[float, int], float | None]:
    return lambda _now, in_flight: None if in_flight < at_once else 1.0


# A provider, and the seconds within which it could answer all requests.
PROVIDERS = {
    "one in five, by chance": (by_chance(0.2), 15),
    "40 in each second": (each_window(40, 1), _REQUESTS / 40),
    "300 in each minute": (each_window(300, 60), 2 * 60),
    "40 a second, saved for a quarter of one": (by_bucket(40, 10), _REQUESTS / 40),
    "10 at once": (beyond(10), _REQUESTS / 10 * _LATENCY_SECONDS),
}


@pytest.mark.parametrize(("refuse", "seconds"), PROVIDERS.values(), ids=PROVIDERS.keys())
def test_a_provider_is_used_to_about_its_capacity_and_no_request_is_lost(
    refuse: Callable[[float, int], float | None], seconds: float
) -> None:
    model = RateLimitedModel("limited", LimitedProvider(refuse), jitter=Jitter(7))  # type: ignore[arg-type]

    async def run() -> tuple[int, float]:
        replies: list[Reply] = []

        async def ask() -> None:
            replies.append(await model.complete([], [], ModelSettings()))

        async with anyio.create_task_group() as group:
            for _ in range(_REQUESTS):
                group.start_soon(ask)
        return len(replies), anyio.current_time()

    replies, simulated_seconds = anyio.run(run, backend_options={"loop_factory": JumpingClock})
    assert replies == _REQUESTS
    # The last request may have to wait as long as a single one waits at most.
    assert simulated_seconds < 1.5 * seconds + model.retries.longest_announced_seconds
