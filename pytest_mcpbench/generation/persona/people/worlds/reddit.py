"""Worlds of Reddit: subreddits, posts and comments."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase, digits
from typing import Any

from pytest_mcpbench.core.sandbox import Ids
from pytest_mcpbench.generation.persona.people.profile import Profile, moment
from pytest_mcpbench.generation.persona.people.worlds.world import SampledWorld, account_context

_BASE_36 = digits + ascii_lowercase


def reddit(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build public subreddits; a post is named by its key, its full name by ``#thing``, its comments by number.

    A comment is a list of person, time and text, to which its points and the number of the comment that it answers can
    be added.
    """
    names: dict[str, Any] = {}
    posts, comments = {}, {}
    for key, written in content["posts"].items():
        post = _post(profile, key, written)
        posts[post["id"]] = post
        names |= {f"reddit/{key}": post["id"], f"reddit/{key}#thing": post["name"]}
        things = [post["name"]]
        for number, each in enumerate(written.get("comments", ()), 1):
            comment = _comment(profile, f"reddit/posts/{key}/{number}", post, things, each)
            comments[comment["id"]] = comment
            things.append(comment["name"])
            names[f"reddit/{key}#{number}"] = comment["name"]
    subreddits = {}
    for name, title in content["subreddits"].items():
        ids = profile.ids(f"reddit/subreddits/{name}")
        subreddits[name] = {
            "id": ids.text(5, _BASE_36),
            "display_name": name,
            "title": title,
            "subreddit_type": "public",
            "subscribers": ids.number(800, 40_000),
        }
    tree = {
        "user": {"id": "t2_" + profile.ids("reddit").text(8, _BASE_36), "name": profile.me.handle},
        "subreddits": subreddits,
        "posts": posts,
        "comments": comments,
    }
    return SampledWorld(account_context(profile.me.key, tree), names)


def _post(profile: Profile, key: str, post: Mapping[str, Any]) -> dict[str, Any]:
    ids = profile.ids(f"reddit/posts/{key}")
    return {
        **_thing(ids, "t3", post["in"]),
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


def _comment(
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
        **_thing(ids, "t1", post["subreddit"]),
        "link_id": post["name"],
        "parent_id": things[answers],
        "author": profile.person(who).handle,
        "body": text,
        "created_utc": moment(when).timestamp(),
        "score": points,
    }


def _thing(ids: Ids, kind: str, subreddit: str) -> dict[str, Any]:
    thing_id = ids.text(7, _BASE_36[1:])
    return {"id": thing_id, "name": f"{kind}_{thing_id}", "subreddit": subreddit}
