"""How often a request is repeated and how long to wait before: exponential, with jitter, as the provider asks."""

import random
from dataclasses import dataclass, field

from pytest_mcpbench.runtime.models.provider_error import ProviderError


@dataclass(frozen=True)
class RetryPolicy:
    """Bounds of repeating a request."""

    attempts: int = 5
    """Requests in all."""
    unreachable_attempts: int = 2
    """Requests in all where nothing listens at the address."""
    first_seconds: float = 1.0
    """Wait before the second request; each further one is twice as long."""
    longest_seconds: float = 60.0
    most_patience_seconds: float = 300.0
    """A provider that asks for a longer wait is not asked again."""


@dataclass
class Jitter:
    """Shares of a wait, 0.5 to 1, from a seed: clients that failed together must not return together."""

    seed: int = 0
    _random: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def share(self) -> float:
        return self._random.uniform(0.5, 1.0)


def wait_seconds(policy: RetryPolicy, error: ProviderError, attempts: int, jitter: Jitter) -> float | None:
    """The wait before the next request, after so many; ``None``: there is to be none."""
    most = policy.unreachable_attempts if error.kind == "unreachable" else policy.attempts
    asked = error.retry_after_seconds or 0.0
    if not error.is_worth_a_retry or attempts >= most or asked > policy.most_patience_seconds:
        return None
    backoff: float = min(policy.longest_seconds, policy.first_seconds * 2 ** (attempts - 1))
    return max(asked, backoff * jitter.share())
