"""The initial Telegram account of an attempt, built from the cast."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from pytest_mcpbench.simulated.cast import CAST, Line, Person, talk
from pytest_mcpbench.simulated.cast.talk import Language, Setting
from pytest_mcpbench.simulated.cast.told import with_scripted_lines

_LINES = 14
_GROUPS: tuple[tuple[str, str, tuple[str, ...], str, Language], ...] = (
    ("Family 陈家", "group", ("guoqiang.chen", "xiulan.wu", "siqi.chen"), "the trip to Suzhou", "zh"),
    ("Climbing Thursdays", "supergroup", ("nina.berg", "sam.carter", "tomas.novak"), "the climbing hall", "en"),
    ("Choir", "supergroup", ("sam.carter", "ting.luo", "emma.lindqvist"), "the summer concert", "en"),
    ("Flat 402", "group", ("ting.luo", "yuchen.song", "lei.zheng"), "the water bill", "en"),
    ("Lantern partners", "supergroup", ("yating.qian", "yue.han", "ingrid.solberg"), "Lantern onboarding", "en"),
)


@cache
def seed() -> dict[str, Any]:
    """Return the account: its contacts, and its chats with their messages.

    It is built once per process and cached; no tree modifies its seed, and callers must not either.
    """
    me, people = CAST.me, (*CAST.friends, *CAST.family, *CAST.clients)
    everybody = {each.telegram_id: each for each in (me, *people)}
    everybody |= {each.telegram_id: each for _, _, keys, _, _ in _GROUPS for each in CAST.persons(keys)}
    chats = [_private(number, each) for number, each in enumerate(people)]
    chats += [_group(number, group) for number, group in enumerate(_GROUPS)]
    chats += [_channel()]
    return {
        "user_id": me.telegram_id,
        "users": {str(key): user(each, is_contact=each in people) for key, each in everybody.items()},
        "chats": {str(each["id"]): each for each in chats},
    }


def empty() -> dict[str, Any]:
    """Return the account with its contacts, without chats."""
    return {**seed(), "chats": {}}


def user(person: Person, *, is_contact: bool) -> dict[str, Any]:
    """Return a user, as the account knows them."""
    return {
        "id": person.telegram_id,
        "first_name": person.given_name,
        "last_name": person.family_name,
        "username": person.handle,
        "phone": person.mobile.removeprefix("+"),
        "contact": is_contact,
        "bot": False,
        "verified": False,
    }


def _private(number: int, partner: Person) -> dict[str, Any]:
    ids = CAST.ids(f"telegram/talk/{partner.key}")
    setting: Setting = "work" if partner.circle == "clients" else "private"
    lines = talk(
        "the order" if setting == "work" else "the weekend", (CAST.me, partner), ids=ids, count=_LINES, setting=setting
    )
    identity = {"id": partner.telegram_id, "type": "user", "participants": [CAST.me.telegram_id, partner.telegram_id]}
    return {**identity, **_state(number), "messages": _messages(with_scripted_lines(f"telegram/{partner.key}", lines))}


def _group(number: int, group: tuple[str, str, tuple[str, ...], str, Language]) -> dict[str, Any]:
    title, kind, keys, subject, language = group
    people = (CAST.me, *CAST.persons(keys))
    ids = CAST.ids(f"telegram/groups/{title}")
    setting: Setting = "work" if kind == "supergroup" else "private"
    lines = talk(subject, people, ids=ids, count=_LINES, language=language, setting=setting)
    return {
        "id": ids.number(10**9, 4 * 10**9),
        "type": kind,
        "title": title,
        "creator": people[number % len(people)].telegram_id,
        "participants": [each.telegram_id for each in people],
        **_state(number),
        "messages": _messages(with_scripted_lines(f"telegram/{title}", lines)),
    }


def _channel() -> dict[str, Any]:
    author = CAST.person("laura.moreau")
    ids = CAST.ids("telegram/channel")
    lines = talk("the Juniper launch", (author,), ids=ids, count=_LINES)
    channel_id = ids.number(10**9, 4 * 10**9)
    description = {"title": "Northlight News", "username": "northlight_news", "creator": author.telegram_id}
    people = [author.telegram_id, CAST.me.telegram_id]
    return {
        "id": channel_id,
        "type": "channel",
        **description,
        "participants": people,
        **_state(1),
        "messages": _messages(lines),
    }


def _state(number: int) -> dict[str, Any]:
    return {"unread": number % 3, "muted": number % 4 == 3}


def _messages(lines: Sequence[Line]) -> dict[str, Any]:
    return {
        str(number): {
            "id": number,
            "from_id": line.person.telegram_id,
            "date": line.moment.isoformat(),
            "text": line.text,
        }
        for number, line in enumerate(lines, 1)
    }
