# ruff: noqa: PLR0913 (the tools have the real server's parameters)
"""The messages server: the five tools of ``slack-mcp-server`` (korotovsky, MIT), which return CSV."""

import csv
import io
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure, page
from pytest_mcpbench.simulated.messages.world import Chat, Query, moment

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


def conversations_search_messages(
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
