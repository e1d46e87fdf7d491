"""Deeds on Reddit: reading posts and comments, and writing comments."""

from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, change, lookup
from pytest_mcpbench.simulated.reddit.seed import seed

SERVER = "reddit"


def list_hot_posts(subreddit: str, *values: Any) -> Action:
    """The posts of a subreddit."""
    arguments = {"subreddit": subreddit, "size": 25}
    return lookup(SERVER, "retrieve_reddit_post", arguments, f"list the posts of r/{subreddit}", *values)


def read_thread(title: str, *values: Any) -> Action:
    """A post with its comments."""
    arguments = {"article": post(title)["id"]}
    return lookup(SERVER, "retrieve_post_comments", arguments, f"read the comments on '{title}'", *values)


def read_comment(title: str, body: str, *values: Any) -> Action:
    """One comment: that on a post which holds a text."""
    return lookup(
        SERVER, "retrieve_specific_comment", {"id": comment(title, body)["name"]}, "read the comment", *values
    )


def write_comment(title: str, text: str, *facts: Fact, to: str = "") -> Action:
    """Comment on a post, or on the comment there that holds a text."""
    target = comment(title, to)["name"] if to else post(title)["name"]
    arguments = {"text": text, "thing_id": target}
    purpose = f"comment on '{title}'"
    fields = {"parent_id": target}
    return change(
        "create", SERVER, "post_reddit_comment", arguments, purpose, *facts, collection="comments", fields=fields
    )


def post(title: str) -> dict[str, Any]:
    """The post with a title."""
    (wanted,) = [each for each in _seed()["posts"].values() if each["title"] == title]
    return dict(wanted)


def comments(title: str) -> list[dict[str, Any]]:
    """The comments on the post with a title."""
    name = post(title)["name"]
    return [each for each in _seed()["comments"].values() if each["link_id"] == name]


def comment(title: str, body: str) -> dict[str, Any]:
    """The one comment on a post that holds a text, or that somebody wrote (``u/name``)."""
    if body.startswith("u/"):
        (wanted,) = [each for each in comments(title) if each["author"] == body.removeprefix("u/")]
    else:
        (wanted,) = [each for each in comments(title) if body in each["body"]]
    return dict(wanted)


@cache
def _seed() -> dict[str, Any]:
    return seed()
