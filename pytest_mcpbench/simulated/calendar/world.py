"""Calendars and events over a context tree, with the rules of the macOS calendar store (EventKit).

The world can be used without a server: ``seed()`` is the initial tree of every attempt, and ``CalendarStore`` over a
:class:`~pytest_mcpbench.core.sandbox.World` lists, creates and updates events. The tree is ``{settings: {time_zone},
calendars: {id: calendar}}`` with::

    {calendar_id, title, default, read_only, events: {id: event}}
    {event_id, title, start_time, end_time, all_day, location, notes, reminder_offsets[], recurrence_rule,
      attendees[]}

Times are stored as wall-clock times in the time zone of the settings, without an offset (``2026-03-05T16:00:00``). A
time with an offset is converted to that zone; a time without one is assumed to be in it. The seed's zone is UTC.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

from dateutil.relativedelta import relativedelta
from dateutil.rrule import DAILY, FR, MO, MONTHLY, SA, SU, TH, TU, WE, WEEKLY, YEARLY, rrule
from dateutil.tz import gettz

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine.failure import MissingEntity, ToolFailure

_FREQUENCIES: tuple[Literal[3, 2, 1, 0], ...] = (DAILY, WEEKLY, MONTHLY, YEARLY)
"""Frequencies of ``dateutil``, indexed by EventKit's numbers, which start at 0."""

_DAYS = (SU, MO, TU, WE, TH, FR, SA)
"""Weekdays of ``dateutil``, in the order of EventKit's numbers, which start at 1."""


def occurrences(first: datetime, rule: Mapping[str, Any] | None, until: datetime) -> Iterable[datetime]:
    """Return the start times of an event's occurrences up to and including ``until``; without a rule, only ``first``.

    Times are wall-clock times in the calendar's time zone: a meeting at nine stays at nine when daylight saving time
    begins. The rule is ``{frequency: 0 daily … 3 yearly, interval, end_date, occurrence_count, days_of_week: [1 Sunday
    … 7 Saturday]}``; ``end_date`` is the last moment at which an occurrence may start.
    """
    if rule is None:
        return (first,) if first <= until else ()
    end = rule.get("end_date")
    starts = rrule(
        _FREQUENCIES[rule["frequency"]],
        dtstart=first,
        interval=rule.get("interval") or 1,
        count=rule.get("occurrence_count"),
        byweekday=[_DAYS[day - 1] for day in rule.get("days_of_week") or ()] or None,
        until=datetime.fromisoformat(end) if end else None,
    )
    return takewhile(lambda start: start <= until, starts)


SHAPE = Shape((Collection("calendars", id_field="calendar_id"), Collection("calendars[*].events", id_field="event_id")))
_LONGEST_RANGE = relativedelta(years=4)
"""Maximum length of a searched range; EventKit returns nothing later than four years after the start."""
_END_OF_DAY = timedelta(days=1, seconds=-1)
_EVENT_DEFAULTS: Mapping[str, Any] = {
    "all_day": False,
    "location": None,
    "notes": None,
    "reminder_offsets": [],
    "recurrence_rule": None,
    "attendees": [],
}


@cache
def seed() -> dict[str, Any]:
    """Return the initial calendars of an attempt, with 50 events; the result is cached and must not be modified."""
    tree: dict[str, Any] = json.loads(Path(__file__).with_name("seed.json").read_text(encoding="utf-8"))
    return tree


@dataclass(frozen=True)
class Occurrence:
    """One occurrence of an event, in wall-clock times of the calendar's time zone."""

    event: Mapping[str, Any]
    calendar: str
    """Title of the calendar."""
    start: datetime
    end: datetime


class CalendarStore:
    """The calendars of one attempt.

    Each method is a request; :class:`ToolFailure` carries the store's error message.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": _empty})

    def titles(self) -> list[str]:
        """Return the titles of the calendars in order."""
        return [calendar["title"] for calendar in self.tree.list("calendars")]

    def occurrences(self, start: datetime, end: datetime, title: str | None = None) -> list[Occurrence]:
        """Return the occurrences that overlap a range, sorted by start, from all calendars or from one."""
        calendar_id = None if title is None else self._calendar(title)["calendar_id"]
        range_start = self.wall_clock(start)
        range_end = min(self.wall_clock(end), range_start + _LONGEST_RANGE)
        overlapping = (
            each
            for each in self._all_until(range_end, calendar_id)
            if each.end > range_start or each.start == each.end == range_start
        )
        return sorted(overlapping, key=lambda each: (each.start, each.event["title"]))

    def event(self, event_id: str) -> dict[str, Any]:
        """Return the event with the id."""
        event: dict[str, Any] = self.tree.get(self._event_path(event_id))
        return event

    def create(self, fields: Mapping[str, Any], title: str | None = None) -> dict[str, Any]:
        """Create an event in the calendar with the title, or in the default calendar."""
        calendar = self._require_writable(self._calendar(title) if title else self.tree.get("calendars[primary]"))
        event_id = self._world.ids.uuid().upper()
        event = _validate_event({"event_id": event_id, **_EVENT_DEFAULTS, **self._stored_fields(fields)})
        self.tree.create(f"calendars[{calendar['calendar_id']}].events", event)
        return event

    def update(self, event_id: str, fields: Mapping[str, Any], title: str | None = None) -> dict[str, Any]:
        """Change fields of an event, including all its occurrences; ``title`` is the calendar to move it to."""
        path = self._event_path(event_id)
        self._require_writable(self.tree.get(path.rpartition(".")[0]))
        event = _validate_event(self.tree.get(path) | self._stored_fields(fields))
        target = self._require_writable(self._calendar(title))["calendar_id"] if title else None
        if target is None or path.startswith(f"calendars[{target}]."):
            self.tree.update(path, event)
        else:
            self.tree.delete(path)
            self.tree.create(f"calendars[{target}].events", event)
        return event

    def wall_clock(self, moment: datetime) -> datetime:
        """Convert a moment to a wall-clock time in the calendar's time zone, without an offset."""
        return moment if moment.tzinfo is None else moment.astimezone(self._zone()).replace(tzinfo=None)

    def in_utc(self, wall_clock: datetime) -> datetime:
        """Convert a wall-clock time in the calendar's time zone to UTC."""
        return wall_clock.replace(tzinfo=self._zone()).astimezone(UTC)

    def _zone(self) -> Any:
        return gettz(self.tree.get("settings.time_zone")) or UTC

    def _all_until(self, until: datetime, calendar_id: str | None) -> Iterator[Occurrence]:
        for match in self.tree.matches("calendars[*]" if calendar_id is None else f"calendars[{calendar_id}]"):
            for event in match.value.get("events", {}).values():
                first, last = _span(event)
                for start in occurrences(first, event.get("recurrence_rule"), until):
                    yield Occurrence(event, match.value["title"], start, start + (last - first))

    def _calendar(self, title: str) -> dict[str, Any]:
        calendars = self.tree.list("calendars", {"title": title}, limit=1)
        if not calendars:
            raise MissingEntity(f"Calendar: {title} does not exist")
        calendar: dict[str, Any] = calendars[0]
        return calendar

    def _event_path(self, event_id: str) -> str:
        for match in self.tree.matches("calendars[*]"):
            if event_id in match.value.get("events", {}):
                return f"{match.path}.events[{event_id}]"
        raise MissingEntity(f"Event with id: {event_id} does not exist")

    def _require_writable(self, calendar: dict[str, Any]) -> dict[str, Any]:
        if calendar.get("read_only"):
            raise ToolFailure('Error Domain=EKErrorDomain Code=6 "That calendar may not be modified."')
        return calendar

    def _stored_fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Convert fields to the form in which the tree stores them; fields that are ``None`` were not sent and are
        dropped.
        """
        return {name: self._as_json(value) for name, value in fields.items() if value is not None}

    def _as_json(self, value: Any) -> Any:
        if isinstance(value, datetime):
            return self.wall_clock(value).isoformat(timespec="seconds")
        if isinstance(value, Mapping):
            return self._stored_fields(value)
        if isinstance(value, list):
            return [self._as_json(part) for part in value]
        return int(value) if isinstance(value, IntEnum) else value


def _validate_event(event: dict[str, Any]) -> dict[str, Any]:
    """Check that the event does not end before it starts, and extend an all-day event to whole days."""
    start, end = _span(event)
    if end < start:
        raise ToolFailure('Error Domain=EKErrorDomain Code=4 "The start date must be before the end date."')
    if not event["all_day"]:
        return event
    first, last = start.replace(hour=0, minute=0, second=0), end.replace(hour=0, minute=0, second=0) + _END_OF_DAY
    return {**event, "start_time": first.isoformat(), "end_time": last.isoformat()}


def _span(event: Mapping[str, Any]) -> tuple[datetime, datetime]:
    return datetime.fromisoformat(event["start_time"]), datetime.fromisoformat(event["end_time"])


def _empty() -> dict[str, Any]:
    """Return the seed ``empty``: the calendars without events."""
    calendars = seed()
    return {**calendars, "calendars": {key: {**each, "events": {}} for key, each in calendars["calendars"].items()}}
