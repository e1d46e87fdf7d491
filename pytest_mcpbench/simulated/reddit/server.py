"""The Reddit server: four of Composio's tools, with the names that MCP-Persona uses for them.

Parameters are those of Composio's toolkit; the content of ``data`` has the form of Reddit's API.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from math import log10
from string import ascii_lowercase, digits
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import Entities, Simulation, ToolFailure
from pytest_mcpbench.simulated.engine.composio import COMPOSIO, failure_envelope, success_envelope
from pytest_mcpbench.simulated.engine.public_contexts import find_accounts, objects
from pytest_mcpbench.simulated.reddit.seed import empty, seed

# Conversion of MCP-Persona's Reddit contexts, subreddits with posts and nested comments, to the server's tree.

_ACCOUNT = {"id": "t2_persona", "name": "persona"}
_POST_DEFAULTS = {
    "title": "",
    "selftext": "",
    "author": "",
    "created_utc": 0,
    "score": 1,
    "stickied": False,
    "over_18": False,
}

Fields = dict[str, Any]


def convert_contexts(tree: Fields) -> Fields:
    """Return the posts and comments of all subreddits; a tree in the server's own form is returned unchanged."""
    root = tree["subreddit"] if isinstance(tree.get("subreddit"), dict) else tree
    nested = [each["subreddit"] for each in objects(root) if isinstance(each.get("subreddit"), dict)]
    subreddits = find_accounts(root, ("subreddit", "posts")) or [
        each for trees in nested for each in find_accounts(trees, ("subreddit", "posts"))
    ]
    if not subreddits:
        return tree
    posts = [
        {**_POST_DEFAULTS, **post, "name": f"t3_{post['id']}", "subreddit": subreddit["subreddit"]}
        for subreddit in subreddits
        for post in objects(subreddit["posts"])
    ]
    return {
        "user": _ACCOUNT,
        "subreddits": {each["subreddit"]: _subreddit(each) for each in subreddits},
        "posts": {post["id"]: {name: value for name, value in post.items() if name != "comments"} for post in posts},
        "comments": _comments(posts),
    }


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


def _comments(posts: list[Fields]) -> dict[str, Fields]:
    """Return all comments by id; replies that repeat the id of another comment, as in the release, get a new one."""
    comments: dict[str, Fields] = {}
    for post in posts:
        for public, parent in _nested(objects(post.get("comments")), None):
            comment_id = str(public["id"]).removeprefix("t1_")
            comment = {
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
            while comment["id"] in comments:
                comment = {**comment, "id": f"{comment['id']}r", "name": f"{comment['name']}r"}
            comments[comment["id"]] = comment
    return comments


def _nested(comments: list[Fields], parent: str | None) -> Iterator[tuple[Fields, str | None]]:
    for comment in comments:
        yield comment, parent
        yield from _nested(objects(comment.get("replies")), comment["id"])


# Reddit over a context tree: posts, comments and the rules for writing comments.
#
# The tree is ``{user, subreddits: {name: subreddit}, posts: {id: post}, comments: {id: comment}}``. Ids are in base 36
# without the prefix of their kind, which ``name`` includes (``t3_`` for a post, ``t1_`` for a comment). Values that
# Reddit computes for a response (number of comments, links) are not stored. A tree may have a list ``scopes`` with
# ``read`` and ``submit``.

SHAPE = Shape(
    (
        Collection("subreddits", id_field="display_name"),
        Collection("posts", id_field="id"),
        Collection("comments", id_field="id"),
    )
)
MOST_POSTS = 100
"""Maximum number of posts in one response."""
LONGEST_COMMENT = 10_000
_SITE = "https://www.reddit.com"
_EPOCH = 1134028003
"""The start of time in Reddit's formula for hot posts."""

Thing = dict[str, Any]


class Reddit:
    """Reddit in one attempt; each method is a request to its API."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"empty": empty}, convert=convert_contexts)
        self._posts = Entities(self.tree, "posts", "Not Found")
        self._comments = Entities(self.tree, "comments", "Not Found")

    def hot(self, subreddit: str, size: int) -> Thing:
        """Return the listing of a subreddit's hot posts; a size of 0 returns as many as possible."""
        name = self._subreddit(subreddit)["display_name"]
        posts = sorted(self._posts.all({"subreddit": name}), key=_heat, reverse=True)
        visible = posts[: min(size or MOST_POSTS, MOST_POSTS)]
        return _listing(
            map(self._post_thing, visible), after=visible[-1]["name"] if len(visible) < len(posts) else None
        )

    def thread(self, article: str) -> list[Thing]:
        """Return two listings: the post, and its comments with nested replies."""
        post = self.tree.find("posts", article)
        if post is None:
            raise _http_failure("Failed to retrieve the comments", 404, "Not Found")
        self._subreddit(post["subreddit"])
        comments = self._comments.all({"link_id": post["name"]})
        return [_listing([self._post_thing(post)]), self._replies(post["name"], comments)]

    def info(self, fullname: str) -> list[Thing]:
        """Return the thing with the name in a list, which is empty for an unknown name, as on Reddit."""
        thing = self._thing(fullname)
        return [] if thing is None else [thing]

    def comment(self, parent: str, text: str) -> Thing:
        """Write a comment on a post or a reply to a comment."""
        thing = self._thing(parent)
        if thing is None:
            raise _http_failure("Failed to post the comment", 403, "Forbidden")
        data = thing["data"]
        post = data if thing["kind"] == "t3" else self._posts.get(data["link_id"].removeprefix("t3_"))
        if data["author"] == "[deleted]":
            raise _refusal(*_DELETED[thing["kind"]], "parent")
        if post.get("archived"):
            raise _refusal("TOO_OLD", "that's a piece of history now; it's too late to reply to it", "parent")
        if post.get("locked"):
            raise _refusal("THREAD_LOCKED", "Comments are locked.", "parent")
        if not text.strip():
            raise _refusal("NO_TEXT", "we need something here", "text")
        if len(text) > LONGEST_COMMENT:
            raise _refusal("TOO_LONG", f"this is too long (max: {LONGEST_COMMENT})", "text")
        comment_id = self._world.ids.text(7, digits + ascii_lowercase)
        comment = {
            "id": comment_id,
            "name": f"t1_{comment_id}",
            "subreddit": data["subreddit"],
            "link_id": data.get("link_id", data["name"]),
            "parent_id": data["name"],
            "author": self.tree.get("user.name"),
            "body": text,
            "created_utc": self._world.now.astimezone(UTC).timestamp(),
            "score": 1,
        }
        return self._comment_thing(self._comments.create(comment))

    def _subreddit(self, name: str) -> dict[str, Any]:
        """Return the subreddit with the name in any case; the account must be allowed to read it."""
        by_name = {each["display_name"].casefold(): each for each in self.tree.list("subreddits")}
        subreddit: dict[str, Any] | None = by_name.get(name.casefold())
        if subreddit is None:
            raise _http_failure("Failed to retrieve posts", 404, "Not Found")
        if subreddit["subreddit_type"] == "private":
            raise _http_failure("Failed to retrieve posts", 403, "Forbidden", reason="private")
        return subreddit

    def _thing(self, fullname: str) -> Thing | None:
        kind, _, key = fullname.partition("_")
        if kind not in ("t1", "t3"):
            return None
        stored = self.tree.find("posts" if kind == "t3" else "comments", key)
        if stored is None:
            return None
        return self._post_thing(stored) if kind == "t3" else self._comment_thing(stored)

    def _replies(self, parent: str, comments: list[dict[str, Any]], depth: int = 0) -> Thing:
        """Return the listing of the comments under a thing, best first."""
        replies = sorted((each for each in comments if each["parent_id"] == parent), key=lambda each: -each["score"])
        return _listing(
            self._comment_thing(each, replies=self._replies(each["name"], comments, depth + 1), depth=depth)
            for each in replies
        )

    def _post_thing(self, post: Mapping[str, Any]) -> Thing:
        path = f"/r/{post['subreddit']}/comments/{post['id']}/"
        count = len(self._comments.all({"link_id": post["name"]}))
        links = {"permalink": path, "url": _SITE + path, "is_self": True}
        return {"kind": "t3", "data": {**post, "ups": post["score"], "num_comments": count, **links}}

    def _comment_thing(self, comment: Mapping[str, Any], replies: Thing | None = None, depth: int = 0) -> Thing:
        path = f"/r/{comment['subreddit']}/comments/{comment['link_id'].removeprefix('t3_')}/_/{comment['id']}/"
        nested = replies if replies and replies["data"]["children"] else ""
        extras = {"ups": comment["score"], "permalink": path, "depth": depth, "replies": nested}
        return {"kind": "t1", "data": {**comment, **extras}}


_DELETED = {
    "t1": ("DELETED_COMMENT", "that comment has been deleted"),
    "t3": ("DELETED_LINK", "the link you are commenting on has been deleted"),
}


def _listing(things: Iterable[Thing], after: str | None = None) -> Thing:
    children = list(things)
    data = {"after": after, "dist": len(children), "modhash": None, "geo_filter": "", "children": children}
    return {"kind": "Listing", "data": {**data, "before": None}}


def _heat(post: Mapping[str, Any]) -> tuple[bool, float]:
    """Return the sort key of hot posts: pinned ones first, then Reddit's published formula of score and age."""
    score = post["score"]
    sign = (score > 0) - (score < 0)
    return post["stickied"], sign * log10(max(abs(score), 1)) + (post["created_utc"] - _EPOCH) / 45000


def _http_failure(action: str, status: int, message: str, **more: str) -> ToolFailure:
    return ToolFailure(action, status=status, response={**more, "message": message, "error": status})


def _refusal(code: str, message: str, parameter: str) -> ToolFailure:
    """Return the failure for a write that Reddit refuses with an error in the body of a successful response."""
    return ToolFailure(
        "Failed to post the comment", status=200, response={"json": {"errors": [[code, message, parameter]]}}
    )


# The tools.

# ruff: noqa: A002 (parameters have the real server's names)


def post_reddit_comment(
    reddit: Reddit,
    text: Annotated[str, Field(description="What the comment says, in Markdown")],
    thing_id: Annotated[str, Field(description="What it answers: t3_ and a post's id, or t1_ and a comment's id")],
) -> dict[str, Any]:
    """Write a comment under a post, or a reply to a comment. It is public at once."""
    return {"json": {"errors": [], "data": {"things": [reddit.comment(thing_id, text)]}}}


def retrieve_post_comments(
    reddit: Reddit,
    article: Annotated[str, Field(description="Id of the post in base 36, without the prefix t3_")],
) -> dict[str, Any]:
    """Get a post and all comments on it.

    Two listings come back: the post is in the first, the comments are the children of the second. Answers to a comment
    are in its field replies.
    """
    return {"listings": reddit.thread(article)}


def retrieve_reddit_post(
    reddit: Reddit,
    subreddit: Annotated[str, Field(description="Name of the subreddit, without r/")],
    size: Annotated[int | None, Field(ge=0, description="How many posts at most; 0 for as many as possible")] = 5,
) -> dict[str, Any]:
    """Get the posts that are hot in a subreddit now."""
    listing: dict[str, Any] = reddit.hot(subreddit, 5 if size is None else size)["data"]
    return listing


def retrieve_specific_comment(
    reddit: Reddit,
    id: Annotated[str, Field(description="Full name of a comment or a post: t1_ or t3_ and the id")],
) -> dict[str, Any]:
    """Get one comment or one post by its full name, without what surrounds it."""
    return {"things": [{**each, "id": each["data"]["id"], "name": id} for each in reddit.info(id)]}


def _forbidden(_failure: ToolFailure) -> ToolFailure:
    return ToolFailure("Request failed", status=403, response={"message": "Forbidden", "error": 403})


SIMULATION = Simulation(
    name="reddit",
    state=Reddit,
    tools=(post_reddit_comment, retrieve_post_comments, retrieve_reddit_post, retrieve_specific_comment),
    dialect=COMPOSIO,
    answer=success_envelope,
    failure=failure_envelope(_forbidden),
    scopes={
        "post_reddit_comment": "submit",
        "retrieve_post_comments": "read",
        "retrieve_reddit_post": "read",
        "retrieve_specific_comment": "read",
    },
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
