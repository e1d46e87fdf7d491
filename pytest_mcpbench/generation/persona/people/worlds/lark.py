"""Worlds of Lark: calendars, chats and a directory."""

import json
from collections.abc import Mapping
from datetime import timedelta
from string import ascii_lowercase, digits
from typing import Any

from pytest_mcpbench.generation.persona.people.profile import Profile, moment
from pytest_mcpbench.generation.persona.people.worlds.chats import chat_members, chat_names
from pytest_mcpbench.generation.persona.people.worlds.world import SampledWorld, account_context
from pytest_mcpbench.simulated.lark.seed import user


def lark(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build an account; events and chats are named by their keys, calendars ``calendar`` and ``KEY-calendar``."""
    names: dict[str, Any] = {}
    calendars = {}
    own = {"title": profile.me.local_name, "role": "owner", "events": content.get("events", {})}
    for key, calendar in {"": own, **content.get("calendars", {})}.items():
        built, event_ids = _calendar(profile, key, calendar, content["zone"])
        calendars[built["calendar_id"]] = built
        names |= event_ids
    chats = {}
    for key, chat in content.get("chats", {}).items():
        built, chat_ids = _chat(profile, key, chat)
        chats[built["chat_id"]] = built
        names |= chat_ids
    tree = {
        **user(profile.me),
        "calendars": calendars,
        "chats": chats,
        "users": {each.lark_user_id: user(each) for each in profile.people.values()},
    }
    return SampledWorld(account_context(profile.me.key, tree), names)


def _calendar(
    profile: Profile, key: str, calendar: Mapping[str, Any], zone: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a calendar and the names of its ids; that of the account has an empty key."""
    name = f"lark/{key}-calendar" if key else "lark/calendar"
    calendar_name = profile.ids(name).text(22, ascii_lowercase + digits)
    events = {event: _event(profile, event, each, zone) for event, each in calendar["events"].items()}
    built = {
        "calendar_id": f"feishu.cn_{calendar_name}@group.calendar.feishu.cn",
        "summary": calendar["title"],
        "description": "",
        "permissions": "public" if key else "show_only_free_busy",
        "type": "shared" if key else "primary",
        "role": calendar["role"],
        "events": {each["event_id"]: each for each in events.values()},
    }
    return built, {name: built["calendar_id"]} | {f"lark/{event}": each["event_id"] for event, each in events.items()}


def _event(profile: Profile, key: str, event: Mapping[str, Any], zone: str) -> dict[str, Any]:
    ids = profile.ids(f"lark/events/{key}")
    start = moment(event["start"])
    end = start + timedelta(minutes=event.get("minutes", 60))
    organizer = profile.person(event.get("by", "me"))
    people = (organizer, *(profile.person(each) for each in event.get("people", ())))
    answers = {profile.person(each): answer for each, answer in event.get("answers", {}).items()}
    attendees = [
        {
            "attendee_id": f"user_{ids.number(10**17, 10**18 - 1)}",
            "type": "user",
            "user_id": each.lark_user_id,
            "name": each.local_name,
            "is_organizer": each is organizer,
            "is_optional": False,
            "rsvp_status": answers.get(each, "accept"),
        }
        for each in people
    ]
    return {
        "event_id": f"{ids.uuid()}_0",
        "summary": event["title"],
        "description": event.get("about", ""),
        "start_time.timestamp": str(int(start.timestamp())),
        "start_time.timezone": zone,
        "end_time.timestamp": str(int(end.timestamp())),
        "end_time.timezone": zone,
        "location.name": event.get("place", ""),
        "event_organizer.user_id": organizer.lark_open_id,
        "event_organizer.display_name": organizer.local_name,
        "visibility": "default",
        "free_busy_status": "busy",
        "status": "confirmed",
        "attendees": {each["attendee_id"]: each for each in attendees},
    }


def _chat(profile: Profile, key: str, chat: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a chat and the names of its ids."""
    people = chat_members(profile, key, chat)
    talk = profile.conversation(f"lark/{key}", {"setting": "work", **chat}, people)
    ids = profile.ids(f"lark/chats/{key}")
    chat_id = "oc_" + ids.hex(32)
    messages = [
        {
            "message_id": "om_" + ids.hex(32),
            "msg_type": "text",
            "sender.id": line.person.lark_open_id,
            "sender.sender_type": "user",
            "body.content": json.dumps({"text": line.text}, ensure_ascii=False),
            "create_time": f"{int(line.moment.timestamp())}000",
        }
        for line in talk.lines
    ]
    owner = people[-1]
    built = {
        "chat_id": chat_id,
        "name": chat.get("title", ""),
        "description": "",
        "owner_id": owner.lark_open_id,
        "chat_mode": "group" if "title" in chat else "p2p",
        "chat_type": "private",
        "user_count": len(people),
        "members": {
            each.lark_user_id: {"member_id": each.lark_user_id, "name": each.local_name, "is_owner": each is owner}
            for each in people
        },
        "messages": {each["message_id"]: each for each in messages},
    }
    return built, chat_names("lark", key, chat_id, talk, [each["message_id"] for each in messages])
