"""Small calendars of which a test says what matters."""

from pathlib import Path
from typing import Any

from pytest_mcpbench.core.sandbox import Sandbox, World
from pytest_mcpbench.simulated.calendar.world import CalendarStore


def an_event(event_id: str, start: str, end: str, **fields: Any) -> dict[str, Any]:
    given = {"event_id": event_id, "title": event_id, "start_time": start, "end_time": end, "all_day": False}
    blank: dict[str, Any] = {
        "location": None,
        "notes": None,
        "reminder_offsets": [],
        "recurrence_rule": None,
        "attendees": [],
    }
    return given | blank | fields


def a_tree(*events: dict[str, Any], zone: str = "UTC") -> dict[str, Any]:
    """Calendars ``Work`` (the default one, with the events), ``Home`` and ``Holidays``, which cannot be changed."""
    work = {"calendar_id": "w", "title": "Work", "default": True, "read_only": False}
    home = {"calendar_id": "h", "title": "Home", "default": False, "read_only": False, "events": {}}
    holidays = {"calendar_id": "x", "title": "Holidays", "default": False, "read_only": True}
    labour_day = an_event("may", "2026-05-01T00:00:00", "2026-05-01T23:59:59", all_day=True)
    return {
        "settings": {"time_zone": zone},
        "calendars": {
            "w": {**work, "events": {event["event_id"]: event for event in events}},
            "h": home,
            "x": {**holidays, "events": {"may": labour_day}},
        },
    }


def a_world(tree: Any = None) -> World:
    return Sandbox(path=Path("/nowhere"), identity="a-task", seeds={"calendar": tree}).world("calendar")


def a_store(*events: dict[str, Any], zone: str = "UTC") -> CalendarStore:
    return CalendarStore(a_world(a_tree(*events, zone=zone)))
