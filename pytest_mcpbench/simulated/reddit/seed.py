"""The initial state of Reddit: subreddits with posts and comments by people of the cast."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Any

from pytest_mcpbench.simulated.cast import CAST, NOW
from pytest_mcpbench.simulated.engine.table import rows

_HERE = Path(__file__).parent
_BASE_36 = digits + ascii_lowercase
_ARCHIVED_AFTER = timedelta(days=180)
"""Age at which a post is archived."""


@cache
def seed() -> dict[str, Any]:
    """Return the user's account and six subreddits with their posts and comments.

    They are built once per process and cached; no tree modifies its seed, and callers must not either.
    """
    posts = [_post(number, row) for number, row in enumerate(rows(_HERE / "posts.txt"))]
    comments = [comment for post in posts for comment in _comments(post)]
    subreddits = {
        name: {
            "id": CAST.ids(f"reddit/subreddits/{name}").text(5, _BASE_36),
            "display_name": name,
            "title": title,
            "subreddit_type": kind,
            "subscribers": int(subscribers),
        }
        for name, title, kind, subscribers in rows(_HERE / "subreddits.txt")
    }
    return {
        "user": {"id": "t2_" + CAST.me.ids("reddit").text(8, _BASE_36), "name": CAST.me.handle},
        "subreddits": subreddits,
        "posts": {post["id"]: post for post in posts},
        "comments": {comment["id"]: comment for comment in comments},
    }


def empty() -> dict[str, Any]:
    """Return the account and the subreddits, without posts."""
    return {**seed(), "posts": {}, "comments": {}}


def _post(number: int, row: tuple[str, ...]) -> dict[str, Any]:
    subreddit, author, flair, title, text = row
    ids = CAST.ids(f"reddit/posts/{number}")
    post_id = ids.text(7, _BASE_36[1:])
    moment = NOW - timedelta(days=number * 37 % 29, minutes=ids.number(10, 1300))
    if flair == "old":
        moment -= _ARCHIVED_AFTER
    return {
        "id": post_id,
        "name": f"t3_{post_id}",
        "subreddit": subreddit,
        "title": title,
        "selftext": text,
        "author": CAST.person(author).handle,
        "created_utc": moment.timestamp(),
        "score": ids.number(3, 900),
        "upvote_ratio": ids.number(70, 99) / 100,
        "link_flair_text": flair if flair not in ("locked", "old", "stickied") else None,
        "locked": flair == "locked",
        "archived": flair == "old",
        "stickied": flair == "stickied",
        "over_18": False,
    }


def _comments(post: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the comments on a post, oldest first; some reply to earlier ones."""
    ids = CAST.ids(f"reddit/comments/{post['id']}")
    people = [each for each in (*CAST.colleagues, *CAST.friends) if each.handle != post["author"]]
    moment = datetime.fromtimestamp(post["created_utc"], NOW.tzinfo)
    first, parents = ids.number(0, len(_COMMENT_TEXTS) - 1), [post["name"]]
    for number in range(ids.number(4, 8)):
        moment = min(moment + timedelta(minutes=ids.number(3, 90)), NOW)
        person = people[ids.number(0, len(people) - 1)]
        text = _COMMENT_TEXTS[(first + number) % len(_COMMENT_TEXTS)].format(number=ids.number(2, 30))
        parent = parents[ids.number(0, len(parents) - 1)]
        comment_id = ids.text(7, _BASE_36[1:])
        parents.append(f"t1_{comment_id}")
        yield {
            "id": comment_id,
            "name": f"t1_{comment_id}",
            "subreddit": post["subreddit"],
            "link_id": post["name"],
            "parent_id": parent,
            "score": ids.number(-2, 120),
            "author": "[deleted]" if text == "[deleted]" else person.handle,
            "body": text,
            "created_utc": moment.timestamp(),
        }


_COMMENT_TEXTS = (
    "Thanks for writing this up, it answers a question that I had for weeks.",
    "I would start smaller. {number} days are enough for a first try.",
    "Does it also work in winter?",
    "We tried the same last year and gave up after {number} attempts.",
    "Could you share the list? I would print it.",
    "Disagree. The second option is cheaper in the long run.",
    "Paid {number} yuan for mine and never looked back.",
    "This should be pinned.",
    "[deleted]",
    "For anybody who finds this later: the shop moved to the second floor.",
    "Same here, and I thought that I was the only one.",
    "What do you do when it rains?",
    "It took me {number} evenings, but it was worth it.",
    "Ask for the quiet table at the window.",
    "A friend of mine had exactly this and solved it with more sleep.",
    "Source? I have only ever read the opposite.",
    "Count me in for the next one.",
    "Small correction: it opens at half past nine.",
    "I keep a note of all of these, number {number} is my favourite.",
    "Good luck, and tell us how it went!",
    "The old version was better, but this one is easier to clean.",
    "You can borrow mine if you are in the neighbourhood.",
    "Upvoted for the photograph alone.",
    "Careful, the numbers are from before the change.",
)
