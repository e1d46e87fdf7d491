"""The initial WeCom group of an attempt, built from the cast."""

from functools import cache
from typing import Any

from pytest_mcpbench.simulated.cast import CAST, Person, talk

_SUBJECTS = ("灯笼新手引导", "港湾计费", "青山试点", "杜松发布活动")
_LINES = 50


@cache
def seed() -> dict[str, Any]:
    """Return the group of the company's Chinese offices, with its members and messages.

    It is built once per process and cached; no tree modifies its seed, and callers must not either.
    """
    members = [each for each in CAST.colleagues if each.chinese_name]
    messages: list[dict[str, Any]] = []
    for number, subject in enumerate(_SUBJECTS):
        lines = talk(subject, members, ids=CAST.ids(f"wecom/talk/{number}"), count=_LINES, language="zh")
        messages += [
            {
                "message_id": CAST.ids(f"wecom/messages/{number}/{index}").hex(32),
                "from": line.person.wecom_id,
                "msgtype": "text",
                "text": {"content": line.text},
                "create_time": int(line.moment.timestamp()),
            }
            for index, line in enumerate(lines)
        ]
    ids = CAST.ids("wecom/group")
    return {
        "chat_id": "wr" + ids.hex(30),
        "name": "北光中国区协作群",
        "webhook": {"key": ids.uuid(), "name": "北光小助手", "enabled": True},
        "members": {each.wecom_id: member(each) for each in members},
        "messages": {each["message_id"]: each for each in messages},
        "media": {},
    }


def empty() -> dict[str, Any]:
    """Return the group with its members and without messages."""
    return {**seed(), "messages": {}}


def member(person: Person) -> dict[str, Any]:
    """Return a member of the group."""
    return {
        "userid": person.wecom_id,
        "name": person.local_name,
        "mobile": person.mobile.removeprefix("+86"),
        "email": person.email,
        "position": person.title,
        "department": person.team,
    }
