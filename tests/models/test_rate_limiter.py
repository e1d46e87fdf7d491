import anyio
import anyio.lowlevel
import pytest

from pytest_mcpbench.models.rate_limiter import AdaptiveLimit, RateLimiter


def test_a_refusal_halves_what_is_in_flight_once_in_a_burst() -> None:
    adaptive_limit = AdaptiveLimit(limit=100, in_flight=16, cooldown_seconds=5)
    adaptive_limit.record_rate_limit(now=10)
    adaptive_limit.record_rate_limit(now=11)
    assert adaptive_limit.limit == 8
    adaptive_limit.in_flight = 8
    adaptive_limit.record_rate_limit(now=15)
    assert adaptive_limit.limit == 4


def test_the_limit_never_falls_below_the_least() -> None:
    adaptive_limit = AdaptiveLimit(limit=1.5, in_flight=1)
    adaptive_limit.record_rate_limit(now=0)
    assert adaptive_limit.limit == 1


def test_success_raises_the_limit_by_one_for_each_full_round() -> None:
    adaptive_limit = AdaptiveLimit(limit=4, in_flight=4, maximum=5)
    for _ in range(4):
        adaptive_limit.record_success()
    assert 4.8 < adaptive_limit.limit <= 5


def test_success_below_the_limit_says_nothing_about_it() -> None:
    adaptive_limit = AdaptiveLimit(limit=4, in_flight=3)
    adaptive_limit.record_success()
    assert adaptive_limit.limit == 4


def test_pauses_are_joined_and_not_shortened() -> None:
    adaptive_limit = AdaptiveLimit()
    adaptive_limit.record_rate_limit(now=10, retry_after_seconds=5)
    adaptive_limit.record_rate_limit(now=11, retry_after_seconds=1)
    assert adaptive_limit.paused_until == 15


async def _most_at_once(limiter: RateLimiter, requests: int) -> int:
    running = maximum = 0

    async def request() -> None:
        nonlocal running, maximum
        async with limiter.slot():
            running += 1
            maximum = max(maximum, running)
            await anyio.lowlevel.checkpoint()
            running -= 1

    async with anyio.create_task_group() as group:
        for _ in range(requests):
            group.start_soon(request)
    return maximum


def test_no_more_requests_are_in_flight_than_the_limit() -> None:
    limiter = RateLimiter(AdaptiveLimit(limit=3))
    assert anyio.run(_most_at_once, limiter, 20) == 3
    assert limiter.adaptive_limit.in_flight == 0


def test_requests_that_wait_are_served_in_order() -> None:
    limiter = RateLimiter(AdaptiveLimit(limit=1))

    async def play() -> list[int]:
        order: list[int] = []
        release = anyio.Event()

        async def hold() -> None:
            async with limiter.slot():
                await release.wait()

        async def request(number: int) -> None:
            async with limiter.slot():
                order.append(number)

        async with anyio.create_task_group() as group:
            group.start_soon(hold)
            await anyio.wait_all_tasks_blocked()
            for number in range(5):
                group.start_soon(request, number)
                await anyio.wait_all_tasks_blocked()
            release.set()
        return order

    assert anyio.run(play) == [0, 1, 2, 3, 4]


def test_one_that_gives_up_waiting_takes_no_place_from_the_others() -> None:
    limiter = RateLimiter(AdaptiveLimit(limit=1))

    async def play() -> int:
        async with limiter.slot():
            with anyio.move_on_after(0.01):
                async with limiter.slot():
                    pass
        async with limiter.slot():
            return limiter.adaptive_limit.in_flight

    assert anyio.run(play) == 1
    assert limiter.adaptive_limit.in_flight == 0


def test_a_pause_holds_everyone() -> None:
    limiter = RateLimiter()

    async def play() -> float:
        began = anyio.current_time()
        limiter.record_rate_limit(0.05)
        await _most_at_once(limiter, 3)
        return anyio.current_time() - began

    assert anyio.run(play) >= 0.05


def test_one_that_gives_up_in_a_pause_leaves_its_place() -> None:
    limiter = RateLimiter()

    async def play() -> None:
        limiter.record_rate_limit(60)
        with anyio.move_on_after(0.01):
            async with limiter.slot():
                pass

    anyio.run(play)
    assert limiter.adaptive_limit.in_flight == 0


def test_an_error_in_a_request_frees_its_place() -> None:
    limiter = RateLimiter()

    async def play() -> None:
        async with limiter.slot():
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - it is the test's own
        anyio.run(play)
    assert limiter.adaptive_limit.in_flight == 0
