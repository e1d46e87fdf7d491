"""The messages server: channels, threads, searches and new messages, as CSV."""

import csv
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.simulated.engine import ToolFailure
from pytest_mcpbench.simulated.messages.server import SIMULATION, Chat, seed, stamp

ALL = {"channel_types": "public_channel"}


def a_chat() -> Chat:
    return Chat(Sandbox(path=Path("/nowhere")).world("messages"))


def rows(chat: Chat, tool: str, **arguments: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(SIMULATION.call(chat, tool, arguments).splitlines()))


def refusal(chat: Chat, tool: str, **arguments: Any) -> str:
    with pytest.raises(ToolFailure) as caught:
        SIMULATION.call(chat, tool, arguments)
    return str(caught.value)


def test_channels_are_listed_page_by_page() -> None:
    chat = a_chat()
    first = rows(chat, "channels_list", **ALL, limit=6)
    rest = rows(chat, "channels_list", **ALL, limit=6, cursor=first[-1]["Cursor"])
    assert [row["Name"] for row in first + rest] == [f"#{channel['name']}" for channel in chat.channels()]
    assert rest[-1]["Cursor"] == ""
    assert rows(chat, "channels_list", **ALL, sort="popularity", limit=1)[0]["Name"] == "#general"
    assert rows(chat, "channels_list", channel_types="private_channel") == []


def test_a_history_is_of_a_span_or_of_a_number_without_threads() -> None:
    chat = a_chat()
    latest = rows(chat, "conversations_history", channel_id="#finance", limit="1w")
    assert [row["Time"][:10] for row in latest] == ["2026-02-27", "2026-02-27", "2026-02-25", "2026-02-24"]
    assert rows(chat, "conversations_history", channel_id="C2FINANCE", limit="2") == latest[:2]
    assert rows(chat, "conversations_history", channel_id="finance") == []
    assert {row["ThreadTs"] for row in rows(chat, "conversations_history", channel_id="#mill-lane", limit="2m")} == {""}


def test_a_thread_is_read_from_its_beginning() -> None:
    chat = a_chat()
    (start,) = rows(chat, "conversations_search_messages", search_query="tiles oven")
    thread = rows(chat, "conversations_replies", channel_id="#mill-lane", thread_ts=start["MsgID"])
    assert [row["UserName"] for row in thread] == ["julia", "priya", "julia"]
    assert {row["ThreadTs"] for row in thread[1:]} == {start["MsgID"]}


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"search_query": "felt"}, 2),
        ({"search_query": "FELT quoted"}, 2),
        ({"search_query": "felt", "filter_in_channel": "#suppliers"}, 1),
        ({"filter_users_from": "Ian Castellan"}, 3),
        ({"filter_users_from": "@ian"}, 3),
        ({"filter_date_on": "2026-02-16"}, 2),
        ({"filter_date_after": "2026-02-27"}, 1),
        ({"filter_date_before": "2026-02-09"}, 1),
        ({"filter_in_channel": "#finance", "filter_threads_only": True}, 1),
    ],
)
def test_messages_are_searched(filters: dict[str, Any], count: int) -> None:
    assert len(rows(a_chat(), "conversations_search_messages", **filters)) == count


def test_messages_are_posted_at_the_time_of_the_clock() -> None:
    chat = a_chat()
    (first,) = rows(chat, "conversations_add_message", channel_id="#workshop", text='Say "yes", please')
    (second,) = rows(chat, "conversations_add_message", channel_id="#workshop", text="Now", thread_ts=first["MsgID"])
    assert (first["UserName"], first["Text"], first["Time"]) == ("nora", 'Say "yes", please', "2026-03-02T09:00:00Z")
    assert rows(chat, "conversations_replies", channel_id="#workshop", thread_ts=first["MsgID"]) == [first, second]
    assert len(chat.tree.diff_from(a_chat().tree)) == 2


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("conversations_history", {"channel_id": "#nowhere"}, "channel_not_found"),
        ("conversations_history", {"channel_id": "#general", "limit": "soon"}, "invalid limit 'soon'"),
        ("conversations_replies", {"channel_id": "#general", "thread_ts": "1.0"}, "thread_not_found"),
        ("conversations_search_messages", {}, "search_query or a filter is required"),
        ("conversations_search_messages", {"filter_users_from": "nobody"}, "user_not_found"),
        ("conversations_search_messages", {"filter_date_on": "today"}, "invalid date 'today'"),
        ("conversations_add_message", {"channel_id": "#general", "text": " "}, "no_text"),
        ("channels_list", {**ALL, "cursor": "x"}, "invalid_cursor"),
        ("channels_list", {}, "Input validation error: 'channel_types' is a required property"),
    ],
)
def test_what_cannot_be_done_is_the_services_error(tool: str, arguments: dict[str, Any], message: str) -> None:
    assert refusal(a_chat(), tool, **arguments).startswith(message)


def test_threads_of_the_seed_begin_with_a_message_of_their_channel() -> None:
    messages = seed()["messages"]
    answers = [each for each in messages.values() if each["thread_ts"]]
    assert [each for each in answers if messages[each["thread_ts"]]["channel"] != each["channel"]] == []
    assert all(stamp(chat_time(each["ts"])) == each["ts"] for each in messages.values())


def chat_time(ts: str) -> Any:
    from pytest_mcpbench.simulated.messages.server import moment

    return moment(ts)
