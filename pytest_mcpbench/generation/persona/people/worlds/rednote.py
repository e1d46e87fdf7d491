"""Worlds of Rednote (Xiaohongshu): users and their notes."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.generation.persona.people.profile import Profile, moment
from pytest_mcpbench.generation.persona.people.worlds.world import SampledWorld, account_context
from pytest_mcpbench.simulated.xiaohongshu.seed import milliseconds, token, user_id


def rednote(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build the site; a note is named by its key, its token by ``#token``."""
    feeds = {key: _note(profile, key, note) for key, note in content["notes"].items()}
    users = {}
    for key, person in profile.people.items():
        ids = profile.ids(f"rednote/users/{person.key}")
        users[key] = {
            "user_id": user_id(person),
            "nickname": person.local_name,
            "red_id": str(ids.number(10**8, 10**10)),
            "desc": person.title,
            "gender": ids.number(0, 1),
            "ip_location": "北京",
            "xsec_token": token(ids),
            "follows": ids.number(20, 300),
            "fans": ids.number(30, 9000),
        }
    tree = {
        "account": {
            "user_id": user_id(profile.me),
            "is_logged_in": True,
            "follows": [user_id(profile.person(each)) for each in content.get("follows", ())],
        },
        "users": {each["user_id"]: each for each in users.values()},
        "feeds": {each["id"]: each for each in feeds.values()},
    }
    names = {f"rednote/{key}": each["id"] for key, each in feeds.items()}
    names |= {f"rednote/{key}#token": each["xsec_token"] for key, each in feeds.items()}
    names |= {f"{key}/rednote_token": each["xsec_token"] for key, each in users.items()}
    return SampledWorld(account_context(profile.me.key, tree), names)


def _note(profile: Profile, key: str, note: Mapping[str, Any]) -> dict[str, Any]:
    ids = profile.ids(f"rednote/notes/{key}")
    comments = [
        {
            "id": ids.hex(24),
            "content": text,
            "user_id": user_id(profile.person(who)),
            "create_time": milliseconds(moment(when)),
            "like_count": ids.number(0, 60),
            "ip_location": "北京",
        }
        for who, when, text in note.get("comments", ())
    ]
    return {
        "id": ids.hex(24),
        "xsec_token": token(ids),
        "type": "normal",
        "title": note["title"],
        "desc": note["text"],
        "tags": note.get("tags", []),
        "user_id": user_id(profile.person(note["by"])),
        "ip_location": "北京",
        "time": milliseconds(moment(note["at"])),
        "images": [f"https://sns-img.xiaohongshu.example/{ids.hex(16)}.jpg"],
        "liked": False,
        "liked_count": note.get("likes", 12),
        "collected": False,
        "collected_count": ids.number(2, 180),
        "shared_count": ids.number(0, 30),
        "comments": {each["id"]: each for each in comments},
    }
