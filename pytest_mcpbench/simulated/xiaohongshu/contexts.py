"""Conversion of MCP-Persona's Rednote contexts, users with the notes that they wrote, to the site."""

import re
from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.simulated.engine.public_contexts import find_accounts, objects

_NUMBER = re.compile(r"([\d.]+)\s*(万)?")
_CARD = "noteCard."

Fields = dict[str, Any]


def convert_contexts(tree: Fields) -> Fields:
    """Return the site, signed in as the user of the first context; a tree in the server's own form stays unchanged."""
    accounts = find_accounts(tree, ("user_id", "feeds"))
    if not accounts:
        return tree
    notes = [_note(feed, account) for account in accounts for feed in objects(account["feeds"])]
    authors = {user["user_id"]: user for account in accounts for user in _comment_authors(account)}
    return {
        "account": {"user_id": accounts[0]["user_id"], "is_logged_in": True, "follows": []},
        "users": {**authors, **{each["user_id"]: _user(each) for each in accounts}},
        "feeds": {note["id"]: note for note in notes},
    }


def _user(account: Fields) -> Fields:
    tokens = [feed["xsecToken"] for feed in objects(account["feeds"]) if feed.get("xsecToken")]
    return {
        "user_id": account["user_id"],
        "nickname": account.get("nickname", ""),
        "red_id": account.get("redId", ""),
        "desc": account.get("desc", ""),
        "gender": account.get("gender", 0),
        "ip_location": account.get("ipLocation", ""),
        "xsec_token": account.get("xsecToken") or next(iter(tokens), ""),
        "follows": _number(account.get("interactions.follows.count")),
        "fans": _number(account.get("interactions.fans.count")),
    }


def _comment_authors(account: Fields) -> Iterator[Fields]:
    for feed in objects(account["feeds"]):
        for comment in _all_comments(feed):
            author = comment.get("userInfo") or {}
            if author.get("userId"):
                yield _user({"user_id": author["userId"], "nickname": author.get("nickname", ""), "feeds": {}})


def _note(feed: Fields, account: Fields) -> Fields:
    counts = {name: feed.get(f"{_CARD}interactInfo.{name}") for name in ("likedCount", "collectedCount", "sharedCount")}
    pictures = [each.get("urlDefault", "") for each in objects(feed.get(f"{_CARD}imageList"))]
    comments = [_comment(each) for each in _all_comments(feed)]
    return {
        "id": feed["id"],
        "xsec_token": feed.get("xsecToken", ""),
        "type": feed.get(f"{_CARD}type") or "normal",
        "title": feed.get(f"{_CARD}displayTitle") or "",
        "desc": feed.get(f"{_CARD}desc") or "",
        "tags": [],
        "user_id": account["user_id"],
        "ip_location": account.get("ipLocation", ""),
        "time": feed.get("time", 0),
        "images": pictures,
        "liked": bool(feed.get(f"{_CARD}interactInfo.liked")),
        "liked_count": _number(counts["likedCount"]),
        "collected": bool(feed.get(f"{_CARD}interactInfo.collected")),
        "collected_count": _number(counts["collectedCount"]),
        "shared_count": _number(counts["sharedCount"]),
        "comments": {each["id"]: each for each in comments},
    }


def _all_comments(feed: Fields) -> Iterator[Fields]:
    """Yield the comments on a note, each followed by the replies to it."""
    for comment in objects(feed.get("comments")):
        yield comment
        yield from objects(comment.get("subComments"))


def _comment(public: Fields) -> Fields:
    return {
        "id": public["id"],
        "content": public.get("content", ""),
        "user_id": (public.get("userInfo") or {}).get("userId", ""),
        "create_time": public.get("createTime", 0),
        "like_count": _number(public.get("likeCount")),
        "ip_location": public.get("ipLocation", ""),
    }


def _number(text: Any) -> int:
    """Return a number that the site writes as text: ``561``, ``1.2万`` or, for none, nothing."""
    found = _NUMBER.match(str(text or ""))
    if found is None:
        return 0
    return round(float(found[1]) * (10_000 if found[2] else 1))
