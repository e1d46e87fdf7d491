"""Calendar requests that need two or three calls in a fixed order: listing, creating, updating."""

from datetime import timedelta

from pytest_mcpbench.generation.radar.calendar.sampler import (
    MEETINGS,
    CalendarSampler,
    at,
    create_call,
    list_call,
    long_date,
    moved_times,
    update_call,
)
from pytest_mcpbench.generation.radar.request import Request, request


def chains(sampler: CalendarSampler) -> list[Request]:
    """Return eight requests, as many as in MCP-RADAR."""
    return [
        *_list_and_create_requests(sampler),
        *_list_and_update_requests(sampler),
        *_update_and_create_requests(sampler),
        _all_three(sampler),
    ]


def _list_and_create_requests(sampler: CalendarSampler) -> list[Request]:
    first, second, third = (sampler.free_workday(free=(16, 18)) for _ in range(3))
    guest = sampler.draw.choice(("Sofia", "Marcus", "Ian"))
    return [
        request(
            f"Go through my appointments on {long_date(first)} with me, then add "
            f'"Talk with {guest}" on that day from 16:00 to 16:30.',
            list_call(first),
            create_call(f"Talk with {guest}", at(first, 16), at(first, 16, 30)),
        ),
        request(
            f"What does {long_date(second)} look like? I ask because I want to visit the tailor then: once you have "
            "looked, "
            'put "Tailor" down for 17:00, half an hour.',
            list_call(second),
            create_call("Tailor", at(second, 17), at(second, 17, 30)),
        ),
        request(
            f"First show me the whole of {long_date(third)}; second, reserve 16:15 to 17:45 there under the name "
            '"Tax papers".',
            list_call(third),
            create_call("Tax papers", at(third, 16, 15), at(third, 17, 45)),
        ),
    ]


def _list_and_update_requests(sampler: CalendarSampler) -> list[Request]:
    placed, later = sampler.event(among=MEETINGS), sampler.event(longest=timedelta(hours=3))
    room = sampler.draw.choice(("Meeting room Tide", "Studio Lumen"))
    return [
        request(
            f"List all that I have on {long_date(placed.start)}. After that, change the place of {placed} to {room}.",
            list_call(placed.start.date()),
            update_call(placed, location=room),
        ),
        request(
            f"Have a look at {long_date(later.start)} from morning to night and then let {later} start an hour later, "
            "with its length unchanged.",
            list_call(later.start.date()),
            update_call(later, **moved_times(later, later.start + timedelta(hours=1))),
        ),
    ]


def _update_and_create_requests(sampler: CalendarSampler) -> list[Request]:
    renamed, earlier = sampler.event(), sampler.event(longest=timedelta(hours=3))
    day, other = (sampler.free_workday(free=(12, 14)) for _ in range(2))
    return [
        request(
            f'{renamed} is called "By phone" from now on. When you have changed that, make a new appointment '
            f'"Lunch in town" on {long_date(day)}, 12:00 to 13:00.',
            update_call(renamed, title="By phone"),
            create_call("Lunch in town", at(day, 12), at(day, 13)),
        ),
        request(
            f"Bring {earlier} forward by half an hour (same length), and after that enter "
            f'"Walk by the harbour" for {long_date(other)} from 12:30 to 13:15.',
            update_call(earlier, **moved_times(earlier, earlier.start - timedelta(minutes=30))),
            create_call("Walk by the harbour", at(other, 12, 30), at(other, 13, 15)),
        ),
    ]


def _all_three(sampler: CalendarSampler) -> Request:
    event, day = sampler.event(longest=timedelta(hours=2)), sampler.free_workday(first=22, last=50, free=(9, 13))
    return request(
        f"Check {long_date(day)} in my calendar, move {event} to 9:00 on that day without changing its length, and "
        "finally "
        'keep 12:00 to 12:30 of the same day free as "Buffer".',
        list_call(day),
        update_call(event, **moved_times(event, at(day, 9))),
        create_call("Buffer", at(day, 12), at(day, 12, 30)),
    )
