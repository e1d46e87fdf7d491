"""Initial Discord servers of an attempt, built from the cast."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from pytest_mcpbench.simulated.cast import CAST, Line, Person, talk
from pytest_mcpbench.simulated.cast.told import with_scripted_lines
from pytest_mcpbench.simulated.discord.snowflake import snowflake

_CREATION_TIME = datetime(2024, 5, 17, 18, 0, tzinfo=UTC)
_LINES = 18
_CATEGORIES = {
    "Welcome": ("rules", "announcements", "introductions"),
    "Community": ("general", "help", "show-and-tell", "off-topic"),
    "Development": ("lantern", "bamboo", "osprey", "releases"),
}
_SUBJECTS = {"lantern": "Lantern onboarding", "bamboo": "Bamboo mobile app", "osprey": "Osprey data platform"}
_READ_ONLY = ("rules", "announcements")
_VOICE = ("Lounge", "Pairing room")
_OTHER_MEMBERS = ("nina.berg", "sam.carter", "lei.zheng", "tomas.novak", "priya.nair", "daniel.okoye", "ruoxi.sun")


@cache
def seed() -> dict[str, Any]:
    """Return the servers with their members, channels and messages, and the account's private messages.

    The result is cached and must not be modified; a tree never modifies its seed.
    """
    members = CAST.persons((CAST.me.key, "haoran.li", *_OTHER_MEMBERS))
    channels = list(_channels(members))
    return {
        "user_id": CAST.me.discord_id,
        "guild_id": str(snowflake(_CREATION_TIME)),
        "users": {
            each.discord_id: {
                "id": each.discord_id,
                "username": each.handle,
                "global_name": each.local_name,
                "discriminator": "0",
            }
            for each in members
        },
        "guilds": {
            str(snowflake(_CREATION_TIME)): {
                "id": str(snowflake(_CREATION_TIME)),
                "name": "Northlight Makers",
                "owner_id": CAST.person("haoran.li").discord_id,
                "members": [each.discord_id for each in members],
                "boosts": 3,
                "channels": {each["id"]: each for each in channels},
            }
        },
        "directs": {each["id"]: each for each in _directs(members[2:4])},
    }


def empty() -> dict[str, Any]:
    """Return the servers with their channels and members, but without messages."""
    full_seed = seed()
    guilds: dict[str, Any] = {}
    for guild_id, guild in full_seed["guilds"].items():
        channels = {
            key: {**each, "messages": {}} if "messages" in each else each for key, each in guild["channels"].items()
        }
        guilds[guild_id] = {**guild, "channels": channels}
    return {**full_seed, "guilds": guilds, "directs": {}}


def _channels(members: Sequence[Person]) -> Iterator[dict[str, Any]]:
    number = 1
    for category, names in _CATEGORIES.items():
        parent = str(snowflake(_CREATION_TIME, number))
        yield {"id": parent, "type": "CATEGORY", "name": category}
        for name in names:
            number += 1
            denied_permissions = ["MESSAGE_SEND"] if name in _READ_ONLY else []
            subject = _SUBJECTS.get(name, name)
            lines = talk(
                subject, members[1:] if denied_permissions else members, ids=CAST.ids(f"discord/{name}"), count=_LINES
            )
            channel = {"id": str(snowflake(_CREATION_TIME, number)), "type": "TEXT", "name": name, "parent_id": parent}
            yield {
                **channel,
                "topic": f"About {subject}",
                "denied": denied_permissions,
                "messages": _messages(with_scripted_lines(f"discord/{name}", lines)),
            }
        number += 1
    for name in _VOICE:
        number += 1
        yield {"id": str(snowflake(_CREATION_TIME, number)), "type": "VOICE", "name": name}


def _directs(people: Sequence[Person]) -> Iterator[dict[str, Any]]:
    for number, partner in enumerate(people, 100):
        lines = talk(
            "the climbing hall",
            (CAST.me, partner),
            ids=CAST.ids(f"discord/{partner.key}"),
            count=_LINES,
            setting="private",
        )
        yield {
            "id": str(snowflake(_CREATION_TIME, number)),
            "recipient_id": partner.discord_id,
            "messages": _messages(lines),
        }


def _messages(lines: Sequence[Line]) -> dict[str, Any]:
    lines_by_id = {str(snowflake(line.moment, number)): line for number, line in enumerate(lines)}
    return {
        key: {"id": key, "author_id": line.person.discord_id, "content": line.text} for key, line in lines_by_id.items()
    }
