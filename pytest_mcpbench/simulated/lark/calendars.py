"""The account's calendars: which it sees, and what it may change in them."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Entities, ToolFailure
from pytest_mcpbench.simulated.lark.account import OPEN_ID, Account, Fields
from pytest_mcpbench.simulated.lark.fields import flat, nested
from pytest_mcpbench.simulated.lark.listing import END_OF_TIME, listed, seconds

_INVALID = "190002 invalid parameters in request"
_NO_CALENDAR = "191000 calendar not found"
_NO_CALENDAR_ID = "191001 invalid calendar_id"
_NO_ROLE = "191002 no calendar access_role"
_NO_EVENT = "193001 event not found"

_WRITERS = ("owner", "writer", "editor")
_TIMES = ("start_time", "end_time")
_SECONDS_OF_A_DAY = 86_400
_BLANK: Mapping[str, Any] = {
    "summary": "",
    "description": "",
    "visibility": "default",
    "free_busy_status": "busy",
    "status": "confirmed",
}
_BLANK_CALENDAR: Mapping[str, Any] = {
    "summary": "",
    "description": "",
    "color": -1,
    "is_deleted": False,
    "is_third_party": False,
}
_FIELD_OF_KIND: Mapping[str, str] = {"chat": "chat_id", "resource": "room_id", "third_party": "third_party_email"}


class Calendars:
    """Each method is a request and gives the ``data`` of its answer."""

    def __init__(self, world: World, account: Account) -> None:
        self._world = world
        self._account = account
        self._calendars = account.entities("calendars", _NO_CALENDAR)
        self._made: dict[str, str] = {}

    def all(self, params: dict[str, Any]) -> dict[str, Any]:
        """Every calendar that the account sees."""
        return listed("calendar_list", [_shown(each) for each in self._calendars.all()], params, 500, _INVALID)

    def primary(self, id_type: str) -> dict[str, Any]:
        """The account's own calendar."""
        path = f"{self._calendars.path}[primary]"
        if not self._account.tree.has(path):
            raise ToolFailure(_NO_CALENDAR)
        user_id = self._account.me.get(id_type, "")
        return {"calendars": [{"calendar": _shown(self._account.tree.get(path)), "user_id": user_id}]}

    def events(self, calendar_id: str, params: dict[str, Any]) -> dict[str, Any]:
        """The events that lie in a range of seconds at least in part, in the order of the calendar."""
        if "anchor_time" in params and not params.keys().isdisjoint(_TIMES):
            raise ToolFailure(_INVALID)
        begin = seconds(params.get("start_time", params.get("anchor_time", "0")), _INVALID)
        end = seconds(params.get("end_time", END_OF_TIME), _INVALID)
        found = [each for each in self._events(calendar_id).all() if _lies_in(each, begin, end)]
        return listed("items", [_shown_event(calendar_id, each) for each in found], params, 500, _INVALID)

    def event(self, calendar_id: str, event_id: str, params: dict[str, Any]) -> dict[str, Any]:
        """One event, with its first attendees where they are asked for."""
        event = self._events(calendar_id).get(event_id)
        shown = _shown_event(calendar_id, event)
        if params.get("need_attendee"):
            limit, id_type = int(params.get("max_attendee_num", 10)), params.get("user_id_type", OPEN_ID)
            attendees = list(event.get("attendees", {}).values())
            shown["attendees"] = [self._shown_attendee(each, id_type) for each in attendees[:limit]]
            shown["has_more_attendee"] = len(attendees) > limit
        return {"event": shown}

    def create(self, calendar_id: str, fields: Fields, key: str | None) -> dict[str, Any]:
        """A new event; a request with the idempotency key of an earlier one gives that one's event."""
        events = self._writable(calendar_id)
        made = self._made.get(f"{calendar_id} {key}") if key else None
        event_id = made or events.create(self._new_event(fields))["event_id"]
        self._made[f"{calendar_id} {key}"] = event_id
        return {"event": _shown_event(calendar_id, events.get(event_id))}

    def change(self, calendar_id: str, event_id: str, fields: Fields) -> dict[str, Any]:
        """Change an event; its times change only together."""
        events = self._writable(calendar_id)
        event = events.get(event_id)
        changes = _stored(fields)
        if all(name in fields for name in _TIMES):
            _check_times(fields)
            gone = [name for name in event if name.startswith(_TIMES) and name not in changes]
            self._account.tree.remove_fields(f"{events.path}[{event_id}]", *gone)
        else:
            changes = {name: value for name, value in changes.items() if not name.startswith(_TIMES)}
        return {"event": _shown_event(calendar_id, events.update(event_id, changes))}

    def invite(self, calendar_id: str, event_id: str, wanted: Sequence[Fields], id_type: str) -> dict[str, Any]:
        """Add attendees to an event; whoever is among them already stays as before."""
        attendees = self._writable(calendar_id).inside(event_id, "attendees", _NO_EVENT)
        if not wanted:
            raise ToolFailure(_INVALID)
        given = [self._attendee(each, id_type) for each in wanted]
        return {"attendees": [self._shown_attendee(self._added(attendees, each), id_type) for each in given]}

    def _events(self, calendar_id: str) -> Entities:
        if self._calendars.find(calendar_id) is None and "@" not in calendar_id:
            raise ToolFailure(_NO_CALENDAR_ID)
        return self._calendars.inside(calendar_id, "events", _NO_EVENT)

    def _writable(self, calendar_id: str) -> Entities:
        events = self._events(calendar_id)
        if self._calendars.get(calendar_id).get("role", "owner") not in _WRITERS:
            raise ToolFailure(_NO_ROLE)
        return events

    def _new_event(self, fields: Fields) -> dict[str, Any]:
        _check_times(fields)
        me = self._account.me
        organizer = {"event_organizer.user_id": me.get(OPEN_ID), "event_organizer.display_name": me.get("name")}
        return {
            "event_id": f"{self._world.ids.uuid()}_0",
            **_BLANK,
            **organizer,
            **_stored(fields),
            "create_time": str(int(self._world.now.timestamp())),
            "attendees": {},
        }

    def _attendee(self, wanted: Fields, id_type: str) -> dict[str, Any]:
        kind = wanted.get("type", "user")
        if kind == "user":
            user = self._account.user(wanted.get("user_id", ""), id_type)
            who = {"user_id": user["user_id"], "name": user["name"]}
        elif not wanted.get(_FIELD_OF_KIND[kind]):
            raise ToolFailure(_INVALID)
        else:
            who = {_FIELD_OF_KIND[kind]: wanted[_FIELD_OF_KIND[kind]], "name": wanted[_FIELD_OF_KIND[kind]]}
        optional = wanted.get("is_optional", False)
        return {"type": kind, **who, "is_organizer": False, "is_optional": optional, "rsvp_status": "needs_action"}

    def _added(self, attendees: Entities, attendee: dict[str, Any]) -> dict[str, Any]:
        identity = {name: value for name, value in attendee.items() if name.endswith(("_id", "_email"))}
        present = attendees.all(identity, limit=1)
        attendee_id = f"{attendee['type']}_{self._world.ids.number(10**17, 10**18 - 1)}"
        return present[0] if present else attendees.create({"attendee_id": attendee_id, **attendee})

    def _shown_attendee(self, attendee: Fields, id_type: str) -> dict[str, Any]:
        shown = {"display_name" if name == "name" else name: value for name, value in attendee.items()}
        user = {"user_id": self._account.named(shown["user_id"], id_type)} if "user_id" in shown else {}
        return {**shown, **user}


def _shown(calendar: Fields) -> dict[str, Any]:
    return {**_BLANK_CALENDAR, **{name: value for name, value in calendar.items() if name != "events"}}


def _shown_event(calendar_id: str, event: Fields) -> dict[str, Any]:
    own = {name: value for name, value in event.items() if name != "attendees"}
    return {**nested(own), "organizer_calendar_id": calendar_id}


def _stored(fields: Fields) -> dict[str, Any]:
    """The fields that an event keeps."""
    return flat({name: value for name, value in fields.items() if name != "need_notification"})


def _check_times(fields: Fields) -> None:
    begin, end = (fields[name] for name in _TIMES)
    if _moment(end) < _moment(begin) or ("date" in begin) != ("date" in end):
        raise ToolFailure(_INVALID)


def _moment(time: Fields) -> int:
    """Seconds of a time that is either a date or a timestamp."""
    if ("date" in time) == ("timestamp" in time):
        raise ToolFailure(_INVALID)
    if "timestamp" in time:
        return seconds(time["timestamp"], _INVALID)
    try:
        return (date.fromisoformat(time["date"]) - date(1970, 1, 1)).days * _SECONDS_OF_A_DAY
    except ValueError:
        raise ToolFailure(_INVALID) from None


def _lies_in(event: Fields, begin: int, end: int) -> bool:
    times = nested(event)
    return _moment(times["end_time"]) >= begin and _moment(times["start_time"]) <= end
