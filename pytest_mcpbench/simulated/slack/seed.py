"""The initial Slack workspace of an attempt, built from the cast."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from string import ascii_uppercase, digits
from typing import Any

from pytest_mcpbench.simulated.cast import CAST, NOW, Line, Person, talk
from pytest_mcpbench.simulated.cast.told import with_scripted_lines

TEAM_ID = "T0NORTHLGHT"
_LINES = 12
_COMPANY_CHANNELS = {"general": "the office", "random": "the noodle place", "announcements": "the quarter"}
_PARTNERS = ("mei.zhao", "oliver.brandt", "ruoxi.sun")
_ALPHABET = ascii_uppercase + digits
_DAY = 86_400
_ZONES = {
    "London": "Europe/London",
    "Berlin": "Europe/Berlin",
    "Prague": "Europe/Prague",
    "Lagos": "Africa/Lagos",
    "Osaka": "Asia/Tokyo",
}
"""City -> time zone; all other cities are in China."""


@cache
def seed() -> dict[str, Any]:
    """Return the workspace: people, channels with messages, files and the user's reminders.

    It is built once per process and cached; no tree modifies its seed, and callers must not either.
    """
    files: list[dict[str, Any]] = []
    kinds = ("pdf", "xlsx", "png")
    for number, project in enumerate(CAST.projects):
        ids = CAST.ids(f"slack/files/{project.key}")
        kind, owner = kinds[number % len(kinds)], CAST.person(project.lead)
        files.append(
            {
                "id": "F0" + ids.text(9, _ALPHABET),
                "created": _seconds(NOW) - ids.number(1, 40) * _DAY,
                "name": f"{project.key}-status.{kind}",
                "title": f"{project.name} status",
                "filetype": kind,
                "size": ids.number(20_000, 900_000),
                "user": owner.slack_id,
                "channels": [_channel(f"proj-{project.key}", [owner.slack_id], "", is_private=False)["id"]],
                "is_public": True,
            }
        )
    return {
        "user_id": CAST.me.slack_id,
        "users": {each.slack_id: user(each) for each in CAST.colleagues},
        "channels": {each["id"]: each for each in _channels()},
        "files": {each["id"]: each for each in files},
        "reminders": {each["id"]: each for each in _reminders()},
    }


def empty() -> dict[str, Any]:
    """Return the workspace with its people and an empty ``#general``."""
    everybody = [each.slack_id for each in CAST.colleagues]
    general = _channel("general", everybody, "", is_private=False) | {"messages": {}}
    users = {each.slack_id: user(each) for each in CAST.colleagues}
    channels = {general["id"]: general}
    return {"user_id": CAST.me.slack_id, "users": users, "channels": channels, "files": {}, "reminders": {}}


def user(person: Person) -> dict[str, Any]:
    """Return a member of the workspace."""
    return {
        "id": person.slack_id,
        "team_id": TEAM_ID,
        "name": person.key,
        "deleted": False,
        "real_name": person.name,
        "tz": _ZONES.get(person.city, "Asia/Shanghai"),
        "profile": {
            "real_name": person.name,
            "display_name": person.local_name,
            "first_name": person.given_name,
            "last_name": person.family_name,
            "title": person.title,
            "email": person.email,
            "phone": person.mobile,
            "status_text": "",
        },
        "is_admin": person.key in ("helen.fischer", "haoran.li"),
        "is_bot": False,
        "is_restricted": False,
    }


def _channels() -> Iterator[dict[str, Any]]:
    for name, subject in _COMPANY_CHANNELS.items():
        yield _conversation(name, CAST.colleagues, subject)
    for team in CAST.teams:
        closed = team.key in ("finance", "management")
        yield _conversation(f"team-{team.key}", CAST.persons(team.members), team.name, is_private=closed)
    for project in CAST.projects:
        people = CAST.persons(project.members)
        yield _conversation(f"proj-{project.key}", people, project.name, is_archived=project.status == "done")
    for key in _PARTNERS:
        partner = CAST.person(key)
        lines = talk("the roadmap", (CAST.me, partner), ids=CAST.ids(f"slack/talk/{partner.key}"), count=_LINES)
        yield {
            "id": "D0" + CAST.ids(f"slack/direct/{partner.key}").text(9, _ALPHABET),
            "is_im": True,
            "is_mpim": False,
            "is_private": True,
            "is_archived": False,
            "user": partner.slack_id,
            "members": [CAST.me.slack_id, partner.slack_id],
            "messages": _messages(lines),
        }


def _conversation(
    name: str, people: Sequence[Person], subject: str, *, is_private: bool = False, is_archived: bool = False
) -> dict[str, Any]:
    channel = _channel(name, [each.slack_id for each in people], subject, is_private=is_private)
    lines = talk(subject, people, ids=CAST.ids(f"slack/talk/{name}"), count=_LINES)
    return channel | {"is_archived": is_archived, "messages": _messages(with_scripted_lines(f"slack/{name}", lines))}


def _channel(name: str, members: list[str], subject: str, *, is_private: bool) -> dict[str, Any]:
    return {
        "id": "C0" + CAST.ids(f"slack/channels/{name}").text(9, _ALPHABET),
        "name": name,
        "is_channel": not is_private,
        "is_group": is_private,
        "is_im": False,
        "is_mpim": False,
        "is_private": is_private,
        "is_archived": False,
        "is_general": name == "general",
        "creator": members[0],
        "topic": {"value": subject},
        "purpose": {"value": f"Everything about {subject}" if subject else ""},
        "members": members,
    }


def _messages(lines: Sequence[Line]) -> dict[str, Any]:
    stamps = [f"{_seconds(line.moment)}.{number:06}" for number, line in enumerate(lines, 100_100)]
    return {
        ts: {"type": "message", "ts": ts, "user": line.person.slack_id, "text": line.text}
        for ts, line in zip(stamps, lines, strict=True)
    }


def _reminders() -> Iterator[dict[str, Any]]:
    texts = ("Send the onboarding numbers to Mei", "Book the room for the demo", "Renew the parking permit")
    for number, text in enumerate(texts):
        ids = CAST.ids(f"slack/reminders/{number}")
        yield {
            "id": "Rm0" + ids.text(8, _ALPHABET),
            "creator": CAST.me.slack_id,
            "user": CAST.me.slack_id,
            "text": text,
            "recurring": False,
            "time": _seconds(NOW) + (number + 1) * _DAY,
            "complete_ts": 0,
        }


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())
