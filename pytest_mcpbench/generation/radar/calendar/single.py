"""Requests that one call answers: five for each of the four tools."""

from datetime import date, timedelta

from pytest_mcpbench.generation.radar.calendar.diary import (
    MEETINGS,
    TODAY,
    Diary,
    at,
    creating,
    listing,
    moved,
    spoken,
    updating,
)
from pytest_mcpbench.generation.radar.request import Request, ToolCall, request


def list_calendars(diary: Diary) -> list[Request]:
    """Questions whose answer is in the list of calendars."""
    known, missing = diary.draw.choice(diary.calendars()), diary.draw.choice(("Garden", "Football", "School"))
    call = ToolCall("list_calendars", {})
    return [
        request("Which calendars have I got?", call),
        request("Over how many different calendars are my appointments spread? Count the calendars, please.", call),
        request(f'Do I keep a calendar called "{missing}"? Check, do not guess.', call),
        request("I want to hand one of my calendars to Bea. Tell me all their names first.", call),
        request(f'My calendars: is it "{known}", or does it have another name? Look at what exists.', call),
    ]


def list_events(diary: Diary) -> list[Request]:
    """A day, a week, a weekend, a month, one calendar only."""
    day, other = diary.workday(), diary.workday()
    monday = TODAY + timedelta(days=7 * diary.draw.randint(1, 3))
    saturday = TODAY + timedelta(days=5 + 7 * diary.draw.randint(0, 2))
    name, month, end = diary.draw.choice(diary.months(date(2026, 4, 1), date(2026, 5, 1)))
    sunday = saturday + timedelta(days=1)
    return [
        request(f"What is in my diary on {spoken(day)}?", listing(day)),
        request(
            f"Read me everything from {spoken(monday)} up to and including the Friday of that week.",
            listing(monday, monday + timedelta(days=4)),
        ),
        request(
            f"Am I busy at the weekend of {saturday.day} and {sunday.day} {sunday:%B}? Look at both days together.",
            listing(saturday, sunday),
        ),
        request(
            f'Only my "{name}" calendar interests me: what does it hold for the whole of {month:%B %Y}?',
            listing(month, end, name),
        ),
        request(f"I may have to travel on {spoken(other)}. Which appointments would that hit?", listing(other)),
    ]


def create_event(diary: Diary) -> list[Request]:
    """Plain, with a place, in another calendar, with reminders, recurring; the title is given in quotes."""
    plain, placed, reminded = (diary.workday(free=(13, 15)) for _ in range(3))
    private = diary.workday(free=(17, 19))
    weekly = diary.workday(last=30, free=(8, 9))
    times, minutes = diary.draw.randint(4, 8), diary.draw.choice((15, 20, 30))
    supplier, place = (
        diary.draw.choice(("Oakline", "Keller Ceramics")),
        diary.draw.choice(("Café Anker", "Café Nord")),
    )
    name = diary.draw.choice([title for title in diary.calendars() if title != "Travel"])
    return [
        request(
            f'Enter "Call with {supplier}" for {spoken(plain)}, from 13:00 to 13:45.',
            creating(f"Call with {supplier}", at(plain, 13), at(plain, 13, 45)),
        ),
        request(
            f"On {spoken(placed)} at half past one I meet Priya for an hour at {place}. Note it, with the place, as "
            '"Coffee with Priya".',
            creating("Coffee with Priya", at(placed, 13, 30), at(placed, 14, 30), location=place),
        ),
        request(
            f'Please block 17:00 to 18:30 on {spoken(private)} in the calendar "{name}". Title: "Haircut".',
            creating("Haircut", at(private, 17), at(private, 18, 30), calendar_name=name),
        ),
        request(
            f'I need "Signing at the notary" in the calendar, {spoken(reminded)}, 14:00 till 15:00, and one alert '
            f"{minutes} minutes ahead of it.",
            creating("Signing at the notary", at(reminded, 14), at(reminded, 15), reminder_offsets=[minutes]),
        ),
        request(
            f'Starting on {spoken(weekly)}: "Language exchange", 8:00 to 8:30, once a week, {times} times altogether.',
            creating(
                "Language exchange",
                at(weekly, 8),
                at(weekly, 8, 30),
                recurrence_rule={"frequency": 1, "occurrence_count": times},
            ),
        ),
    ]


def update_event(diary: Diary) -> list[Request]:
    """Time, day, place, title, reminder of events that a few words point to."""
    elsewhere = diary.event(among=MEETINGS)
    later, renamed, reminded = (diary.event(longest=timedelta(hours=3)) for _ in range(3))
    shifted = diary.event(longest=timedelta(hours=2))
    hour, day = diary.draw.choice((7, 19)), diary.workday(first=22, last=50, free=(9, 12))
    place = diary.draw.choice(("Meeting room Pier", "Café Nord", "Quay 9"))
    name = diary.draw.choice(("To be confirmed", "Ask Julia first"))
    minutes = diary.draw.choice((25, 50, 90))
    return [
        request(
            f"Let {later} begin at {hour}:00 on the same day; it takes as long as planned.",
            updating(later, **moved(later, at(later.start.date(), hour))),
        ),
        request(f"{elsewhere} takes place somewhere else: {place}. Correct it.", updating(elsewhere, location=place)),
        request(f'Retitle {renamed} as "{name}".', updating(renamed, title=name)),
        request(
            f"I want to be alerted exactly once before {reminded}, namely {minutes} minutes ahead.",
            updating(reminded, reminder_offsets=[minutes]),
        ),
        request(
            f"Postpone {shifted} to {spoken(day)}, 9:30, without making it shorter or longer.",
            updating(shifted, **moved(shifted, at(day, 9, 30))),
        ),
    ]
