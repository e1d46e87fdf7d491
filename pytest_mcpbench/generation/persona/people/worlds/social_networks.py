"""Worlds of social networks: Instagram with conversations, Reddit with subreddits, and Rednote (Xiaohongshu)."""

from collections.abc import Mapping, Sequence
from string import ascii_letters, ascii_lowercase, digits
from typing import Any

from pytest_mcpbench.core.sandbox import Ids
from pytest_mcpbench.generation.persona.people.profile import Profile, moment
from pytest_mcpbench.generation.persona.people.worlds.chats import chat_members, chat_names
from pytest_mcpbench.generation.persona.people.worlds.world import SampledWorld, account_context
from pytest_mcpbench.simulated.instagram.seed import account, graph_time, new_id, opaque_id
from pytest_mcpbench.simulated.xiaohongshu.seed import milliseconds, token, user_id

# Instagram: posts with comments, and conversations.


def instagram(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build an account; a post is named by its key, a conversation after the other person.

    A comment is ``[person, time, text]``, and may have a list of such replies as its fourth item.
    """
    names: dict[str, Any] = {}
    posts = []
    for key, post in content["posts"].items():
        comments = [
            _instagram_comment(profile, each, profile.ids(f"instagram/posts/{key}/{number}"))
            for number, each in enumerate(post.get("comments", ()), 1)
        ]
        posts.append(_instagram_post(profile.ids(f"instagram/posts/{key}"), post, comments))
        names[f"instagram/{key}"] = posts[-1]["id"]
        names |= {f"instagram/{key}#{number}": each["id"] for number, each in enumerate(comments, 1)}
    conversations = {}
    for key, chat in content.get("chats", {}).items():
        built, chat_ids = _instagram_chat(profile, key, chat)
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
        "media": _instagram_newest_first(posts),
        "conversations": conversations,
    }
    return SampledWorld(account_context(profile.me.key, tree), names)


def _instagram_post(ids: Ids, post: Mapping[str, Any], comments: Sequence[dict[str, Any]]) -> dict[str, Any]:
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
        "comments": _instagram_newest_first(comments),
    }


def _instagram_comment(profile: Profile, comment: Sequence[Any], ids: Ids) -> dict[str, Any]:
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
    answers = [_instagram_comment(profile, each, ids) for each in (replies[0] if replies else ())]
    return {**built, "replies": {each["id"]: each for each in answers}}


def _instagram_chat(profile: Profile, key: str, chat: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
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


def _instagram_newest_first(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {each["id"]: each for each in sorted(entries, key=lambda each: str(each["timestamp"]), reverse=True)}


# Reddit: subreddits with posts and comments.

_REDDIT_DIGITS = digits + ascii_lowercase


def reddit(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build public subreddits; a post is named by its key, its full name by ``#thing``, its comments by number.

    A comment is a list of person, time and text, to which its points and the number of the comment that it answers can
    be added.
    """
    names: dict[str, Any] = {}
    posts, comments = {}, {}
    for key, written in content["posts"].items():
        post = _reddit_post(profile, key, written)
        posts[post["id"]] = post
        names |= {f"reddit/{key}": post["id"], f"reddit/{key}#thing": post["name"]}
        things = [post["name"]]
        for number, each in enumerate(written.get("comments", ()), 1):
            comment = _reddit_comment(profile, f"reddit/posts/{key}/{number}", post, things, each)
            comments[comment["id"]] = comment
            things.append(comment["name"])
            names[f"reddit/{key}#{number}"] = comment["name"]
    subreddits = {}
    for name, title in content["subreddits"].items():
        ids = profile.ids(f"reddit/subreddits/{name}")
        subreddits[name] = {
            "id": ids.text(5, _REDDIT_DIGITS),
            "display_name": name,
            "title": title,
            "subreddit_type": "public",
            "subscribers": ids.number(800, 40_000),
        }
    tree = {
        "user": {"id": "t2_" + profile.ids("reddit").text(8, _REDDIT_DIGITS), "name": profile.me.handle},
        "subreddits": subreddits,
        "posts": posts,
        "comments": comments,
    }
    return SampledWorld(account_context(profile.me.key, tree), names)


def _reddit_post(profile: Profile, key: str, post: Mapping[str, Any]) -> dict[str, Any]:
    ids = profile.ids(f"reddit/posts/{key}")
    return {
        **_reddit_thing(ids, "t3", post["in"]),
        "title": post["title"],
        "selftext": post["text"],
        "author": profile.person(post["by"]).handle,
        "created_utc": moment(post["at"]).timestamp(),
        "score": post.get("points", ids.number(3, 90)),
        "upvote_ratio": ids.number(70, 99) / 100,
        "link_flair_text": None,
        "locked": post.get("locked", False),
        "archived": False,
        "stickied": post.get("pinned", False),
        "over_18": False,
    }


def _reddit_comment(
    profile: Profile, name: str, post: Mapping[str, Any], things: Sequence[str], comment: Sequence[Any]
) -> dict[str, Any]:
    """Return a comment; ``things`` are the full names of the post and of the comments written before."""
    who, when, text, *more = comment
    ids = profile.ids(name)
    points = more[0] if more else ids.number(1, 20)
    answers = more[1] if len(more) > 1 else 0
    if answers >= len(things):
        raise ValueError(f"there is no comment {answers} before '{text}'")
    return {
        **_reddit_thing(ids, "t1", post["subreddit"]),
        "link_id": post["name"],
        "parent_id": things[answers],
        "author": profile.person(who).handle,
        "body": text,
        "created_utc": moment(when).timestamp(),
        "score": points,
    }


def _reddit_thing(ids: Ids, kind: str, subreddit: str) -> dict[str, Any]:
    thing_id = ids.text(7, _REDDIT_DIGITS[1:])
    return {"id": thing_id, "name": f"{kind}_{thing_id}", "subreddit": subreddit}


# Rednote (Xiaohongshu): notes with comments, and users.


def rednote(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build the site; a note is named by its key, its token by ``#token``."""
    feeds = {key: _rednote_note(profile, key, note) for key, note in content["notes"].items()}
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


def _rednote_note(profile: Profile, key: str, note: Mapping[str, Any]) -> dict[str, Any]:
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
