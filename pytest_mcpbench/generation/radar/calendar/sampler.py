"""Random selection of days and events from the simulated calendars, with descriptions that fit exactly one event."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

from pytest_mcpbench.core.sandbox import DEFAULT_NOW
from pytest_mcpbench.generation.radar.request import GenerationError, ToolCall, fresh_world
from pytest_mcpbench.simulated.calendar.world import CalendarStore

TODAY = DEFAULT_NOW.date()

EVENTS: Mapping[str, str] = {
    "Budget review Harbour Hall": "the budget review tomorrow",
    "Call with Brightwire about the ring lamps": "my call with Brightwire",
    "Design review: wave wall": "the design review of the wave wall",
    "Interview with Shelf Life": "the interview with the magazine",
    "Focus: talk for Lisbon": "the time that I keep free for my Lisbon talk",
    "Portrait for the Interiors Forum": "the appointment at Studio Lumen",
    "Contract review with Bea": "the contract review with Bea",
    "Tiles for Mill Lane": "my visit to Keller Ceramics",
    "Dry run for the board": "the dry run on 16 March",
    "Visit of the Harmon board": "the visit of the Harmon board",
    "Visit of the reading room": "the tour of the reading room in Calder",
    "Lantern: cases arrive": "the arrival of the cases for Lantern",
    "First day of Hanna Weiss": "the welcome for Hanna Weiss",
    "Opening of Lantern": "the opening of Lantern",
    "Lamps for Harbour Hall arrive": "the delivery of the lamps",
    "Dentist": "my check-up at the dentist's",
    "Bicycle to the repair shop": "the errand with my bicycle",
    "Concert: Harbour Strings": "the concert at St. Anne's Hall",
    "Mum's 70th birthday": "Mum's party",
    "Fetch the cake from Elena": "the pick-up of the cake",
    "Petrova meeting": "the Petrova meeting this afternoon",
}
"""Title of a future, non-recurring event -> description that fits no other event."""

MEETINGS = (
    "Budget review Harbour Hall",
    "Design review: wave wall",
    "Contract review with Bea",
    "Dry run for the board",
    "Visit of the Harmon board",
    "Petrova meeting",
)
"""Titles of events that could plausibly take place somewhere else."""


@dataclass(frozen=True)
class Event:
    """An event with a description that fits no other event; ``str()`` returns the description."""

    words: str
    fields: Mapping[str, Any]

    def __str__(self) -> str:
        return self.words

    @property
    def id(self) -> str:
        return str(self.fields["event_id"])

    @property
    def start(self) -> datetime:
        return datetime.fromisoformat(self.fields["start_time"])

    @property
    def end(self) -> datetime:
        return datetime.fromisoformat(self.fields["end_time"])


class CalendarSampler:
    """Sampler that draws each event and each day at most once."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.store = CalendarStore(fresh_world("calendar"))
        self._taken: set[str] = set()
        self._days: set[date] = set()

    def event(self, *, longest: timedelta = timedelta(days=1), among: Collection[str] = EVENTS) -> Event:
        """Draw a future event."""
        found = [
            event
            for title in among
            if title not in self._taken
            and timedelta() < (event := self.event_titled(title)).end - event.start <= longest
        ]
        chosen = self.draw.choice(found)
        self._taken.add(chosen.fields["title"])
        return chosen

    def event_titled(self, title: str) -> Event:
        """Return the event with a title. Raises unless it is unique, not recurring and in the future."""
        found = [event for event in self._events() if event["title"] == title]
        if len(found) != 1 or found[0]["recurrence_rule"] or found[0]["start_time"] < TODAY.isoformat():
            raise GenerationError(f"{title!r} must be the title of exactly one future event that does not recur")
        return Event(EVENTS[title], found[0])

    def free_workday(self, *, first: int = 3, last: int = 50, free: tuple[int, int] | None = None) -> date:
        """Draw a weekday ``first`` to ``last`` days from today on which the hours are free."""
        days = [TODAY + timedelta(days=ahead) for ahead in range(first, last)]
        fitting = [day for day in days if day.weekday() < 5 and day not in self._days and self._is_free(day, free)]
        chosen = self.draw.choice(fitting)
        self._days.add(chosen)
        return chosen

    def calendars(self) -> list[str]:
        """Return the titles of the writable calendars except the default one."""
        return [
            calendar["title"]
            for calendar in self.store.tree.list("calendars")
            if not calendar["read_only"] and not calendar["default"]
        ]

    def months(self, *first_days: date) -> list[tuple[str, date, date]]:
        """Return calendar title, first and last day of every month in which the calendar has an event."""
        ends = [(day, (day + timedelta(days=31)).replace(day=1) - timedelta(days=1)) for day in first_days]
        return [
            (title, first, last)
            for title in self.calendars()
            for first, last in ends
            if self.store.occurrences(at(first, 0), at(last, 23, 59), title)
        ]

    def _is_free(self, day: date, hours: tuple[int, int] | None) -> bool:
        if hours is None:
            return True
        start, end = (datetime.combine(day, time(hour)) for hour in hours)
        return not self.store.occurrences(start, end)

    def _events(self) -> list[dict[str, Any]]:
        return [match.value for match in self.store.tree.matches("calendars[*].events[*]")]


def list_call(first: date, last: date | None = None, calendar: str | None = None) -> ToolCall:
    """Return the call that lists whole days, in the form that the tool's description asks for."""
    range_ = {"start_date": f"{first}T00:00:00", "end_date": f"{last or first}T23:59:59"}
    return ToolCall("list_events", range_ | ({"calendar_name": calendar} if calendar else {}))


def create_call(title: str, start: datetime, end: datetime, **fields: Any) -> ToolCall:
    """Return the call that creates an event."""
    event = {"title": title, "start_time": start.isoformat(), "end_time": end.isoformat(), **fields}
    return ToolCall("create_event", {"create_event_request": event})


def update_call(event: Event, **fields: Any) -> ToolCall:
    """Return the call that changes an event. Raises ``GenerationError`` if it would change nothing."""
    if all(event.fields.get(name) == value for name, value in fields.items()):
        raise GenerationError(f"{event}: the change has no effect")
    return ToolCall("update_event", {"event_id": event.id, "update_event_request": fields})


def moved_times(event: Event, start: datetime) -> dict[str, str]:
    """Return the new start and end of an event that is moved to ``start`` and keeps its duration."""
    return {"start_time": start.isoformat(), "end_time": (start + (event.end - event.start)).isoformat()}


def long_date(day: date) -> str:
    """Format a date with its weekday: ``Thursday 12 March``."""
    return f"{day:%A} {day.day} {day:%B}"


def at(day: date, hour: int, minute: int = 0) -> datetime:
    """Return a time on a day."""
    return datetime.combine(day, time(hour, minute))
