"""The messages server: the five tools of ``slack-mcp-server`` (korotovsky, MIT), which return CSV.

Channels, users and messages are in a context tree: ``{me, users: {id: user}, channels: {id: channel}, messages: {ts:
message}}`` with::

    channel = {id, name, topic, purpose, members}
    message = {ts, channel, user, thread_ts, text}

``ts`` is Slack's id of a message: its time in seconds, followed by a dot and six digits. ``thread_ts`` is the ``ts`` of
the message that started the thread, or ``None`` outside a thread.
"""

import csv
import io
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure, page, whole_number

SHAPE = Shape(
    (
        Collection("users", id_field="id"),
        Collection("channels", id_field="id"),
        Collection("messages", id_field="ts", references={"channel": "channels", "user": "users"}),
    )
)
_SPAN = re.compile(r"(\d{1,4})([dwm])")
_DAYS = {"d": 1, "w": 7, "m": 30}
_MAX_MESSAGES = 1000

Json = dict[str, Any]


@cache
def seed() -> Json:
    """Return the initial chat of an attempt; it is loaded once per process and must not be modified."""
    stored = json.loads(Path(__file__).with_name("seed.json").read_text(encoding="utf-8"))
    messages: dict[str, Json] = {}
    # The last field, the time of the message that began the thread, is only there for messages in threads.
    for channel, user, when, text, *thread in stored["messages"]:
        ts = stamp(datetime.fromisoformat(when))
        thread_ts = stamp(datetime.fromisoformat(thread[0])) if thread else None
        messages[ts] = {"ts": ts, "channel": channel, "user": user, "thread_ts": thread_ts, "text": text}
    return {**stored, "messages": messages}


def stamp(when: datetime) -> str:
    """Return the ``ts`` of a message written at a time; a time without a zone is taken as UTC."""
    moment = when if when.tzinfo else when.replace(tzinfo=UTC)
    return f"{int(moment.timestamp())}.000100"


def moment(ts: str) -> datetime:
    """Return the time at which a message was written."""
    return datetime.fromtimestamp(int(ts.partition(".")[0]), UTC)


@dataclass(frozen=True)
class Query:
    """The criteria of a search; ``None`` matches anything."""

    words: tuple[str, ...] = ()
    channel: str | None = None
    user: str | None = None
    after: str | None = None
    """A day, exclusive, as is ``before``."""
    before: str | None = None
    on: str | None = None
    in_threads: bool = False


class Chat:
    """The chat of one attempt; each method is a request and raises :class:`ToolFailure` with the service's message."""

    def __init__(self, world: World) -> None:
        self._now = world.now
        self.tree = world.tree(seed, shape=SHAPE)

    def channels(self) -> list[Json]:
        """Return all channels, in order."""
        return list(self.tree.list("channels"))

    def channel(self, text: str) -> Json:
        """Return a channel by its id or by its name, with or without ``#``."""
        name = text.removeprefix("#")
        for channel in self.channels():
            if text == channel["id"] or name == channel["name"]:
                return channel
        raise ToolFailure("channel_not_found")

    def user(self, user_id: str) -> Json:
        """Return a user by id."""
        user: Json = self.tree.get(f"users[{user_id}]")
        return user

    def history(self, channel: str, limit: str) -> list[Json]:
        """Return a channel's messages outside threads, latest first, limited to a time span (``2w``) or to a number."""
        messages = [each for each in self._messages_of(self.channel(channel)["id"]) if each["thread_ts"] is None]
        number = whole_number(limit)
        if number is not None:
            return messages[: min(number, _MAX_MESSAGES)]
        span = _SPAN.fullmatch(limit)
        if span is None:
            raise ToolFailure(f"invalid limit {limit!r}: write a number of messages, or a span like 1d, 2w or 1m")
        begin = self._now - timedelta(days=int(span[1]) * _DAYS[span[2]])
        return [each for each in messages if moment(each["ts"]) >= begin]

    def replies(self, channel: str, thread_ts: str) -> list[Json]:
        """Return a thread, starting with its first message."""
        messages = self._messages_of(self.channel(channel)["id"])
        thread = [each for each in messages if thread_ts in (each["ts"], each["thread_ts"])]
        if not thread:
            raise ToolFailure("thread_not_found")
        return sorted(thread, key=lambda each: str(each["ts"]))

    def search(self, query: Query) -> list[Json]:
        """Return the messages that match a query, latest first."""
        channel = self.channel(query.channel)["id"] if query.channel else None
        user = None
        if query.user:
            name = query.user.removeprefix("@").casefold()
            matches = (
                str(each["id"])
                for each in self.tree.list("users")
                if name in (each["id"].casefold(), each["name"].casefold(), each["real_name"].casefold())
            )
            user = next(matches, None)
            if user is None:
                raise ToolFailure("user_not_found")
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
        """Post a message as the account's owner at the current time of the world's clock."""
        if not text.strip():
            raise ToolFailure("no_text")
        target = self.channel(channel)
        if thread_ts is not None:
            self.replies(channel, thread_ts)
        second = stamp(self._now).partition(".")[0]
        number = sum(ts.startswith(second) for ts in self.tree.get("messages"))
        message = {
            "ts": f"{second}.{number + 1:04}00",
            "channel": target["id"],
            "user": self.tree.get("me"),
            "thread_ts": thread_ts,
            "text": text,
        }
        self.tree.create("messages", message)
        return message

    def _messages_of(self, channel_id: str) -> list[Json]:
        return self._latest_first(self.tree.list("messages", {"channel": channel_id}))

    def _latest_first(self, messages: Iterable[Json]) -> list[Json]:
        return sorted(messages, key=lambda each: str(each["ts"]), reverse=True)


def _is_in_time(when: datetime, query: Query) -> bool:
    day = when.date().isoformat()
    return (
        (query.after is None or day > query.after)
        and (query.before is None or day < query.before)
        and (query.on is None or day == query.on)
    )


_COLUMNS = ("MsgID", "UserID", "UserName", "RealName", "Channel", "ThreadTs", "Text", "Time", "Reactions", "Cursor")
_PAGE = 100

Channel = Annotated[str, Field(description="Id of the channel, or its name with # in front")]
Cursor = Annotated[str | None, Field(description="Where to go on: the Cursor of the last row of the page before")]
Day = Annotated[str | None, Field(description="A day like 2026-02-27")]


def channels_list(
    chat: Chat,
    channel_types: Annotated[
        str, Field(description="Which kinds, separated by commas: public_channel, private_channel")
    ],
    sort: Annotated[Literal["popularity"] | None, Field(description="By number of members, if wanted")] = None,
    limit: Annotated[int, Field(description="How many channels to list", ge=1, le=999)] = 100,
    cursor: Cursor = None,
) -> str:
    """Get list of channels"""
    channels = chat.channels() if "public_channel" in channel_types.split(",") else []
    if sort == "popularity":
        channels.sort(key=lambda each: -int(each["members"]))
    current_page = page(channels, limit, cursor, "invalid_cursor")
    rows = [
        [each["id"], f"#{each['name']}", each["topic"], each["purpose"], each["members"], ""]
        for each in current_page.items
    ]
    return _csv(("ID", "Name", "Topic", "Purpose", "MemberCount", "Cursor"), rows, current_page.cursor)


def conversations_history(
    chat: Chat,
    channel_id: Channel,
    cursor: Cursor = None,
    limit: Annotated[str, Field(description="A span of time (1d, 2w, 1m) or a number of messages")] = "1d",
) -> str:
    """Get messages of a channel, the latest first; what was answered in threads is left out"""
    return _message_page(chat, chat.history(channel_id, limit), cursor)


def conversations_replies(
    chat: Chat,
    channel_id: Channel,
    thread_ts: Annotated[str, Field(description="MsgID of the message that began the thread, like 1234567890.123456")],
    cursor: Cursor = None,
) -> str:
    """Get a thread of messages"""
    return _message_page(chat, chat.replies(channel_id, thread_ts), cursor)


def conversations_search_messages(  # noqa: PLR0913 (the real server's parameters)
    chat: Chat,
    search_query: Annotated[str | None, Field(description="Words that must all be in the message")] = None,
    filter_in_channel: Annotated[str | None, Field(description="Only this channel: id, or name with #")] = None,
    filter_users_from: Annotated[str | None, Field(description="Only messages of this person: id or name")] = None,
    filter_date_after: Day = None,
    filter_date_before: Day = None,
    filter_date_on: Day = None,
    filter_threads_only: Annotated[bool, Field(description="Only answers in threads")] = False,
    cursor: Cursor = None,
    limit: Annotated[int, Field(description="How many messages to show", ge=1, le=100)] = 20,
) -> str:
    """Search messages by words, channel, writer and day; at least one of them must be given"""
    filters = (
        search_query,
        filter_in_channel,
        filter_users_from,
        filter_date_after,
        filter_date_before,
        filter_date_on,
    )
    if not any(filters):
        raise ToolFailure("search_query or a filter is required")
    query = Query(
        words=tuple((search_query or "").casefold().replace('"', " ").split()),
        channel=filter_in_channel,
        user=filter_users_from,
        after=_day(filter_date_after),
        before=_day(filter_date_before),
        on=_day(filter_date_on),
        in_threads=filter_threads_only,
    )
    return _message_page(chat, chat.search(query), cursor, limit)


def conversations_add_message(
    chat: Chat,
    channel_id: Channel,
    text: Annotated[str, Field(description="What to say")],
    thread_ts: Annotated[str | None, Field(description="MsgID of the message to answer in its thread")] = None,
) -> str:
    """Add a message to a channel, or to a thread"""
    return _message_page(chat, [chat.post(channel_id, text, thread_ts)], None)


def _message_page(chat: Chat, messages: list[dict[str, Any]], cursor: str | None, size: int = _PAGE) -> str:
    current_page = page(messages, size, cursor, "invalid_cursor")
    rows: list[list[Any]] = []
    for message in current_page.items:
        user = chat.user(message["user"])
        channel = chat.channel(message["channel"])
        rows.append(
            [
                message["ts"],
                user["id"],
                user["name"],
                user["real_name"],
                f"#{channel['name']}",
                message["thread_ts"] or "",
                message["text"],
                f"{moment(message['ts']):%Y-%m-%dT%H:%M:%SZ}",
                "",
                "",
            ]
        )
    return _csv(_COLUMNS, rows, current_page.cursor)


def _csv(columns: Iterable[str], rows: Iterable[list[Any]], cursor: str | None) -> str:
    """Return the rows as CSV with a header; the last cell of the last row is the cursor of the next page."""
    cells = [list(row) for row in rows]
    if cells and cursor:
        cells[-1][-1] = cursor
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *cells])
    return text.getvalue()


def _day(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ToolFailure(f"invalid date {text!r}: write it like 2026-02-27") from None


SIMULATION = Simulation(
    name="Slack MCP Server",
    state=Chat,
    tools=(
        channels_list,
        conversations_history,
        conversations_replies,
        conversations_search_messages,
        conversations_add_message,
    ),
    dialect=PYTHON_SDK,
    version="1.1.0",
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
