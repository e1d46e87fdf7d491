"""Conversion of MCP-Persona's Reddit contexts, subreddits with posts and nested comments, to the server's tree."""

from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.simulated.engine.public_contexts import find_accounts, objects

_ACCOUNT = {"id": "t2_persona", "name": "persona"}

Fields = dict[str, Any]


def convert_contexts(tree: Fields) -> Fields:
    """Return the posts and comments of all subreddits; a tree in the server's own form is returned unchanged."""
    subreddits = _subreddits(tree)
    if not subreddits:
        return tree
    posts = [_post(post, subreddit) for subreddit in subreddits for post in objects(subreddit["posts"])]
    return {
        "user": _ACCOUNT,
        "subreddits": {each["subreddit"]: _subreddit(each) for each in subreddits},
        "posts": {post["id"]: {name: value for name, value in post.items() if name != "comments"} for post in posts},
        "comments": _comments(posts),
    }


def _subreddits(tree: Fields) -> list[Fields]:
    if isinstance(tree.get("subreddit"), dict):
        tree = tree["subreddit"]
    nested = [each["subreddit"] for each in objects(tree) if isinstance(each.get("subreddit"), dict)]
    found = find_accounts(tree, ("subreddit", "posts"))
    return found or [each for trees in nested for each in find_accounts(trees, ("subreddit", "posts"))]


def _subreddit(public: Fields) -> Fields:
    name = public["subreddit"]
    numbers = [post.get("subreddit_subscribers", 0) for post in objects(public["posts"])]
    return {
        "id": str(public.get("subreddit_id", "")).removeprefix("t5_"),
        "display_name": name,
        "title": name,
        "subreddit_type": "public",
        "subscribers": max(numbers, default=0),
    }


def _post(public: Fields, subreddit: Fields) -> Fields:
    defaults = {
        "title": "",
        "selftext": "",
        "author": "",
        "created_utc": 0,
        "score": 1,
        "stickied": False,
        "over_18": False,
    }
    return {**defaults, **public, "name": f"t3_{public['id']}", "subreddit": subreddit["subreddit"]}


def _comments(posts: list[Fields]) -> dict[str, Fields]:
    """Return all comments by id; replies that repeat the id of another comment, as in the release, get a new one."""
    comments: dict[str, Fields] = {}
    for post in posts:
        for public, parent in _nested(objects(post.get("comments")), None):
            comment = _comment(public, post, parent)
            while comment["id"] in comments:
                comment = {**comment, "id": f"{comment['id']}r", "name": f"{comment['name']}r"}
            comments[comment["id"]] = comment
    return comments


def _nested(comments: list[Fields], parent: str | None) -> Iterator[tuple[Fields, str | None]]:
    for comment in comments:
        yield comment, parent
        yield from _nested(objects(comment.get("replies")), comment["id"])


def _comment(public: Fields, post: Fields, parent: str | None) -> Fields:
    comment_id = str(public["id"]).removeprefix("t1_")
    return {
        "id": comment_id,
        "name": f"t1_{comment_id}",
        "subreddit": post["subreddit"],
        "link_id": post["name"],
        "parent_id": parent or public.get("parent_id", post["name"]),
        "author": public.get("author", ""),
        "body": public.get("body", ""),
        "created_utc": public.get("created_utc", post["created_utc"]),
        "score": public.get("score", 1),
    }
