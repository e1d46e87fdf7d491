from functools import partial

import anyio
import anyio.lowlevel
import pytest

from pytest_mcpbench.models.rate_limiter import AdaptiveLimit, Pause, RateLimiter


def finish(adaptive_limit: AdaptiveLimit, *, admitted: int, refused: int = 0) -> None:
    """Let new requests end, at most as many as the limit allows together."""
    adaptive_limit.in_flight = int(adaptive_limit.limit)
    for index in range(admitted + refused):
        adaptive_limit.sent += 1
        adaptive_limit.record(adaptive_limit.sent, is_refused=index >= admitted)


def test_the_limit_falls_to_what_a_provider_admits_of_a_round() -> None:
    adaptive_limit = AdaptiveLimit(limit=100)
    finish(adaptive_limit, admitted=25, refused=75)
    assert adaptive_limit.limit == 25


def test_requests_sent_under_a_higher_limit_do_not_lower_it_again() -> None:
    adaptive_limit = AdaptiveLimit(limit=100, in_flight=100, sent=200)
    for number in range(1, 201):
        adaptive_limit.record(number, is_refused=number > 25)
    assert adaptive_limit.limit == 25


def test_a_lower_limit_that_does_not_help_is_taken_back() -> None:
    adaptive_limit = AdaptiveLimit(limit=100)
    finish(adaptive_limit, admitted=50, refused=50)
    assert adaptive_limit.limit == 50
    finish(adaptive_limit, admitted=25, refused=25)
    assert adaptive_limit.limit == 100
    finish(adaptive_limit, admitted=50, refused=50)
    assert adaptive_limit.limit == 100


def test_a_few_refusals_do_not_lower_the_limit() -> None:
    adaptive_limit = AdaptiveLimit(limit=100)
    finish(adaptive_limit, admitted=80, refused=20)
    assert adaptive_limit.limit == 101


def test_the_limit_never_falls_below_the_least() -> None:
    adaptive_limit = AdaptiveLimit(limit=20)
    finish(adaptive_limit, admitted=0, refused=20)
    assert adaptive_limit.limit == 1


def test_the_limit_rises_by_one_for_each_full_round_to_the_most() -> None:
    adaptive_limit = AdaptiveLimit(limit=20, maximum=21)
    for expected in (21, 21):
        finish(adaptive_limit, admitted=21)
        assert adaptive_limit.limit == expected


def test_success_below_the_limit_says_nothing_about_it() -> None:
    adaptive_limit = AdaptiveLimit(limit=20, in_flight=3)
    for number in range(1, 41):
        adaptive_limit.record(number, is_refused=False)
    assert adaptive_limit.limit == 20


def test_pauses_are_joined_and_not_shortened() -> None:
    pause = Pause()
    pause.record_refusal(1, until=15, now=10)
    pause.record_refusal(2, until=12, now=11)
    assert pause.admit(now=11) == 4


def test_a_request_sent_after_the_refused_one_ends_the_pause_with_its_success() -> None:
    pause = Pause()
    pause.record_refusal(7, until=60, now=0)
    assert pause.record_success(8, now=1)
    assert pause.admit(now=1) == 0


def test_in_a_pause_single_requests_find_out_at_growing_intervals_whether_it_is_needed() -> None:
    pause = Pause()
    pause.record_refusal(100, until=60, now=0)
    assert pause.admit(now=0) == 60
    sent = []
    for tenth in range(1, 50):
        pause.record_success(tenth, now=tenth / 10)
        sent += [tenth for _ in range(3) if not pause.admit(now=tenth / 10)]
    assert sent == [1, 2, 4, 8, 16, 32]


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
        limiter.record_rate_limit(1, 0.05)
        await _most_at_once(limiter, 3)
        return anyio.current_time() - began

    assert anyio.run(play) >= 0.05


def test_one_that_gives_up_in_a_pause_leaves_its_place() -> None:
    limiter = RateLimiter()

    async def play() -> None:
        limiter.record_rate_limit(1, 60)
        with anyio.move_on_after(0.01):
            async with limiter.slot():
                pass

    anyio.run(play)
    assert limiter.adaptive_limit.in_flight == 0


def test_one_whose_place_was_taken_back_in_a_pause_leaves_none_behind() -> None:
    limiter = RateLimiter(AdaptiveLimit(limit=2))

    async def play() -> None:
        limiter.record_rate_limit(1, 0.01)
        async with anyio.create_task_group() as group:
            for _ in range(2):
                group.start_soon(_most_at_once, limiter, 1)
            await anyio.wait_all_tasks_blocked()
            limiter.adaptive_limit.limit = 1
            with anyio.move_on_after(0.02):
                async with limiter.slot():
                    await anyio.sleep_forever()

    anyio.run(play)
    assert limiter.adaptive_limit.in_flight == 0


def test_a_repeated_request_is_admitted_before_new_ones() -> None:
    limiter = RateLimiter(AdaptiveLimit(limit=1))

    async def play() -> list[str]:
        order: list[str] = []

        async def request(name: str, *, is_repeated: bool) -> None:
            async with limiter.slot(is_repeated=is_repeated):
                order.append(name)

        async with anyio.create_task_group() as group, limiter.slot():
            group.start_soon(partial(request, "new", is_repeated=False))
            await anyio.wait_all_tasks_blocked()
            group.start_soon(partial(request, "repeated", is_repeated=True))
            await anyio.wait_all_tasks_blocked()
        return order

    assert anyio.run(play) == ["repeated", "new"]


def test_an_error_in_a_request_frees_its_place() -> None:
    limiter = RateLimiter()

    async def play() -> None:
        async with limiter.slot():
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - it is the test's own
        anyio.run(play)
    assert limiter.adaptive_limit.in_flight == 0
