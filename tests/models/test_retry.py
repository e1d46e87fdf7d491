import pytest

from pytest_mcpbench.models.provider_error import ProviderError
from pytest_mcpbench.models.rate_limited_model import Jitter, RetryPolicy, wait_seconds

POLICY = RetryPolicy(
    attempts=4, announced_attempts=6, first_seconds=1.0, longest_seconds=3.0, longest_retry_after_seconds=60.0
)
BUSY = ProviderError("status", "busy", 503)


def waits(error: ProviderError, policy: RetryPolicy = POLICY, seed: int = 0) -> list[float | None]:
    jitter = Jitter(seed)
    return [wait_seconds(policy, error, attempts, jitter) for attempts in range(1, policy.attempts + 1)]


def test_waits_double_up_to_the_longest_with_jitter_and_end() -> None:
    *between, last = waits(BUSY)
    bounds = [(0.5, 1.0), (1.0, 2.0), (1.5, 3.0)]
    assert all(low <= (wait or 0) <= high for wait, (low, high) in zip(between, bounds, strict=True))
    assert last is None


def test_the_same_seed_waits_the_same() -> None:
    assert waits(BUSY, seed=3) == waits(BUSY, seed=3) != waits(BUSY, seed=4)


def test_the_wait_is_at_least_what_the_provider_asks_for() -> None:
    assert waits(ProviderError("status", "", 503, retry_after_seconds=20.0)) == [20.0, 20.0, 20.0, None]


def test_a_rate_limit_that_says_when_it_ends_is_waited_for_more_often() -> None:
    announced = ProviderError("status", "", 429, retry_after_seconds=20.0)
    assert [wait_seconds(POLICY, announced, attempts, Jitter(0)) for attempts in range(1, 7)] == [20.0] * 5 + [None]
    assert waits(ProviderError("status", "", 429))[-1] is None


NO_RETRY = {
    "a refusal": ProviderError("status", "", 400),
    "too long a wait": ProviderError("status", "", 429, retry_after_seconds=61.0),
}


@pytest.mark.parametrize("error", NO_RETRY.values(), ids=NO_RETRY.keys())
def test_what_will_not_pass_soon_is_not_tried_again(error: ProviderError) -> None:
    assert waits(error) == [None] * 4


def test_an_address_where_nothing_listens_is_tried_twice() -> None:
    first, *others = waits(ProviderError("unreachable", "refused"))
    assert first is not None
    assert others == [None, None, None]


def test_clients_draw_different_waits_unless_a_seed_is_given() -> None:
    shares = [[jitter.share() for _ in range(8)] for jitter in (Jitter(), Jitter(), Jitter(7), Jitter(7))]
    assert shares[0] != shares[1]
    assert shares[2] == shares[3]
    assert all(0.5 <= share <= 1 for each in shares for share in each)
