"""Actions in Lark: calendars, chats and the company directory."""

import json
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, ReferenceCall, change, lookup
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.lark.seed import seed

SERVER = "lark_mcp"
SHANGHAI = timezone(timedelta(hours=8))


def read_chat(chat: str, *values: Any) -> Action:
    """Read the messages of a chat, identified by the key of its team, project or person."""
    params = {"container_id_type": "chat", "container_id": _chat(chat)["chat_id"], "page_size": 50}
    return lookup(SERVER, "im_v1_message_list", {"params": params}, f"read the Lark chat {_title(chat)}", *values)


def send_message(chat: str, text: str, *facts: Fact) -> Action:
    """Post to a chat or a person. A chat with the person may not exist yet."""
    arguments: dict[str, Any] = {
        "data": {"msg_type": "text", "content": json.dumps({"text": text}, ensure_ascii=False)}
    }
    known = _chats().get(chat)
    if known:
        data = {"receive_id": known["chat_id"], **arguments["data"]}
        collection, fields = f"chats[{known['chat_id']}].messages", {}
        kind = "chat_id"
    else:
        person = CAST.person(chat)
        data = {"receive_id": person.lark_open_id, **arguments["data"]}
        collection, kind = "chats", "open_id"
        uid = person.lark_user_id
        fields = {"chat_mode": "p2p", f"members.{uid}.member_id": uid}
    arguments = {"params": {"receive_id_type": kind}, "data": data}
    purpose = f"send the message to {_title(chat)}"
    return change(
        "create", SERVER, "im_v1_message_create", arguments, purpose, *facts, collection=collection, fields=fields
    )


def list_chats() -> Action:
    """List the group chats."""
    return lookup(SERVER, "im_v1_chat_list", {"params": {"page_size": 50}}, "find the group chat")


def show_chat(key: str, *values: Any) -> Action:
    """Show a chat."""
    path = {"chat_id": _chat(key)["chat_id"]}
    return lookup(SERVER, "im_v1_chat_get", {"path": path}, f"look at the Lark chat {_title(key)}", *values)


def list_members(key: str) -> Action:
    """List the members of a chat."""
    path = {"chat_id": _chat(key)["chat_id"]}
    return lookup(SERVER, "im_v1_chatMembers_get", {"path": path}, f"list who is in {_title(key)}")


def create_group(name: str, *people: str, say: str = "", facts: tuple[Fact, ...] = ()) -> Action:
    """Create a group with exactly these people, and post to it."""
    persons = CAST.persons(people)
    data = {"name": name, "user_id_list": [each.lark_open_id for each in persons]}
    fields = {"name": name, "user_count": len(persons) + 1}
    created = change(
        "create",
        SERVER,
        "im_v1_chat_create",
        {"data": data, "params": {"user_id_type": "open_id"}},
        f"create the group '{name}'",
        *(each.lark_user_id for each in persons),
        *facts,
        collection="chats",
        fields=fields,
    )
    if not say:
        return created
    content = json.dumps({"text": say}, ensure_ascii=False)
    message = {
        "params": {"receive_id_type": "chat_id"},
        "data": {"receive_id": "<prev_result.data.chat_id>", "msg_type": "text", "content": content},
    }
    call = ReferenceCall(SERVER, "im_v1_message_create", message, "write to the new group")
    return Action((*created.calls, call), created.checkpoints)


def look_up_ids(*people: str) -> Action:
    """Look up people's ids by their mail addresses."""
    persons = CAST.persons(people)
    purpose = f"look up the Lark id of {' and '.join(each.name for each in persons)}"
    arguments = {"data": {"emails": [each.email for each in persons]}}
    return lookup(SERVER, "contact_v3_user_batchGetId", arguments, purpose)


def show_person(key: str, *values: Any) -> Action:
    """Show a person of the directory."""
    who = CAST.person(key)
    arguments = {"path": {"user_id": who.lark_user_id}, "params": {"user_id_type": "user_id"}}
    return lookup(SERVER, "contact_v3_user_get", arguments, f"look {who.name} up in the directory", *values)


def list_calendars() -> Action:
    """List the calendars."""
    return lookup(SERVER, "calendar_v4_calendar_list", {"params": {"page_size": 50}}, "find the calendar")


def show_primary_calendar() -> Action:
    """Show the primary calendar."""
    return lookup(SERVER, "calendar_v4_calendar_primary", {}, "find the user's own calendar")


def list_events(owner: str, day: str, until: str = "", *meetings: str) -> Action:
    """List the events of a range of local dates. The ``meetings`` must be among them."""
    begin, end = timestamp(f"{day} 00:00"), timestamp(f"{until or day} 23:59")
    arguments = {
        "path": {"calendar_id": calendar_id(owner)},
        "params": {"start_time": str(begin), "end_time": str(end)},
    }
    values = [{"event_id": event(owner, each)["event_id"]} for each in meetings]
    return lookup(SERVER, "calendar_v4_calendarEvent_list", arguments, f"see the events from {day} on", *values)


def show_event(owner: str, meeting: str, *values: Any) -> Action:
    """Show an event with its attendees."""
    path = {"calendar_id": calendar_id(owner), "event_id": event(owner, meeting)["event_id"]}
    arguments = {"path": path, "params": {"need_attendee": True, "max_attendee_num": 50}}
    return lookup(SERVER, "calendar_v4_calendarEvent_get", arguments, f"show the event {meeting}", *values)


def create_event(  # noqa: PLR0913 (each is a fact of the event)
    owner: str,
    summary: str,
    start: str,
    minutes: int,
    *people: str,
    place: str = "",
    facts: tuple[Fact, ...] = (),
    about: str = "",
) -> Action:
    """Create an event at a local time and invite people to it."""
    begin = timestamp(start)
    data: dict[str, Any] = {"summary": summary, "start_time": _time(begin), "end_time": _time(begin + 60 * minutes)}
    if place:
        data["location"] = {"name": place}
    if about:
        data["description"] = about
    fields = {"summary": summary, "start_time.timestamp": str(begin), "end_time.timestamp": str(begin + 60 * minutes)}
    path = {"calendar_id": calendar_id(owner)}
    invited = [each.lark_user_id for each in CAST.persons(people)]
    created = change(
        "create",
        SERVER,
        "calendar_v4_calendarEvent_create",
        {"path": path, "data": data},
        f"create the event '{summary}'",
        *((place,) if place else ()),
        *facts,
        *invited,
        collection=f"calendars[{calendar_id(owner)}].events",
        fields=fields,
    )
    if not people:
        return created
    attendees = [{"type": "user", "user_id": each.lark_open_id} for each in CAST.persons(people)]
    arguments = {
        "path": {**path, "event_id": "<prev_result.data.event.event_id>"},
        "data": {"attendees": attendees},
        "params": {"user_id_type": "open_id"},
    }
    call = ReferenceCall(SERVER, "calendar_v4_calendarEventAttendee_create", arguments, "invite the people")
    return Action((*created.calls, call), created.checkpoints)


def move_event(owner: str, meeting: str, start: str, minutes: int = 60) -> Action:
    """Move an event to another local time."""
    begin, end = timestamp(start), timestamp(start) + 60 * minutes
    return _patch(owner, meeting, {"start_time": _time(begin), "end_time": _time(end)}, "move", str(begin), str(end))


def change_location(owner: str, meeting: str, place: str) -> Action:
    """Change the location of an event."""
    return _patch(owner, meeting, {"location": {"name": place}}, "change the place of", place)


def change_description(owner: str, meeting: str, text: str, *facts: Fact) -> Action:
    """Change the description of an event."""
    return _patch(owner, meeting, {"description": text}, "change the description of", *facts)


def change_title(owner: str, meeting: str, summary: str) -> Action:
    """Change the title of an event."""
    return _patch(owner, meeting, {"summary": summary}, "rename", summary)


def invite(owner: str, meeting: str, *people: str) -> Action:
    """Invite people to an existing event."""
    expected = event(owner, meeting)
    path = {"calendar_id": calendar_id(owner), "event_id": expected["event_id"]}
    deeds = []
    for each in CAST.persons(people):
        attendees = [{"type": "user", "user_id": each.lark_open_id}]
        deeds.append(
            change(
                "create",
                SERVER,
                "calendar_v4_calendarEventAttendee_create",
                {"path": path, "data": {"attendees": attendees}, "params": {"user_id_type": "open_id"}},
                f"invite {each.name} to the event {meeting}",
                collection=f"calendars[{path['calendar_id']}].events[{path['event_id']}].attendees",
                fields={"user_id": each.lark_user_id},
            )
        )
    whole = deeds[0]
    for deed in deeds[1:]:
        whole = whole + deed
    return whole


def calendar_id(owner: str) -> str:
    """Return the id of a calendar by the key of the person or team."""
    summaries = {"me": CAST.me.local_name, "boss": CAST.person("mei.zhao").local_name}
    teams = {each.key: f"{each.chinese_name} {each.name}" for each in CAST.teams}
    expected = {**summaries, **teams}[owner]
    return next(str(key) for key, each in seed()["calendars"].items() if each["summary"] == expected)


def chat_id(key: str) -> str:
    """Return the id of a chat by the key of its team, project or person."""
    return str(_chat(key)["chat_id"])


def event(owner: str, meeting: str) -> dict[str, Any]:
    """Return an event of a calendar by the key of its meeting."""
    expected = next(each for each in CAST.meetings if each.key == meeting)
    events = seed()["calendars"][calendar_id(owner)]["events"].values()
    (found_event,) = [
        each
        for each in events
        if each["description"] == expected.title
        and each["start_time.timestamp"] == str(int(expected.start.timestamp()))
    ]
    return dict(found_event)


def timestamp(local_time: str) -> int:
    """Convert a Shanghai time such as ``2026-03-05 14:00`` to a Unix timestamp in seconds."""
    return int(datetime.fromisoformat(local_time).replace(tzinfo=SHANGHAI).timestamp())


def local_start(meeting: str) -> datetime:
    """Return the start of a meeting in Shanghai time."""
    return next(each for each in CAST.meetings if each.key == meeting).start.replace(tzinfo=UTC).astimezone(SHANGHAI)


def _patch(owner: str, meeting: str, data: dict[str, Any], what: str, *facts: Fact) -> Action:
    expected = event(owner, meeting)
    path = {"calendar_id": calendar_id(owner), "event_id": expected["event_id"]}
    return change(
        "modify",
        SERVER,
        "calendar_v4_calendarEvent_patch",
        {"path": path, "data": data},
        f"{what} the event {meeting}",
        *facts,
        collection=f"calendars[{path['calendar_id']}].events",
        entity=expected["event_id"],
    )


def _time(seconds: int) -> dict[str, str]:
    return {"timestamp": str(seconds), "timezone": "Asia/Shanghai"}


@cache
def _chats() -> dict[str, dict[str, Any]]:
    """Return the chats by the key of their team, project or person."""
    by_id = seed()["chats"]
    keys = [
        *(each.key for each in CAST.teams),
        *(each.key for each in CAST.projects),
        *(each.key for each in CAST.people),
    ]
    named = {key: "oc_" + CAST.ids(f"lark/chats/{key}").hex(32) for key in keys}
    return {key: by_id[chat_id] for key, chat_id in named.items() if chat_id in by_id}


def _chat(key: str) -> dict[str, Any]:
    return _chats()[key]


def _title(key: str) -> str:
    known = _chats().get(key)
    return f"'{known['name']}'" if known and known["name"] else CAST.person(key).name
