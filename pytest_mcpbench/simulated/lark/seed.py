"""Initial Lark account of an attempt, built from the cast."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from json import dumps
from string import ascii_lowercase, digits
from typing import Any

from pytest_mcpbench.simulated.cast import CAST, Meeting, Person, Project, Team, talk
from pytest_mcpbench.simulated.cast.told import with_scripted_lines

_ZONE = "Asia/Shanghai"
_TEAM_CALENDARS = ("product", "engineering", "marketing")
_CLOSED_TEAM = "finance"
"""Team with a chat to which the user does not belong."""
_LINES = 11


@cache
def seed() -> dict[str, Any]:
    """Return the user's account: calendars with events, chats with messages, and the company's directory.

    The result is cached and must not be modified; a tree never modifies its seed.
    """
    return {
        **user(CAST.me),
        "calendars": {each["calendar_id"]: each for each in _calendars()},
        "chats": {each["chat_id"]: each for each in _chats()},
        "users": {each.lark_user_id: user(each) for each in CAST.colleagues},
    }


def empty() -> dict[str, Any]:
    """Return the account with an empty primary calendar and the directory, but without other calendars and chats."""
    full_seed = seed()
    primary = {key: each for key, each in full_seed["calendars"].items() if each["type"] == "primary"}
    return {**full_seed, "calendars": {key: {**each, "events": {}} for key, each in primary.items()}, "chats": {}}


def user(person: Person) -> dict[str, Any]:
    """Return a person's directory entry; nested fields have dotted names."""
    leader = CAST.manager(person)
    return {
        "user_id": person.lark_user_id,
        "open_id": person.lark_open_id,
        "union_id": person.lark_union_id,
        "name": person.local_name,
        "en_name": person.name,
        "email": person.email,
        "mobile": person.mobile,
        "job_title": person.title,
        "city": person.city,
        "department_ids": ["od-" + CAST.ids(f"lark/departments/{person.team}").hex(32)],
        "leader_user_id": leader.lark_user_id if leader else "",
        "avatar.avatar_240": f"https://avatars.northlight.example/{person.key}_240.png",
        "status.is_activated": True,
        "status.is_resigned": False,
    }


def _calendars() -> list[dict[str, Any]]:
    me, manager = CAST.me, CAST.person(CAST.me.manager or CAST.me.key)
    teams = [team for team in CAST.teams if team.key in _TEAM_CALENDARS]
    return [
        _calendar(me.key, me.local_name, "primary", "owner", CAST.meetings_of(me)),
        _calendar(manager.key, manager.local_name, "shared", "reader", CAST.meetings_of(manager)),
        *(
            _calendar(
                team.key,
                f"{team.chinese_name} {team.name}",
                "shared",
                "writer" if team.key == me.team else "reader",
                [each for each in CAST.meetings if each.key.startswith(f"{team.key}-")],
            )
            for team in teams
        ),
    ]


def _calendar(owner: str, summary: str, kind: str, role: str, meetings: Sequence[Meeting]) -> dict[str, Any]:
    name = CAST.ids(f"lark/calendars/{owner}").text(22, ascii_lowercase + digits)
    events = [_event(meeting) for meeting in meetings]
    return {
        "calendar_id": f"feishu.cn_{name}@group.calendar.feishu.cn",
        "summary": summary,
        "description": "",
        "permissions": "show_only_free_busy" if kind == "primary" else "public",
        "type": kind,
        "role": role,
        "events": {each["event_id"]: each for each in events},
    }


def _event(meeting: Meeting) -> dict[str, Any]:
    ids = CAST.ids(f"lark/events/{meeting.key}")
    organizer = CAST.person(meeting.organizer)
    attendees: dict[str, dict[str, Any]] = {}
    for person in CAST.persons(meeting.attendees):
        person_ids = CAST.ids(f"lark/attendees/{meeting.key}/{person.key}")
        attendee_id = f"user_{person_ids.number(10**17, 10**18 - 1)}"
        attendees[attendee_id] = {
            "attendee_id": attendee_id,
            "type": "user",
            "user_id": person.lark_user_id,
            "name": person.local_name,
            "is_organizer": person.key == meeting.organizer,
            "is_optional": False,
            "rsvp_status": "accept" if person_ids.number(0, 3) else "needs_action",
        }
    return {
        "event_id": f"{ids.uuid()}_0",
        "summary": meeting.chinese_title if organizer.chinese_name else meeting.title,
        "description": meeting.title,
        "start_time.timestamp": _seconds(meeting.start),
        "start_time.timezone": _ZONE,
        "end_time.timestamp": _seconds(meeting.end),
        "end_time.timezone": _ZONE,
        "location.name": meeting.place,
        "event_organizer.user_id": organizer.lark_open_id,
        "event_organizer.display_name": organizer.local_name,
        "vchat.vc_type": "vc",
        "visibility": "default",
        "free_busy_status": "busy",
        "status": "confirmed",
        "attendees": attendees,
    }


def _chats() -> list[dict[str, Any]]:
    me = CAST.me
    teams = [team for team in CAST.teams if team.key in (me.team, _CLOSED_TEAM)]
    projects = [project for project in CAST.projects if me.key in project.members]
    groups: list[Team | Project] = [*teams, *projects]
    partners = [CAST.person(key) for key in ("mei.zhao", "yichen.wang", "priya.nair")]
    return [
        *(
            _chat(each.key, f"{each.chinese_name} {each.name}", each.name, CAST.persons(each.members))
            for each in groups
        ),
        *(_chat(each.key, "", "the roadmap", (me, each)) for each in partners),
    ]


def _chat(key: str, name: str, subject: str, members: Sequence[Person]) -> dict[str, Any]:
    is_mostly_chinese = sum(1 for each in members if each.chinese_name) * 2 > len(members)
    lines = talk(
        subject, members, ids=CAST.ids(f"lark/talk/{key}"), count=_LINES, language="zh" if is_mostly_chinese else "en"
    )
    messages = [
        {
            "message_id": "om_" + CAST.ids(f"lark/messages/{key}/{number}").hex(32),
            "msg_type": "text",
            "sender.id": line.person.lark_open_id,
            "sender.sender_type": "user",
            "body.content": dumps({"text": line.text}, ensure_ascii=False),
            "create_time": f"{_seconds(line.moment)}000",
        }
        for number, line in enumerate(with_scripted_lines(f"lark/{key}", lines))
    ]
    return {
        "chat_id": "oc_" + CAST.ids(f"lark/chats/{key}").hex(32),
        "name": name,
        "description": "",
        "owner_id": members[0].lark_open_id,
        "chat_mode": "group" if name else "p2p",
        "chat_type": "private",
        "user_count": len(members),
        "members": {
            each.lark_user_id: {
                "member_id": each.lark_user_id,
                "name": each.local_name,
                "is_owner": each is members[0],
            }
            for each in members
        },
        "messages": {each["message_id"]: each for each in messages},
    }


def _seconds(moment: datetime) -> str:
    return str(int(moment.timestamp()))
