"""Calendar domain: five requests for each of the four tools, and eight chains of the most important ones."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.sandbox import DEFAULT_NOW
from pytest_mcpbench.generation.radar.request import (
    AmbiguousRequestError,
    RadarRequest,
    check_reference_calls,
    fresh_world,
    source,
)
from pytest_mcpbench.generation.radar.templates import WrittenTemplate, drawing_functions, drawn_requests
from pytest_mcpbench.generation.source.files import read_entries, read_named_entries, read_values
from pytest_mcpbench.simulated.calendar.server import SIMULATION
from pytest_mcpbench.simulated.calendar.world import CalendarStore
from pytest_mcpbench.text.vocabulary import english_month, english_weekday

# Requests of the domain.


def requests(seed: int) -> list[RadarRequest]:
    """Return all requests of the domain, after checking that fresh calendars accept their reference calls."""
    draw = Random(f"{seed}/calendar")
    sampler = CalendarSampler(draw)
    values = {**read_values(source("calendar/words.yaml")), **drawing_functions(draw), **sampler.functions()}
    result = [each for template in templates() for each in drawn_requests(template, values, draw)]
    require_effects(result, sampler)
    check_reference_calls(result, SIMULATION, lambda: fresh_world("calendar"))
    return result


def templates() -> list[WrittenTemplate]:
    """Return the template of each tool, in the order of the server's tool list, and those of the chains."""
    of_tools = read_named_entries(source("calendar/single.yaml"), WrittenTemplate)
    return [
        *(of_tools[tool] for tool in SIMULATION.table),
        *read_entries(source("calendar/chains.yaml"), WrittenTemplate),
    ]


def require_effects(requests: Iterable[RadarRequest], sampler: "CalendarSampler") -> None:
    """Raise ``TaskError`` for a change of an event that changes nothing: doing nothing would pass its task."""
    for request in requests:
        for call in request.calls:
            if call.tool == "update_event":
                fields = sampler.fields(str(call.arguments["event_id"]))
                changes = dict(call.arguments["update_event_request"])  # type: ignore[arg-type]  # an object
                if all(fields.get(name) == value for name, value in changes.items()):
                    raise TaskError(f"{request.prompt!r}: the change has no effect.", request.place)


# Random selection of days and events from the simulated calendars, with descriptions that fit exactly one event.

TODAY = DEFAULT_NOW.date()


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
        self._described = read_values(source("calendar/words.yaml"))["events"]
        self._taken: set[str] = set()
        self._days: set[date] = set()

    def functions(self) -> dict[str, Any]:
        """Return what templates of requests can use."""
        methods = (self.event, self.free_day, self.calendars, self.months)
        return {
            "today": TODAY,
            "at": at,
            "moved": moved,
            "day_name": day_name,
            "hours": lambda count: timedelta(hours=count),
            **{each.__name__: each for each in methods},
        }

    def event(self, *, longest_hours: int = 24, among: Collection[str] = ()) -> Event:
        """Draw a future event."""
        found = [
            event
            for title in among or self._described
            if title not in self._taken
            and timedelta() < (event := self.event_titled(title)).end - event.start <= timedelta(hours=longest_hours)
        ]
        chosen = self.draw.choice(found)
        self._taken.add(chosen.fields["title"])
        return chosen

    def event_titled(self, title: str) -> Event:
        """Return the event with a title. Raises unless it is unique, not recurring and in the future."""
        found = [event for event in self._events() if event["title"] == title]
        if len(found) != 1 or found[0]["recurrence_rule"] or found[0]["start_time"] < TODAY.isoformat():
            raise AmbiguousRequestError(f"{title!r} must be the title of exactly one future event that does not recur")
        return Event(self._described[title], found[0])

    def free_day(self, *, first: int = 3, last: int = 50, free: tuple[int, int] | None = None) -> date:
        """Draw a weekday ``first`` to ``last`` days from today on which the hours are free."""
        days = [TODAY + timedelta(days=ahead) for ahead in range(first, last)]
        fitting = [
            day
            for day in days
            if day.weekday() < 5
            and day not in self._days
            and (free is None or not self.store.occurrences(at(day, free[0]), at(day, free[1])))
        ]
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

    def months(self, first_days: Iterable[date]) -> list[tuple[str, date, date]]:
        """Return calendar title, first and last day of every month in which the calendar has an event."""
        ends = [(day, (day + timedelta(days=31)).replace(day=1) - timedelta(days=1)) for day in first_days]
        return [
            (title, first, last)
            for title in self.calendars()
            for first, last in ends
            if self.store.occurrences(at(first, 0), at(last, 23, 59), title)
        ]

    def fields(self, event_id: str) -> dict[str, Any]:
        """Return the fields of an event."""
        return next(event for event in self._events() if event["event_id"] == event_id)

    def _events(self) -> list[dict[str, Any]]:
        return [match.value for match in self.store.tree.matches("calendars[*].events[*]")]


def moved(event: Event, start: datetime) -> dict[str, str]:
    """Return the new start and end of an event that is moved to ``start`` and keeps its duration."""
    return {"start_time": start.isoformat(), "end_time": (start + (event.end - event.start)).isoformat()}


def day_name(day: date) -> str:
    """Format a date with its weekday: ``Thursday 12 March``."""
    return f"{english_weekday(day.weekday())} {day.day} {english_month(day.month)}"


def at(day: date, hour: int, minute: int = 0) -> datetime:
    """Return a time on a day."""
    return datetime.combine(day, time(hour, minute))
