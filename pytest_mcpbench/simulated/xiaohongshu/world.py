"""Xiaohongshu over a context tree, as a signed-in browser sees the site.

The tree is ``{account: {user_id, is_logged_in, follows[]}, users: {id: user}, feeds: {id: note with comments: {id:
comment}}}``. Every note and every user has an ``xsec_token``, without which the site does not show them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import Ids, World
from pytest_mcpbench.simulated.engine import Entities, ToolFailure, file_inside
from pytest_mcpbench.simulated.engine.public_contexts import find_accounts, objects
from pytest_mcpbench.simulated.xiaohongshu.seed import logged_out, milliseconds, seed, token

# Conversion of MCP-Persona's Rednote contexts, users with the notes that they wrote, to the site.

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
    comments = [
        {
            "id": each["id"],
            "content": each.get("content", ""),
            "user_id": (each.get("userInfo") or {}).get("userId", ""),
            "create_time": each.get("createTime", 0),
            "like_count": _number(each.get("likeCount")),
            "ip_location": each.get("ipLocation", ""),
        }
        for each in _all_comments(feed)
    ]
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


def _number(text: Any) -> int:
    """Return a number that the site writes as text: ``561``, ``1.2万`` or, for none, nothing."""
    found = _NUMBER.match(str(text or ""))
    if found is None:
        return 0
    return round(float(found[1]) * (10_000 if found[2] else 1))


SHAPE = Shape(
    (
        Collection("users", id_field="user_id"),
        Collection("feeds", id_field="id"),
        Collection("feeds[*].comments", id_field="id"),
    )
)
FEEDS_ON_A_PAGE = 20
LONGEST_TITLE = 20
"""Maximum length of a title in Chinese characters; two other characters count as one."""
_NOT_SHOWN = "笔记不可访问: 当前笔记暂时无法浏览"

OPTIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "sort_by": ("排序依据", ("综合", "最新", "最多点赞", "最多评论", "最多收藏")),
    "note_type": ("笔记类型", ("不限", "视频", "图文")),
    "publish_time": ("发布时间", ("不限", "一天内", "一周内", "半年内")),
    "search_scope": ("搜索范围", ("不限", "已看过", "未看过", "已关注")),
    "location": ("位置距离", ("不限", "同城", "附近")),
}
"""Search filter -> its label and its allowed values, the default first."""
_SPANS = {"一天内": timedelta(days=1), "一周内": timedelta(days=7), "半年内": timedelta(days=182)}
_TYPES = {"视频": "video", "图文": "normal"}

Note = dict[str, Any]


class Xiaohongshu:
    """The site of one attempt."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.tree = world.tree(seed, shape=SHAPE, seeds={"logged_out": logged_out}, convert=convert_contexts)
        self._feeds = Entities(self.tree, "feeds", _NOT_SHOWN)

    @property
    def now(self) -> datetime:
        """The attempt's clock."""
        return self._world.now

    @property
    def ids(self) -> Ids:
        """The attempt's source of ids."""
        return self._world.ids

    @property
    def is_logged_in(self) -> bool:
        return bool(self.tree.get("account.is_logged_in"))

    def me(self) -> dict[str, Any]:
        """Return the user who owns the account."""
        return self.user(self.tree.get("account.user_id"))

    def user(self, user_id: str) -> dict[str, Any]:
        """Return one user, as shown next to notes."""
        stored: dict[str, Any] | None = self.tree.find("users", user_id)
        return stored or {"user_id": user_id, "nickname": "", "xsec_token": ""}

    def home(self) -> list[Note]:
        """Return the notes of the home page: the newest by others, or own ones if there are none, sorted by likes."""
        mine = self.tree.get("account.user_id")
        others = [each for each in self._feeds.all() if each["user_id"] != mine]
        newest = sorted(others or self._feeds.all(), key=lambda each: each["time"], reverse=True)[:FEEDS_ON_A_PAGE]
        return sorted(newest, key=lambda each: each["liked_count"], reverse=True)

    def search(self, keyword: str, filters: Mapping[str, str]) -> list[Note]:
        """Return the notes that contain every word of the keyword in title, text, tags or author name."""
        self._check_login()
        if not keyword.strip():
            raise ToolFailure("缺少关键词参数")
        options = {name: filters.get(name) or values[0] for name, (_, values) in OPTIONS.items()}
        for name, value in options.items():
            label, values = OPTIONS[name]
            if value not in values:
                raise ToolFailure(f'{label} 不支持 "{value}"，可选：{"、".join(values)}')
        words = keyword.casefold().split()
        matches: list[Note] = []
        for note in self._feeds.all():
            author = self.user(note["user_id"])["nickname"]
            text = "\n".join((note["title"], note["desc"], *note["tags"], author)).casefold()
            if all(word in text for word in words):
                matches.append(note)
        selected = [each for each in matches if self._passes(each, options)]
        return sorted(selected, key=_ORDERS[options["sort_by"]], reverse=True)[:FEEDS_ON_A_PAGE]

    def note(self, feed_id: str, xsec_token: str) -> Note:
        """Return one note, which the site shows only with its token."""
        note = self._feeds.get(feed_id)
        if note["xsec_token"] != xsec_token:
            raise ToolFailure(_NOT_SHOWN)
        return note

    def profile(self, user_id: str, xsec_token: str) -> tuple[dict[str, Any], list[Note]]:
        """Return a user and the user's notes, newest first.

        The user's token or that of any of the notes is accepted.
        """
        notes = self._feeds.all({"user_id": user_id})
        user: dict[str, Any] | None = self.tree.find("users", user_id)
        if user is None or xsec_token not in {user["xsec_token"], *(each["xsec_token"] for each in notes)}:
            raise ToolFailure("user.userPageData.value not found in __INITIAL_STATE__")
        return user, sorted(notes, key=lambda each: each["time"], reverse=True)

    def mark(self, feed_id: str, xsec_token: str, mark: str, *, is_set: bool) -> None:
        """Set or clear the mark ``liked`` or ``collected`` of a note.

        If the note already is in the requested state, nothing happens.
        """
        self._check_login()
        note = self.note(feed_id, xsec_token)
        if note[mark] is not is_set:
            count = note[f"{mark}_count"] + (1 if is_set else -1)
            self._feeds.update(feed_id, {mark: is_set, f"{mark}_count": count})

    def comment(self, feed_id: str, xsec_token: str, content: str) -> None:
        """Write a comment on a note."""
        self._check_login()
        if not content.strip():
            raise ToolFailure("缺少content参数")
        self.note(feed_id, xsec_token)
        me = self.me()
        comment = {
            "id": self._world.ids.hex(24),
            "content": content,
            "user_id": me["user_id"],
            "create_time": milliseconds(self._world.now),
            "like_count": 0,
            "ip_location": me.get("ip_location", ""),
        }
        self._feeds.subcollection(feed_id, "comments", "").create(comment)

    def publish(self, title: str, content: str, images: list[str], tags: list[str]) -> Note:
        """Publish a note with pictures."""
        self._check_login()
        if title_length(title) > LONGEST_TITLE:
            raise ToolFailure("标题长度超过限制")
        if not images:
            raise ToolFailure("no valid images found")
        for image in images:
            is_link = image.startswith(("http://", "https://"))
            if not is_link and file_inside(self._world, image) is None:
                raise ToolFailure(f"图片文件不存在: {image}")
        me = self.me()
        return self._feeds.create(
            {
                "id": self._world.ids.hex(24),
                "xsec_token": token(self._world.ids),
                "type": "normal",
                "title": title,
                "desc": content,
                "tags": tags,
                "user_id": me["user_id"],
                "ip_location": me.get("ip_location", ""),
                "time": milliseconds(self._world.now),
                "images": images,
                "liked": False,
                "collected": False,
                **dict.fromkeys(("liked_count", "collected_count", "shared_count"), 0),
                "comments": {},
            }
        )

    def _check_login(self) -> None:
        if not self.is_logged_in:
            raise ToolFailure("未登录，请先扫码登录")

    def _passes(self, note: Note, options: Mapping[str, str]) -> bool:
        account = self.tree.get("account")
        age = milliseconds(self._world.now) - note["time"]
        span = _SPANS.get(options["publish_time"])
        is_nearby = options["location"] != "不限"
        return all(
            (
                note["type"] == _TYPES.get(options["note_type"], note["type"]),
                span is None or age <= span / timedelta(milliseconds=1),
                options["search_scope"] != "已关注" or note["user_id"] in account["follows"],
                options["search_scope"] != "已看过" or note["liked"] or note["collected"],
                options["search_scope"] != "未看过" or not (note["liked"] or note["collected"]),
                not is_nearby or note["ip_location"] == self.me().get("ip_location"),
            )
        )


_ORDERS: Mapping[str, Callable[[Note], int]] = {
    "综合": lambda note: note["liked_count"] + note["collected_count"],
    "最新": lambda note: note["time"],
    "最多点赞": lambda note: note["liked_count"],
    "最多评论": lambda note: len(note["comments"]),
    "最多收藏": lambda note: note["collected_count"],
}


def title_length(title: str) -> int:
    """Return the length as the site counts it: two letters or digits are as long as one Chinese character."""
    return -(-sum(1 if ord(each) < 128 else 2 for each in title) // 2)
