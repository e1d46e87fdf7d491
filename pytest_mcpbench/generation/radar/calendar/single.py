"""Calendar requests that one call fulfils: five for each of the four tools."""

from datetime import date, timedelta

from pytest_mcpbench.generation.radar.calendar.sampler import (
    MEETINGS,
    TODAY,
    CalendarSampler,
    at,
    create_call,
    list_call,
    long_date,
    moved_times,
    update_call,
)
from pytest_mcpbench.generation.radar.request import Request, ToolCall, request


def list_calendars(sampler: CalendarSampler) -> list[Request]:
    """Return questions that the list of calendars answers."""
    known, missing = sampler.draw.choice(sampler.calendars()), sampler.draw.choice(("Garden", "Football", "School"))
    call = ToolCall("list_calendars", {})
    return [
        request("Which calendars have I got?", call),
        request("Over how many different calendars are my appointments spread? Count the calendars, please.", call),
        request(f'Do I keep a calendar called "{missing}"? Check, do not guess.', call),
        request("I want to hand one of my calendars to Bea. Tell me all their names first.", call),
        request(f'My calendars: is it "{known}", or does it have another name? Look at what exists.', call),
    ]


def list_events(sampler: CalendarSampler) -> list[Request]:
    """Return questions about a day, a week, a weekend, a month or a single calendar."""
    day, other = sampler.free_workday(), sampler.free_workday()
    monday = TODAY + timedelta(days=7 * sampler.draw.randint(1, 3))
    saturday = TODAY + timedelta(days=5 + 7 * sampler.draw.randint(0, 2))
    name, month, end = sampler.draw.choice(sampler.months(date(2026, 4, 1), date(2026, 5, 1)))
    sunday = saturday + timedelta(days=1)
    return [
        request(f"What is in my diary on {long_date(day)}?", list_call(day)),
        request(
            f"Read me everything from {long_date(monday)} up to and including the Friday of that week.",
            list_call(monday, monday + timedelta(days=4)),
        ),
        request(
            f"Am I busy at the weekend of {saturday.day} and {sunday.day} {sunday:%B}? Look at both days together.",
            list_call(saturday, sunday),
        ),
        request(
            f'Only my "{name}" calendar interests me: what does it hold for the whole of {month:%B %Y}?',
            list_call(month, end, name),
        ),
        request(f"I may have to travel on {long_date(other)}. Which appointments would that hit?", list_call(other)),
    ]


def create_event(sampler: CalendarSampler) -> list[Request]:
    """Return requests to create events: plain, with a place, in another calendar, with reminders, recurring."""
    plain, placed, reminded = (sampler.free_workday(free=(13, 15)) for _ in range(3))
    private = sampler.free_workday(free=(17, 19))
    weekly = sampler.free_workday(last=30, free=(8, 9))
    times, minutes = sampler.draw.randint(4, 8), sampler.draw.choice((15, 20, 30))
    supplier, place = (
        sampler.draw.choice(("Oakline", "Keller Ceramics")),
        sampler.draw.choice(("Café Anker", "Café Nord")),
    )
    name = sampler.draw.choice([title for title in sampler.calendars() if title != "Travel"])
    return [
        request(
            f'Enter "Call with {supplier}" for {long_date(plain)}, from 13:00 to 13:45.',
            create_call(f"Call with {supplier}", at(plain, 13), at(plain, 13, 45)),
        ),
        request(
            f"On {long_date(placed)} at half past one I meet Priya for an hour at {place}. Note it, with the place, as "
            '"Coffee with Priya".',
            create_call("Coffee with Priya", at(placed, 13, 30), at(placed, 14, 30), location=place),
        ),
        request(
            f'Please block 17:00 to 18:30 on {long_date(private)} in the calendar "{name}". Title: "Haircut".',
            create_call("Haircut", at(private, 17), at(private, 18, 30), calendar_name=name),
        ),
        request(
            f'I need "Signing at the notary" in the calendar, {long_date(reminded)}, 14:00 till 15:00, and one alert '
            f"{minutes} minutes ahead of it.",
            create_call("Signing at the notary", at(reminded, 14), at(reminded, 15), reminder_offsets=[minutes]),
        ),
        request(
            f'Starting on {long_date(weekly)}: "Language exchange", 8:00 to 8:30, once a week, {times} times '
            "altogether.",
            create_call(
                "Language exchange",
                at(weekly, 8),
                at(weekly, 8, 30),
                recurrence_rule={"frequency": 1, "occurrence_count": times},
            ),
        ),
    ]


def update_event(sampler: CalendarSampler) -> list[Request]:
    """Return requests to change time, day, place, title or reminder of a described event."""
    elsewhere = sampler.event(among=MEETINGS)
    later, renamed, reminded = (sampler.event(longest=timedelta(hours=3)) for _ in range(3))
    shifted = sampler.event(longest=timedelta(hours=2))
    hour, day = sampler.draw.choice((7, 19)), sampler.free_workday(first=22, last=50, free=(9, 12))
    place = sampler.draw.choice(("Meeting room Pier", "Café Nord", "Quay 9"))
    name = sampler.draw.choice(("To be confirmed", "Ask Julia first"))
    minutes = sampler.draw.choice((25, 50, 90))
    return [
        request(
            f"Let {later} begin at {hour}:00 on the same day; it takes as long as planned.",
            update_call(later, **moved_times(later, at(later.start.date(), hour))),
        ),
        request(
            f"{elsewhere} takes place somewhere else: {place}. Correct it.", update_call(elsewhere, location=place)
        ),
        request(f'Retitle {renamed} as "{name}".', update_call(renamed, title=name)),
        request(
            f"I want to be alerted exactly once before {reminded}, namely {minutes} minutes ahead.",
            update_call(reminded, reminder_offsets=[minutes]),
        ),
        request(
            f"Postpone {shifted} to {long_date(day)}, 9:30, without making it shorter or longer.",
            update_call(shifted, **moved_times(shifted, at(day, 9, 30))),
        ),
    ]
