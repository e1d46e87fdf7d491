# ruff: noqa: D417 (a tool's docstring is its description; it does not document the state and the request wrapper)
"""Calendar server: the four tools of the macOS calendar server ``mcp-ical`` over simulated calendars.

Names, parameters, results and errors match the real server, except that ``reminder_offsets`` works as documented (the
real code uses another name and drops the value). A failure sets ``isError``, where the real server returns only text.
"""

from datetime import datetime
from enum import IntEnum
from typing import Self

from pydantic import BaseModel, Field, model_validator

from pytest_mcpbench.simulated.calendar.world import CalendarStore, Occurrence
from pytest_mcpbench.simulated.engine import FASTMCP, Simulation, prefix_failures


class Frequency(IntEnum):
    """0 daily, 1 weekly, 2 monthly, 3 yearly."""

    DAILY = 0
    WEEKLY = 1
    MONTHLY = 2
    YEARLY = 3


class Weekday(IntEnum):
    """From 1, Sunday, to 7, Saturday."""

    SUNDAY = 1
    MONDAY = 2
    TUESDAY = 3
    WEDNESDAY = 4
    THURSDAY = 5
    FRIDAY = 6
    SATURDAY = 7


class RecurrenceRule(BaseModel):
    """How often an event takes place; it ends on a date, after a number of times, or never."""

    frequency: Frequency
    interval: int = Field(default=1, ge=1)
    end_date: datetime | None = None
    occurrence_count: int | None = None
    days_of_week: list[Weekday] | None = None

    @model_validator(mode="after")
    def _ends_in_one_way(self) -> Self:
        if self.end_date is not None and self.occurrence_count is not None:
            raise ValueError("Only one of end_date or occurrence_count can be set")
        return self


class CreateEventRequest(BaseModel):
    """A new event."""

    title: str
    start_time: datetime
    end_time: datetime
    notes: str | None = None
    location: str | None = None
    calendar_name: str | None = None
    all_day: bool = False
    reminder_offsets: list[int] | None = None
    recurrence_rule: RecurrenceRule | None = None


class UpdateEventRequest(BaseModel):
    """What is to change about an event; what is left out stays."""

    title: str | None = None
    start_time: datetime | None = None
    end_time: datetime | None = None
    notes: str | None = None
    location: str | None = None
    calendar_name: str | None = None
    all_day: bool | None = None
    reminder_offsets: list[int] | None = None
    recurrence_rule: RecurrenceRule | None = None


def list_calendars(store: CalendarStore) -> str:
    """Name the calendars that there are."""
    titles = store.titles()
    return "Available calendars:\n" + "\n".join(f"- {title}" for title in titles) if titles else "No calendars found"


def list_events(
    store: CalendarStore, start_date: datetime, end_date: datetime, calendar_name: str | None = None
) -> str:
    """Show the events of a range of days.

    Begin with midnight of the first day (00:00:00) and end with the last second of the last one (23:59:59), so that
    everything on these days is found.

    Args:
        start_date: Beginning of the range in ISO 8601, like 2026-03-02T00:00:00
        end_date: End of the range in ISO 8601, like 2026-03-08T23:59:59
        calendar_name: Only the events of this calendar
    """
    with prefix_failures("Error listing events", verbatim=True):
        occurrences = store.occurrences(start_date, end_date, calendar_name)
    return "".join(_text(store, each) for each in occurrences) or "No events found in the specified date range"


def create_event(store: CalendarStore, create_event_request: CreateEventRequest) -> str:
    """Put a new event into a calendar.

    Make sure of the date and the time before. Where the user has named no calendar, location, notes or reminders,
    ask for them; list_calendars has the names of the calendars.

    Args:
        title: What the event is called
        start_time: When it begins, in ISO 8601, like 2026-03-02T14:00:00
        end_time: When it ends, in ISO 8601
        notes: Notes about it
        location: Where it takes place
        calendar_name: Calendar that it goes into; without one, the default calendar
        all_day: Whether it takes the whole day
        reminder_offsets: Minutes before the beginning at which to remind, like [15, 1440] for a quarter of an hour
            and a day before
        recurrence_rule: How often it takes place, if more than once:
            - frequency: 0 daily, 1 weekly, 2 monthly, 3 yearly
            - interval: Every how many days, weeks, months or years
            - end_date: Last day on which it may take place
            - occurrence_count: How often it takes place in total; not together with end_date
            - days_of_week: Days of the week, from 1 for Sunday to 7 for Saturday
    """
    request = create_event_request.model_dump()
    with prefix_failures("Error creating event", verbatim=True):
        event = store.create(request, request.pop("calendar_name"))
    return f"Successfully created event: {event['title']} (ID: {event['event_id']})"


def update_event(store: CalendarStore, event_id: str, update_event_request: UpdateEventRequest) -> str:
    """Change an event; if it recurs, all its occurrences.

    Only the fields that are given change. Make sure of a new time before, and that a new calendar exists.

    Args:
        event_id: Identifier of the event, as list_events shows it
        title: What it is to be called
        start_time: When it is to begin, in ISO 8601
        end_time: When it is to end, in ISO 8601
        notes: Notes about it
        location: Where it is to take place
        calendar_name: Calendar that it moves to
        all_day: Whether it takes the whole day
        reminder_offsets: Minutes before the beginning at which to remind; they replace the present ones
        recurrence_rule: How often it takes place, as in create_event
    """
    request = update_event_request.model_dump()
    with prefix_failures("Error updating event", verbatim=True):
        event = store.update(event_id, request, request.pop("calendar_name"))
    return f"Successfully updated event: {event['title']}"


def _text(store: CalendarStore, occurrence: Occurrence) -> str:
    """Format an event the way the real server does."""
    event = occurrence.event
    facts = {
        "Identifier": event["event_id"],
        "Start Time": _moment(store, occurrence.start),
        "End Time": _moment(store, occurrence.end),
        "Calendar": occurrence.calendar,
        "Location": event.get("location") or "N/A",
        "Notes": event.get("notes") or "N/A",
        "Alarms (minutes before)": ", ".join(map(str, event.get("reminder_offsets") or ())) or "None",
        "URL": event.get("url") or "N/A",
        "All Day Event?": event["all_day"],
        "Status": "N/A",
        "Organizer": event.get("organizer") or "N/A",
        "Attendees": ", ".join(event.get("attendees") or ()) or "None",
    }
    lines = "".join(f" - {name}: {value},\n" for name, value in facts.items())
    rule = event.get("recurrence_rule")
    if rule is None:
        recurrence = "No recurrence"
    else:
        end = rule.get("end_date")
        recurrence = (
            f"Recurrence: {Frequency(rule['frequency']).name}, Interval: {rule.get('interval') or 1}, "
            f"End Date: {_moment(store, datetime.fromisoformat(end)) if end else 'N/A'}, "
            f"Occurrences: {rule.get('occurrence_count') or 'N/A'}"
        )
    return f"Event: {event['title']},\n{lines} - {recurrence}\n"


def _moment(store: CalendarStore, wall_clock: datetime) -> str:
    """Format a date the way macOS prints it, in UTC."""
    return f"{store.in_utc(wall_clock):%Y-%m-%d %H:%M:%S} +0000"


SIMULATION = Simulation(
    name="Calendar",
    state=CalendarStore,
    tools=(list_calendars, list_events, create_event, update_event),
    dialect=FASTMCP,
    resources={"calendars://list": list_calendars},
)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
