"""The initial state of Xiaohongshu: notes and comments of the people who write Chinese."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from string import ascii_letters, digits
from typing import Any

from pytest_mcpbench.core.sandbox import Ids
from pytest_mcpbench.simulated.cast import CAST, NOW, Person
from pytest_mcpbench.simulated.engine.table import rows

_NOTES = Path(__file__).with_name("notes.txt")
_PLACES = {
    "Shanghai": "上海",
    "Hangzhou": "浙江",
    "Beijing": "北京",
    "Chengdu": "四川",
    "Nanjing": "江苏",
    "Suzhou": "江苏",
}


@cache
def seed() -> dict[str, Any]:
    """Return the account, the users, and their notes with comments.

    They are built once per process and cached; no tree modifies its seed, and callers must not either.
    """
    notes = [_note(number, row) for number, row in enumerate(rows(_NOTES))]
    users: dict[str, dict[str, Any]] = {}
    for person in _authors():
        ids = person.ids("xiaohongshu/profile")
        users[user_id(person)] = {
            "user_id": user_id(person),
            "nickname": person.local_name,
            "red_id": str(ids.number(10**8, 10**10)),
            "desc": f"{person.title} · {person.city}",
            "gender": ids.number(0, 1),
            "ip_location": _PLACES[person.city],
            "xsec_token": token(ids),
            "follows": ids.number(20, 300),
            "fans": ids.number(30, 9000),
        }
    follows = [user_id(each) for each in _authors() if each.circle in ("friends", "family") or each.team == "marketing"]
    return {
        "account": {"user_id": user_id(CAST.me), "is_logged_in": True, "follows": follows},
        "users": users,
        "feeds": {note["id"]: note for note in notes},
    }


def logged_out() -> dict[str, Any]:
    """Return the same state before signing in."""
    state = seed()
    return {**state, "account": {**state["account"], "is_logged_in": False}}


def user_id(person: Person) -> str:
    """Return the id of a person on the site."""
    return person.ids("xiaohongshu").hex(24)


def token(ids: Ids) -> str:
    """Return an access token, as the site adds to each link."""
    return "AB" + ids.text(42, ascii_letters + digits + "_-") + "="


def _authors() -> tuple[Person, ...]:
    return tuple(each for each in CAST.people if each.chinese_name)


def _note(number: int, row: tuple[str, ...]) -> dict[str, Any]:
    writer, kind, title, text, tags = row
    ids = CAST.ids(f"xiaohongshu/notes/{number}")
    moment = NOW - timedelta(days=number * 11 % 43, minutes=ids.number(5, 1300))
    return {
        "id": ids.hex(24),
        "xsec_token": token(ids),
        "type": kind,
        "title": title,
        "desc": text,
        "tags": tags.split(","),
        "user_id": user_id(CAST.person(writer)),
        "ip_location": _PLACES[CAST.person(writer).city],
        "time": milliseconds(moment),
        "images": [f"https://sns-img.xiaohongshu.example/{ids.hex(16)}.jpg" for _ in range(ids.number(1, 6))],
        "liked": False,
        "liked_count": ids.number(5, 4200),
        "collected": ids.number(0, 9) == 0,
        "collected_count": ids.number(2, 1800),
        "shared_count": ids.number(0, 300),
        "comments": {each["id"]: each for each in _comments(writer, moment, ids)},
    }


def milliseconds(moment: datetime) -> int:
    """Return milliseconds since 1970."""
    return int(moment.timestamp() * 1000)


def _comments(writer: str, moment: datetime, ids: Ids) -> Iterator[dict[str, Any]]:
    people = [each for each in _authors() if each.key != writer]
    first = ids.number(0, len(_COMMENT_TEXTS) - 1)
    for number in range(ids.number(3, 7)):
        moment = min(moment + timedelta(minutes=ids.number(4, 400)), NOW)
        person = people[ids.number(0, len(people) - 1)]
        yield {
            "id": ids.hex(24),
            "content": _COMMENT_TEXTS[(first + number) % len(_COMMENT_TEXTS)],
            "user_id": user_id(person),
            "create_time": milliseconds(moment),
            "like_count": ids.number(0, 60),
            "ip_location": _PLACES[person.city],
        }


_COMMENT_TEXTS = (
    "收藏了，周末就去试试。",
    "请问具体地址在哪里？",
    "写得太清楚了，谢谢！",
    "第三点深有同感。",
    "我去年也踩过这个坑。",
    "图二是用什么拍的？",
    "求链接！",
    "已经转给同事了。",
    "价格还是这个吗？",
    "哈哈哈，我也是。",
    "下次约我一起。",
    "有没有适合新手的版本？",
    "坐等下一篇。",
    "不太同意，不过讲得有道理。",
    "刚从那里回来，人很多。",
    "这个颜色真好看。",
    "请问需要预约吗？",
    "妈妈也是这么说的。",
)
