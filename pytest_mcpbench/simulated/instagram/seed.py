"""Initial Instagram account of an attempt: the user's own account and everyone who comments or writes to it."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from string import ascii_letters, digits
from typing import Any

from pytest_mcpbench.core.sandbox import Ids
from pytest_mcpbench.simulated.cast import CAST, NOW, Person, talk
from pytest_mcpbench.simulated.cast.told import with_scripted_lines
from pytest_mcpbench.simulated.engine.table import rows

_MEDIA = Path(__file__).with_name("media.txt")
_SUBJECTS = ("the Yangshuo trip", "Sunday", "the concert", "the tea", "the photos", "the birthday", "the new wall")


@cache
def seed() -> dict[str, Any]:
    """Return the account with its posts and conversations.

    The result is cached and must not be modified; a tree never modifies its seed.
    """
    me = CAST.me
    keys = ("yichen.wang", "ruoxi.sun", "zihan.guo", "emma.lindqvist", "yating.qian", "weimin.du")
    correspondents = (*CAST.friends, *CAST.family, *CAST.persons(keys))
    return {
        **account(me),
        "name": me.name,
        "account_type": "MEDIA_CREATOR",
        "biography": "Product by day, climbing and choir by night. Shanghai.",
        "website": "https://siyuan.example",
        "profile_picture_url": f"https://cdn.instagram.example/{me.handle}.jpg",
        "followers_count": 1284,
        "follows_count": 412,
        "media": {each["id"]: each for each in _media()},
        "conversations": {each["id"]: each for each in map(_conversation, correspondents)},
    }


def empty() -> dict[str, Any]:
    """Return the account without posts and conversations."""
    return {**seed(), "media": {}, "conversations": {}}


def account(person: Person) -> dict[str, str]:
    """Return a person's user name and id, which is scoped to the app."""
    return {"id": str(person.ids("instagram").number(10**15, 10**16 - 1)), "username": person.handle}


def graph_time(moment: datetime) -> str:
    """Format a moment as the Graph API does."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}+0000"


def new_id(ids: Ids) -> str:
    """Generate the id of a post or a comment."""
    return "17" + str(ids.number(10**14, 10**15 - 1))


def opaque_id(ids: Ids) -> str:
    """Generate the id of a conversation or a message."""
    return "aWdfZAG06" + ids.text(46, ascii_letters + digits) + "ZD"


def _media() -> Iterator[dict[str, Any]]:
    """Yield the posts newest first, as the API lists them."""
    moment = NOW
    for number, (kind, caption) in enumerate(rows(_MEDIA)):
        ids = CAST.ids(f"instagram/media/{number}")
        moment -= timedelta(days=ids.number(2, 12), minutes=ids.number(1, 600))
        code = ids.text(11, ascii_letters + digits)
        ending = "mp4" if kind == "VIDEO" else "jpg"
        yield {
            "id": new_id(ids),
            "caption": caption,
            "media_type": kind,
            "media_url": f"https://cdn.instagram.example/{code}.{ending}",
            "permalink": f"https://www.instagram.com/p/{code}/",
            "timestamp": graph_time(moment),
            "like_count": ids.number(12, 240),
            "comments": {each["id"]: each for each in _comments(moment, ids)},
        }


def _comments(moment: datetime, ids: Ids) -> Iterator[dict[str, Any]]:
    """Yield the comments on a post, newest first; the user has answered some of them."""
    people = (*CAST.friends, *CAST.family, *CAST.colleagues[1:])
    first, count = ids.number(0, len(_COMMENT_TEXTS) - 1), ids.number(3, 6)
    moments = sorted((moment + timedelta(minutes=ids.number(5, 2500)) for _ in range(count)), reverse=True)
    for number, comment_time in enumerate(moments):
        person = people[ids.number(0, len(people) - 1)]
        comment = _comment(person, min(comment_time, NOW), _COMMENT_TEXTS[(first + number) % len(_COMMENT_TEXTS)], ids)
        comment["replies"] = {}
        if ids.number(0, 3) == 0:
            reply = _comment(CAST.me, min(comment_time + timedelta(minutes=40), NOW), f"@{person.handle} ❤️", ids)
            comment["replies"] = {reply["id"]: reply}
        yield comment


def _comment(person: Person, moment: datetime, text: str, ids: Ids) -> dict[str, Any]:
    return {
        "id": new_id(ids),
        "text": text,
        "username": person.handle,
        "from": account(person),
        "timestamp": graph_time(moment),
        "like_count": ids.number(0, 15),
        "hidden": False,
    }


def _conversation(person: Person) -> dict[str, Any]:
    ids = person.ids("instagram/conversation")
    subject = _SUBJECTS[ids.number(0, len(_SUBJECTS) - 1)]
    generated_lines = talk(subject, (CAST.me, person), ids=ids, count=ids.number(6, 10))
    lines = with_scripted_lines(f"instagram/{person.key}", generated_lines)
    messages: list[dict[str, Any]] = []
    for line in reversed(lines):
        receiver = person if line.person is CAST.me else CAST.me
        messages.append(
            {
                "id": opaque_id(ids),
                "created_time": graph_time(line.moment),
                "from": account(line.person),
                "to": [account(receiver)],
                "message": line.text,
            }
        )
    return {
        "id": opaque_id(ids),
        "participants": [account(CAST.me), account(person)],
        "messages": {each["id"]: each for each in messages},
    }


_COMMENT_TEXTS = (
    "So good!",
    "Next time take me with you.",
    "Where exactly is this?",
    "I can smell it from here.",
    "Frame it.",
    "Looks colder than it was, I hope?",
    "Proud of you.",
    "Who took the picture?",
    "This made my Monday.",
    "Please send me the recipe.",
    "You kept this secret for a week!",
    "The light!",
    "See you on Thursday?",
    "Still laughing about that day.",
    "Is the second one for sale?",
    "Say hello to everybody.",
    "Your handwriting has not improved.",
)
