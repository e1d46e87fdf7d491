"""The calendars: events over a context tree, with the rules of macOS's calendar store (EventKit).

The world can be read without a server: ``seed()`` is the tree in which every attempt begins, and ``CalendarStore`` over
a :class:`~pytest_mcpbench.core.sandbox.World` lists, creates and updates events. The tree is
``{settings: {time_zone}, calendars: {id: calendar}}`` with::

    {calendar_id, title, default, read_only, events: {id: event}}
    {event_id, title, start_time, end_time, all_day, location, notes, reminder_offsets[], recurrence_rule, attendees[]}

Time zone: times are kept as wall-clock times of the settings' zone, without an offset (``2026-03-05T16:00:00``). What
comes with an offset is converted to that zone, what comes without one is in it already. The seed's zone is UTC.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

from dateutil.relativedelta import relativedelta
from dateutil.tz import gettz

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.calendar.recurrence import occurrences
from pytest_mcpbench.simulated.engine.failure import MissingEntity, ToolFailure

SHAPE = Shape((Collection("calendars", id_field="calendar_id"), Collection("calendars[*].events", id_field="event_id")))
_LONGEST_RANGE = relativedelta(years=4)
"""EventKit looks no further than four years past the beginning of a range."""
_END_OF_DAY = timedelta(days=1, seconds=-1)
_BLANK: Mapping[str, Any] = {
    "all_day": False,
    "location": None,
    "notes": None,
    "reminder_offsets": [],
    "recurrence_rule": None,
    "attendees": [],
}


@cache
def seed() -> dict[str, Any]:
    """The calendars in which an attempt begins: 50 events; made once a process, and to be left as it is."""
    beginning: dict[str, Any] = json.loads(Path(__file__).with_name("seed.json").read_text(encoding="utf-8"))
    return beginning


@dataclass(frozen=True)
class Occurrence:
    """An event at one of its times: wall-clock times of the calendar's zone."""

    event: Mapping[str, Any]
    calendar: str
    """Its title."""
    start: datetime
    end: datetime


class CalendarStore:
    """The calendars of one attempt. Each method is a request; :class:`ToolFailure` has the store's message."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": _empty})

    def titles(self) -> list[str]:
        """The calendars' titles, in order."""
        return [calendar["title"] for calendar in self.tree.list("calendars")]

    def occurrences(self, start: datetime, end: datetime, title: str | None = None) -> list[Occurrence]:
        """What lies in a range at least in part, by beginning, in all calendars or one; recurring events expanded."""
        only = None if title is None else self._calendar(title)["calendar_id"]
        begin = self.wall_clock(start)
        until = min(self.wall_clock(end), begin + _LONGEST_RANGE)
        found = (each for each in self._all_until(until, only) if each.end > begin or each.start == each.end == begin)
        return sorted(found, key=lambda each: (each.start, each.event["title"]))

    def event(self, event_id: str) -> dict[str, Any]:
        """One event, whole."""
        found: dict[str, Any] = self.tree.get(self._place(event_id))
        return found

    def create(self, fields: Mapping[str, Any], title: str | None = None) -> dict[str, Any]:
        """A new event in the calendar with the title, or in the default one."""
        calendar = self._writable(self._calendar(title) if title else self.tree.get("calendars[primary]"))
        event_id = self._world.ids.uuid().upper()
        event = _checked({"event_id": event_id, **_BLANK, **self._stored(fields)})
        self.tree.create(f"calendars[{calendar['calendar_id']}].events", event)
        return event

    def update(self, event_id: str, fields: Mapping[str, Any], title: str | None = None) -> dict[str, Any]:
        """Change fields of an event, all its occurrences included, and move it where another calendar is named."""
        place = self._place(event_id)
        self._writable(self.tree.get(place.rpartition(".")[0]))
        event = _checked(self.tree.get(place) | self._stored(fields))
        target = self._writable(self._calendar(title))["calendar_id"] if title else None
        if target is None or place.startswith(f"calendars[{target}]."):
            self.tree.update(place, event)
        else:
            self.tree.delete(place)
            self.tree.create(f"calendars[{target}].events", event)
        return event

    def wall_clock(self, moment: datetime) -> datetime:
        """A moment as a wall-clock time of the calendar's zone, without an offset."""
        return moment if moment.tzinfo is None else moment.astimezone(self._zone()).replace(tzinfo=None)

    def in_utc(self, wall_clock: datetime) -> datetime:
        """A wall-clock time of the calendar's zone in UTC."""
        return wall_clock.replace(tzinfo=self._zone()).astimezone(UTC)

    def _zone(self) -> Any:
        return gettz(self.tree.get("settings.time_zone")) or UTC

    def _all_until(self, until: datetime, only: str | None) -> Iterator[Occurrence]:
        for match in self.tree.matches("calendars[*]" if only is None else f"calendars[{only}]"):
            for event in match.value.get("events", {}).values():
                first, last = _span(event)
                for start in occurrences(first, event.get("recurrence_rule"), until):
                    yield Occurrence(event, match.value["title"], start, start + (last - first))

    def _calendar(self, title: str) -> dict[str, Any]:
        found = self.tree.list("calendars", {"title": title}, limit=1)
        if not found:
            raise MissingEntity(f"Calendar: {title} does not exist")
        calendar: dict[str, Any] = found[0]
        return calendar

    def _place(self, event_id: str) -> str:
        for match in self.tree.matches("calendars[*]"):
            if event_id in match.value.get("events", {}):
                return f"{match.path}.events[{event_id}]"
        raise MissingEntity(f"Event with id: {event_id} does not exist")

    def _writable(self, calendar: dict[str, Any]) -> dict[str, Any]:
        if calendar.get("read_only"):
            raise ToolFailure('Error Domain=EKErrorDomain Code=6 "That calendar may not be modified."')
        return calendar

    def _stored(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Fields as the tree keeps them; those that are ``None`` were not asked for."""
        return {name: self._as_json(value) for name, value in fields.items() if value is not None}

    def _as_json(self, value: Any) -> Any:
        if isinstance(value, datetime):
            return self.wall_clock(value).isoformat(timespec="seconds")
        if isinstance(value, Mapping):
            return self._stored(value)
        if isinstance(value, list):
            return [self._as_json(part) for part in value]
        return int(value) if isinstance(value, IntEnum) else value


def _checked(event: dict[str, Any]) -> dict[str, Any]:
    """The event, stretched to whole days if it is all-day; it must not end before it begins."""
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
    """The seed ``empty``: the calendars without events."""
    whole = seed()
    return {**whole, "calendars": {key: {**each, "events": {}} for key, each in whole["calendars"].items()}}
