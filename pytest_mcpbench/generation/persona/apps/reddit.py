"""Actions on Reddit: reading posts and comments, and writing comments."""

from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, change, lookup
from pytest_mcpbench.simulated.reddit.seed import seed

SERVER = "reddit"


def list_hot_posts(subreddit: str, *values: Any) -> Action:
    """List the hot posts of a subreddit."""
    arguments = {"subreddit": subreddit, "size": 25}
    return lookup(SERVER, "retrieve_reddit_post", arguments, f"list the posts of r/{subreddit}", *values)


def read_thread(title: str, *values: Any) -> Action:
    """Read a post with its comments."""
    arguments = {"article": post(title)["id"]}
    return lookup(SERVER, "retrieve_post_comments", arguments, f"read the comments on '{title}'", *values)


def read_comment(title: str, body: str, *values: Any) -> Action:
    """Read the comment on a post that contains a text."""
    return lookup(
        SERVER, "retrieve_specific_comment", {"id": comment(title, body)["name"]}, "read the comment", *values
    )


def write_comment(title: str, text: str, *facts: Fact, to: str = "") -> Action:
    """Comment on a post, or reply to the comment on it that contains a text."""
    target = comment(title, to)["name"] if to else post(title)["name"]
    arguments = {"text": text, "thing_id": target}
    purpose = f"comment on '{title}'"
    fields = {"parent_id": target}
    return change(
        "create", SERVER, "post_reddit_comment", arguments, purpose, *facts, collection="comments", fields=fields
    )


def post(title: str) -> dict[str, Any]:
    """Return the post with a title."""
    (expected,) = [each for each in _seed()["posts"].values() if each["title"] == title]
    return dict(expected)


def comments(title: str) -> list[dict[str, Any]]:
    """Return the comments on the post with a title."""
    name = post(title)["name"]
    return [each for each in _seed()["comments"].values() if each["link_id"] == name]


def comment(title: str, body: str) -> dict[str, Any]:
    """Return the only comment on a post that contains a text, or that a user (``u/name``) wrote."""
    if body.startswith("u/"):
        (expected,) = [each for each in comments(title) if each["author"] == body.removeprefix("u/")]
    else:
        (expected,) = [each for each in comments(title) if body in each["body"]]
    return dict(expected)


@cache
def _seed() -> dict[str, Any]:
    return seed()
