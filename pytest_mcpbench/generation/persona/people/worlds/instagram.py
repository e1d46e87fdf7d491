"""Worlds of Instagram: an account with its posts and conversations."""

from collections.abc import Mapping, Sequence
from string import ascii_letters, digits
from typing import Any

from pytest_mcpbench.core.sandbox import Ids
from pytest_mcpbench.generation.persona.people.profile import Profile, moment
from pytest_mcpbench.generation.persona.people.worlds.chats import chat_members, chat_names
from pytest_mcpbench.generation.persona.people.worlds.world import SampledWorld, account_context
from pytest_mcpbench.simulated.instagram.seed import account, graph_time, new_id, opaque_id


def instagram(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build an account; a post is named by its key, a conversation after the other person.

    A comment is ``[person, time, text]``, and may have a list of such replies as its fourth item.
    """
    names: dict[str, Any] = {}
    posts = []
    for key, post in content["posts"].items():
        comments = [
            _comment(profile, each, profile.ids(f"instagram/posts/{key}/{number}"))
            for number, each in enumerate(post.get("comments", ()), 1)
        ]
        posts.append(_post(profile.ids(f"instagram/posts/{key}"), post, comments))
        names[f"instagram/{key}"] = posts[-1]["id"]
        names |= {f"instagram/{key}#{number}": each["id"] for number, each in enumerate(comments, 1)}
    conversations = {}
    for key, chat in content.get("chats", {}).items():
        built, chat_ids = _conversation(profile, key, chat)
        conversations[built["id"]] = built
        names |= chat_ids
    tree = {
        **account(profile.me),
        "name": profile.me.name,
        "account_type": "MEDIA_CREATOR",
        "biography": content.get("about", ""),
        "website": f"https://{profile.me.handle}.example",
        "profile_picture_url": f"https://cdn.instagram.example/{profile.me.handle}.jpg",
        "followers_count": content.get("followers", 640),
        "follows_count": content.get("follows", 210),
        "media": _newest_first(posts),
        "conversations": conversations,
    }
    return SampledWorld(account_context(profile.me.key, tree), names)


def _post(ids: Ids, post: Mapping[str, Any], comments: Sequence[dict[str, Any]]) -> dict[str, Any]:
    code = ids.text(11, ascii_letters + digits)
    kind = post.get("kind", "IMAGE")
    return {
        "id": new_id(ids),
        "caption": post["text"],
        "media_type": kind,
        "media_url": f"https://cdn.instagram.example/{code}.{'mp4' if kind == 'VIDEO' else 'jpg'}",
        "permalink": f"https://www.instagram.com/p/{code}/",
        "timestamp": graph_time(moment(post["at"])),
        "like_count": post.get("likes", 40),
        "comments": _newest_first(comments),
    }


def _comment(profile: Profile, comment: Sequence[Any], ids: Ids) -> dict[str, Any]:
    who, when, text, *replies = comment
    author = account(profile.person(who))
    built = {
        "id": new_id(ids),
        "text": text,
        "username": author["username"],
        "from": author,
        "timestamp": graph_time(moment(when)),
        "like_count": ids.number(0, 9),
        "hidden": False,
    }
    answers = [_comment(profile, each, ids) for each in (replies[0] if replies else ())]
    return {**built, "replies": {each["id"]: each for each in answers}}


def _conversation(profile: Profile, key: str, chat: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a conversation and the names of its ids."""
    people = chat_members(profile, key, chat)
    talk = profile.conversation(f"instagram/{key}", chat, people)
    ids = profile.ids(f"instagram/chats/{key}")
    conversation_id = opaque_id(ids)
    messages = [
        {
            "id": opaque_id(ids),
            "created_time": graph_time(line.moment),
            "from": account(line.person),
            "to": [account(each) for each in people if each is not line.person],
            "message": line.text,
        }
        for line in talk.lines
    ]
    built = {
        "id": conversation_id,
        "participants": [account(each) for each in people],
        "messages": {each["id"]: each for each in reversed(messages)},
    }
    return built, chat_names("instagram", key, conversation_id, talk, [each["id"] for each in messages])


def _newest_first(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {each["id"]: each for each in sorted(entries, key=lambda each: str(each["timestamp"]), reverse=True)}
