"""Retry policy for requests to a provider: the number of requests, and exponential waits with jitter between them."""

import random
from dataclasses import dataclass, field

from pytest_mcpbench.runtime.models.provider_error import ProviderError


@dataclass(frozen=True)
class RetryPolicy:
    """Bounds of repeating a request."""

    attempts: int = 5
    """Requests in all."""
    unreachable_attempts: int = 2
    """Requests in all if nothing listens at the address."""
    first_seconds: float = 1.0
    """Wait before the second request; each further one is twice as long."""
    longest_seconds: float = 60.0
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
    asked = error.retry_after_seconds or 0.0
    if not error.is_retryable or attempts >= most or asked > policy.longest_retry_after_seconds:
        return None
    backoff: float = min(policy.longest_seconds, policy.first_seconds * 2 ** (attempts - 1))
    return max(asked, backoff * jitter.share())
