"""Calendars of the account: listing, reading and changing events according to its access role."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Entities, ToolFailure
from pytest_mcpbench.simulated.lark.account import OPEN_ID, Account, Fields
from pytest_mcpbench.simulated.lark.fields import flatten, nest
from pytest_mcpbench.simulated.lark.listing import END_OF_TIME, paginate, parse_seconds

_INVALID = "190002 invalid parameters in request"
_UNKNOWN_CALENDAR = "191000 calendar not found"
_INVALID_CALENDAR_ID = "191001 invalid calendar_id"
_NO_ACCESS_ROLE = "191002 no calendar access_role"
_UNKNOWN_EVENT = "193001 event not found"

_WRITERS = ("owner", "writer", "editor")
_TIMES = ("start_time", "end_time")
_SECONDS_PER_DAY = 86_400
_EVENT_DEFAULTS: Mapping[str, Any] = {
    "summary": "",
    "description": "",
    "visibility": "default",
    "free_busy_status": "busy",
    "status": "confirmed",
}
_CALENDAR_DEFAULTS: Mapping[str, Any] = {
    "summary": "",
    "description": "",
    "color": -1,
    "is_deleted": False,
    "is_third_party": False,
}
_ID_FIELD_BY_KIND: Mapping[str, str] = {"chat": "chat_id", "resource": "room_id", "third_party": "third_party_email"}


class Calendars:
    """The account's calendars; each method is a request and returns the ``data`` of its response."""

    def __init__(self, world: World, account: Account) -> None:
        self._world = world
        self._account = account
        self._calendars = account.entities("calendars", _UNKNOWN_CALENDAR)
        self._created_by_key: dict[str, str] = {}

    def all(self, params: dict[str, Any]) -> dict[str, Any]:
        """List all calendars that the account can see."""
        return paginate(
            "calendar_list", [_calendar_view(each) for each in self._calendars.all()], params, 500, _INVALID
        )

    def primary(self, id_type: str) -> dict[str, Any]:
        """Return the account's primary calendar."""
        path = f"{self._calendars.path}[primary]"
        if not self._account.tree.has(path):
            raise ToolFailure(_UNKNOWN_CALENDAR)
        user_id = self._account.me.get(id_type, "")
        return {"calendars": [{"calendar": _calendar_view(self._account.tree.get(path)), "user_id": user_id}]}

    def events(self, calendar_id: str, params: dict[str, Any]) -> dict[str, Any]:
        """List the events that overlap a range in seconds, in the order of the calendar."""
        if "anchor_time" in params and not params.keys().isdisjoint(_TIMES):
            raise ToolFailure(_INVALID)
        begin = parse_seconds(params.get("start_time", params.get("anchor_time", "0")), _INVALID)
        end = parse_seconds(params.get("end_time", END_OF_TIME), _INVALID)
        events: list[dict[str, Any]] = []
        for each in self._events(calendar_id).all():
            times = nest(each)
            if _to_seconds(times["end_time"]) >= begin and _to_seconds(times["start_time"]) <= end:
                events.append(each)
        return paginate("items", [_event_view(calendar_id, each) for each in events], params, 500, _INVALID)

    def event(self, calendar_id: str, event_id: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return an event, including its first attendees if they are requested."""
        event = self._events(calendar_id).get(event_id)
        view = _event_view(calendar_id, event)
        if params.get("need_attendee"):
            limit, id_type = int(params.get("max_attendee_num", 10)), params.get("user_id_type", OPEN_ID)
            attendees = list(event.get("attendees", {}).values())
            view["attendees"] = [self._attendee_view(each, id_type) for each in attendees[:limit]]
            view["has_more_attendee"] = len(attendees) > limit
        return {"event": view}

    def create(self, calendar_id: str, fields: Fields, key: str | None) -> dict[str, Any]:
        """Create an event; a request that repeats an idempotency key returns the existing event."""
        events = self._writable_events(calendar_id)
        event_id = self._created_by_key.get(f"{calendar_id} {key}") if key else None
        if not event_id:
            _check_times(fields)
            me = self._account.me
            new_event = {
                "event_id": f"{self._world.ids.uuid()}_0",
                **_EVENT_DEFAULTS,
                "event_organizer.user_id": me.get(OPEN_ID),
                "event_organizer.display_name": me.get("name"),
                **_stored_fields(fields),
                "create_time": str(int(self._world.now.timestamp())),
                "attendees": {},
            }
            event_id = events.create(new_event)["event_id"]
        self._created_by_key[f"{calendar_id} {key}"] = event_id
        return {"event": _event_view(calendar_id, events.get(event_id))}

    def change(self, calendar_id: str, event_id: str, fields: Fields) -> dict[str, Any]:
        """Change an event; its start and end change only if both are sent."""
        events = self._writable_events(calendar_id)
        event = events.get(event_id)
        changes = _stored_fields(fields)
        if all(name in fields for name in _TIMES):
            _check_times(fields)
            obsolete_fields = [name for name in event if name.startswith(_TIMES) and name not in changes]
            self._account.tree.remove_fields(f"{events.path}[{event_id}]", *obsolete_fields)
        else:
            changes = {name: value for name, value in changes.items() if not name.startswith(_TIMES)}
        return {"event": _event_view(calendar_id, events.update(event_id, changes))}

    def invite(self, calendar_id: str, event_id: str, requested: Sequence[Fields], id_type: str) -> dict[str, Any]:
        """Add attendees to an event; existing attendees are left unchanged."""
        attendees = self._writable_events(calendar_id).subcollection(event_id, "attendees", _UNKNOWN_EVENT)
        if not requested:
            raise ToolFailure(_INVALID)
        invitees: list[dict[str, Any]] = []
        for each in requested:
            kind = each.get("type", "user")
            if kind == "user":
                user = self._account.user(each.get("user_id", ""), id_type)
                who = {"user_id": user["user_id"], "name": user["name"]}
            elif not each.get(_ID_FIELD_BY_KIND[kind]):
                raise ToolFailure(_INVALID)
            else:
                who = {
                    _ID_FIELD_BY_KIND[kind]: each[_ID_FIELD_BY_KIND[kind]],
                    "name": each[_ID_FIELD_BY_KIND[kind]],
                }
            optional = each.get("is_optional", False)
            invitees.append(
                {"type": kind, **who, "is_organizer": False, "is_optional": optional, "rsvp_status": "needs_action"}
            )
        views: list[dict[str, Any]] = []
        for invitee in invitees:
            identity = {name: value for name, value in invitee.items() if name.endswith(("_id", "_email"))}
            existing = attendees.all(identity, limit=1)
            attendee_id = f"{invitee['type']}_{self._world.ids.number(10**17, 10**18 - 1)}"
            attendee = existing[0] if existing else attendees.create({"attendee_id": attendee_id, **invitee})
            views.append(self._attendee_view(attendee, id_type))
        return {"attendees": views}

    def _events(self, calendar_id: str) -> Entities:
        if self._calendars.find(calendar_id) is None and "@" not in calendar_id:
            raise ToolFailure(_INVALID_CALENDAR_ID)
        return self._calendars.subcollection(calendar_id, "events", _UNKNOWN_EVENT)

    def _writable_events(self, calendar_id: str) -> Entities:
        events = self._events(calendar_id)
        if self._calendars.get(calendar_id).get("role", "owner") not in _WRITERS:
            raise ToolFailure(_NO_ACCESS_ROLE)
        return events

    def _attendee_view(self, attendee: Fields, id_type: str) -> dict[str, Any]:
        view = {"display_name" if name == "name" else name: value for name, value in attendee.items()}
        user = {"user_id": self._account.convert_id(view["user_id"], id_type)} if "user_id" in view else {}
        return {**view, **user}


def _calendar_view(calendar: Fields) -> dict[str, Any]:
    return {**_CALENDAR_DEFAULTS, **{name: value for name, value in calendar.items() if name != "events"}}


def _event_view(calendar_id: str, event: Fields) -> dict[str, Any]:
    fields = {name: value for name, value in event.items() if name != "attendees"}
    return {**nest(fields), "organizer_calendar_id": calendar_id}


def _stored_fields(fields: Fields) -> dict[str, Any]:
    """Return the fields to store in an event."""
    return flatten({name: value for name, value in fields.items() if name != "need_notification"})


def _check_times(fields: Fields) -> None:
    begin, end = (fields[name] for name in _TIMES)
    if _to_seconds(end) < _to_seconds(begin) or ("date" in begin) != ("date" in end):
        raise ToolFailure(_INVALID)


def _to_seconds(time: Fields) -> int:
    """Convert a time that is either a date or a timestamp to seconds."""
    if ("date" in time) == ("timestamp" in time):
        raise ToolFailure(_INVALID)
    if "timestamp" in time:
        return parse_seconds(time["timestamp"], _INVALID)
    try:
        return (date.fromisoformat(time["date"]) - date(1970, 1, 1)).days * _SECONDS_PER_DAY
    except ValueError:
        raise ToolFailure(_INVALID) from None
