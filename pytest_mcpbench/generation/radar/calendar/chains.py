"""Requests that need two or three calls in a fixed order: list, create, update."""

from datetime import timedelta

from pytest_mcpbench.generation.radar.calendar.diary import (
    MEETINGS,
    Diary,
    at,
    creating,
    listing,
    moved,
    spoken,
    updating,
)
from pytest_mcpbench.generation.radar.request import Request, request


def chains(diary: Diary) -> list[Request]:
    """Eight requests, as in MCP-RADAR."""
    return [*_list_and_create(diary), *_list_and_update(diary), *_update_and_create(diary), _all_three(diary)]


def _list_and_create(diary: Diary) -> list[Request]:
    first, second, third = (diary.workday(free=(16, 18)) for _ in range(3))
    guest = diary.draw.choice(("Sofia", "Marcus", "Ian"))
    return [
        request(
            f"Go through my appointments on {spoken(first)} with me, then add "
            f'"Talk with {guest}" on that day from 16:00 to 16:30.',
            listing(first),
            creating(f"Talk with {guest}", at(first, 16), at(first, 16, 30)),
        ),
        request(
            f"What does {spoken(second)} look like? I ask because I want to visit the tailor then: once you have "
            "looked, "
            'put "Tailor" down for 17:00, half an hour.',
            listing(second),
            creating("Tailor", at(second, 17), at(second, 17, 30)),
        ),
        request(
            f"First show me the whole of {spoken(third)}; second, reserve 16:15 to 17:45 there under the name "
            '"Tax papers".',
            listing(third),
            creating("Tax papers", at(third, 16, 15), at(third, 17, 45)),
        ),
    ]


def _list_and_update(diary: Diary) -> list[Request]:
    placed, later = diary.event(among=MEETINGS), diary.event(longest=timedelta(hours=3))
    room = diary.draw.choice(("Meeting room Tide", "Studio Lumen"))
    return [
        request(
            f"List all that I have on {spoken(placed.start)}. After that, change the place of {placed} to {room}.",
            listing(placed.start.date()),
            updating(placed, location=room),
        ),
        request(
            f"Have a look at {spoken(later.start)} from morning to night and then let {later} start an hour later, "
            "with its length unchanged.",
            listing(later.start.date()),
            updating(later, **moved(later, later.start + timedelta(hours=1))),
        ),
    ]


def _update_and_create(diary: Diary) -> list[Request]:
    renamed, earlier = diary.event(), diary.event(longest=timedelta(hours=3))
    day, other = (diary.workday(free=(12, 14)) for _ in range(2))
    return [
        request(
            f'{renamed} is called "By phone" from now on. When you have changed that, make a new appointment '
            f'"Lunch in town" on {spoken(day)}, 12:00 to 13:00.',
            updating(renamed, title="By phone"),
            creating("Lunch in town", at(day, 12), at(day, 13)),
        ),
        request(
            f"Bring {earlier} forward by half an hour (same length), and after that enter "
            f'"Walk by the harbour" for {spoken(other)} from 12:30 to 13:15.',
            updating(earlier, **moved(earlier, earlier.start - timedelta(minutes=30))),
            creating("Walk by the harbour", at(other, 12, 30), at(other, 13, 15)),
        ),
    ]


def _all_three(diary: Diary) -> Request:
    event, day = diary.event(longest=timedelta(hours=2)), diary.workday(first=22, last=50, free=(9, 13))
    return request(
        f"Check {spoken(day)} in my calendar, move {event} to 9:00 on that day without changing its length, and "
        "finally "
        'keep 12:00 to 12:30 of the same day free as "Buffer".',
        listing(day),
        updating(event, **moved(event, at(day, 9))),
        creating("Buffer", at(day, 12), at(day, 12, 30)),
    )
