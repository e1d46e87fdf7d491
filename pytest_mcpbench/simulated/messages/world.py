"""The chat: channels, users and messages over a context tree.

The tree is ``{me, users: {id: user}, channels: {id: channel}, messages: {ts: message}}`` with::

    channel = {id, name, topic, purpose, members}
    message = {ts, channel, user, thread_ts, text}

``ts`` is Slack's id of a message: its second, with six digits behind a dot; ``thread_ts`` is that of the message which
began the thread, ``None`` outside of one.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import ToolFailure

SHAPE = Shape(
    (
        Collection("users", id_field="id"),
        Collection("channels", id_field="id"),
        Collection("messages", id_field="ts", references={"channel": "channels", "user": "users"}),
    )
)
_SPAN = re.compile(r"(\d+)([dwm])")
_DAYS = {"d": 1, "w": 7, "m": 30}
_MOST = 1000

Json = dict[str, Any]


@cache
def seed() -> Json:
    """The chat in which an attempt begins; made once a process, and to be left as it is."""
    written = json.loads(Path(__file__).with_name("seed.json").read_text(encoding="utf-8"))
    messages = [_message(*each) for each in written["messages"]]
    return {**written, "messages": {message["ts"]: message for message in messages}}


def _message(channel: str, user: str, when: str, text: str, thread: str | None = None) -> Json:
    thread_ts = None if thread is None else stamp(datetime.fromisoformat(thread))
    return {
        "ts": stamp(datetime.fromisoformat(when)),
        "channel": channel,
        "user": user,
        "thread_ts": thread_ts,
        "text": text,
    }


def stamp(when: datetime) -> str:
    """The ``ts`` of a message that was written at a time, UTC where it has no zone."""
    moment = when if when.tzinfo else when.replace(tzinfo=UTC)
    return f"{int(moment.timestamp())}.000100"


def moment(ts: str) -> datetime:
    """When a message was written."""
    return datetime.fromtimestamp(int(ts.partition(".")[0]), UTC)


@dataclass(frozen=True)
class Query:
    """What a search asks for; ``None`` is anything."""

    words: tuple[str, ...] = ()
    channel: str | None = None
    user: str | None = None
    after: str | None = None
    """A day, which does not count itself; so for ``before``."""
    before: str | None = None
    on: str | None = None
    in_threads: bool = False


class Chat:
    """The chat of one attempt. Each method is a request; :class:`ToolFailure` has the service's message."""

    def __init__(self, world: World) -> None:
        self._now = world.now
        self.tree = world.tree(seed, shape=SHAPE)

    def channels(self) -> list[Json]:
        """All channels, in order."""
        return list(self.tree.list("channels"))

    def channel(self, text: str) -> Json:
        """A channel by its id or, with or without ``#``, its name."""
        name = text.removeprefix("#")
        for channel in self.channels():
            if text == channel["id"] or name == channel["name"]:
                return channel
        raise ToolFailure("channel_not_found")

    def user(self, user_id: str) -> Json:
        """A user by id."""
        found: Json = self.tree.get(f"users[{user_id}]")
        return found

    def history(self, channel: str, limit: str) -> list[Json]:
        """A channel's messages outside of threads, the latest first: of a span (``2w``) or a number of them."""
        listed = [each for each in self._of(self.channel(channel)["id"]) if each["thread_ts"] is None]
        return self._limited(listed, limit)

    def replies(self, channel: str, thread_ts: str) -> list[Json]:
        """A thread, the message that began it first."""
        own = self._of(self.channel(channel)["id"])
        thread = [each for each in own if thread_ts in (each["ts"], each["thread_ts"])]
        if not thread:
            raise ToolFailure("thread_not_found")
        return sorted(thread, key=lambda each: str(each["ts"]))

    def search(self, query: Query) -> list[Json]:
        """Messages that fit, the latest first."""
        channel = self.channel(query.channel)["id"] if query.channel else None
        user = self._user_named(query.user) if query.user else None
        return [
            each
            for each in self._latest_first(self.tree.list("messages"))
            if channel in (None, each["channel"])
            and user in (None, each["user"])
            and not (query.in_threads and each["thread_ts"] is None)
            and all(word in each["text"].casefold() for word in query.words)
            and _is_in_time(moment(each["ts"]), query)
        ]

    def post(self, channel: str, text: str, thread_ts: str | None) -> Json:
        """A new message of the account's owner, at the clock's time."""
        if not text.strip():
            raise ToolFailure("no_text")
        owner = self.channel(channel)
        if thread_ts is not None:
            self.replies(channel, thread_ts)
        second = stamp(self._now).partition(".")[0]
        number = sum(ts.startswith(second) for ts in self.tree.get("messages"))
        message = {
            "ts": f"{second}.{number + 1:04}00",
            "channel": owner["id"],
            "user": self.tree.get("me"),
            "thread_ts": thread_ts,
            "text": text,
        }
        self.tree.create("messages", message)
        return message

    def _of(self, channel_id: str) -> list[Json]:
        return self._latest_first(self.tree.list("messages", {"channel": channel_id}))

    def _latest_first(self, messages: Iterable[Json]) -> list[Json]:
        return sorted(messages, key=lambda each: str(each["ts"]), reverse=True)

    def _limited(self, listed: list[Json], limit: str) -> list[Json]:
        if limit.isdecimal():
            return listed[: min(int(limit), _MOST)]
        span = _SPAN.fullmatch(limit)
        if span is None:
            raise ToolFailure(f"invalid limit {limit!r}: write a number of messages, or a span like 1d, 2w or 1m")
        begin = self._now - timedelta(days=int(span[1]) * _DAYS[span[2]])
        return [each for each in listed if moment(each["ts"]) >= begin]

    def _user_named(self, text: str) -> str:
        wanted = text.removeprefix("@").casefold()
        for user in self.tree.list("users"):
            if wanted in (user["id"].casefold(), user["name"].casefold(), user["real_name"].casefold()):
                return str(user["id"])
        raise ToolFailure("user_not_found")


def _is_in_time(when: datetime, query: Query) -> bool:
    day = when.date().isoformat()
    return (
        (query.after is None or day > query.after)
        and (query.before is None or day < query.before)
        and (query.on is None or day == query.on)
    )
