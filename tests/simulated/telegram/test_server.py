import re

import pytest

from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.telegram.seed import seed
from pytest_mcpbench.simulated.telegram.server import SIMULATION
from tests.simulated.service import Service, parameters

ME, NINA, YUE = CAST.me.telegram_id, CAST.person("nina.berg").telegram_id, CAST.person("yue.han").telegram_id
CLIMBING = next(int(key) for key, each in seed()["chats"].items() if each.get("title") == "Climbing Thursdays")
HIDDEN = re.compile(r"An error occurred \(code: [A-Z]+-ERR-\d{3}\)\. Check mcp_errors\.log for details\.")


@pytest.fixture
def telegram() -> Service:
    return Service(SIMULATION)


def test_the_tools_and_parameters_are_the_real_ones() -> None:
    assert parameters(SIMULATION) == {
        "list_chats": {"chat_type", "limit", "unread_only", "unmuted_only"},
        "get_chat": {"chat_id*"},
        "get_participants": {"chat_id*"},
        "list_messages": {"chat_id*", "limit", "search_query", "from_date", "to_date"},
        "send_message": {"chat_id*", "message*", "parse_mode"},
        "reply_to_message": {"chat_id*", "message_id*", "text*"},
        "edit_message": {"chat_id*", "message_id*", "new_text*"},
        "delete_message": {"chat_id*", "message_id*"},
        "search_contacts": {"query*"},
        "create_group": {"title*", "user_ids*"},
    }


def test_no_chat_is_said_in_words() -> None:
    empty = Service(SIMULATION, seed="empty")
    assert empty.call("list_chats") == "No chats found matching the criteria."
    assert empty.call("list_messages", chat_id="nina_berg") == "No messages found matching the criteria."


def test_a_group_is_shown_with_its_participants(telegram: Service) -> None:
    assert "Title: Climbing Thursdays\nType: Supergroup\nParticipants: 4" in telegram.call("get_chat", chat_id=CLIMBING)
    listed = telegram.call("get_participants", chat_id=f"-100{CLIMBING}").splitlines()
    assert listed[0] == f"ID: {ME}, Name: Siyuan Chen"
    assert len(listed) == 4


def test_messages_are_read_by_day_and_text(telegram: Service) -> None:
    lines = telegram.call("list_messages", chat_id=CLIMBING, limit=50).splitlines()
    days = [re.search(r"Date: (\S+)", line)[1] for line in lines]  # type: ignore[index]  # each line has a date
    assert days == sorted(days, reverse=True)
    day = days[5]
    on_the_day = telegram.call("list_messages", chat_id=CLIMBING, from_date=day, to_date=day).splitlines()
    assert on_the_day == [line for line in lines if f"Date: {day}" in line][::-1]
    word = lines[0].rpartition(": ")[2]
    assert lines[0] in telegram.call("list_messages", chat_id=CLIMBING, search_query=word.upper())


def test_a_message_is_sent_answered_changed_and_deleted(telegram: Service) -> None:
    assert telegram.call("send_message", chat_id=NINA, message="Hi") == "Message sent successfully."
    assert telegram.call("reply_to_message", chat_id="nina_berg", message_id=16, text="Again") == (
        "Replied to message 16 in chat nina_berg."
    )
    assert telegram.call("edit_message", chat_id=NINA, message_id=16, new_text="Hello") == "Message 16 edited."
    first, second = telegram.changes()
    assert (first.id, first.after["text"], first.after["from_id"]) == ("16", "Hello", ME)
    assert (second.id, second.after["reply_to"]) == ("17", 16)
    assert telegram.call("list_messages", chat_id=NINA, limit=1) == (
        "ID: 17 | Siyuan Chen | Date: 2026-03-02 09:00:00+00:00 | reply to 16 | Message: Again"
    )
    assert telegram.call("delete_message", chat_id=NINA, message_id=17) == "Message 17 deleted."
    assert [change.id for change in telegram.changes()] == ["16"]


def test_the_first_message_to_somebody_begins_a_chat(telegram: Service) -> None:
    telegram.call("send_message", chat_id=YUE, message="Hi")
    (change,) = telegram.changes()
    assert (change.kind, change.collection, change.id) == ("created", "chats", str(YUE))
    assert list(change.after["messages"]) == ["1"]


def test_an_unknown_contact_is_said_in_words(telegram: Service) -> None:
    assert telegram.call("search_contacts", query="nobody") == "No contacts found matching 'nobody'."


def test_a_group_is_created_with_its_people(telegram: Service) -> None:
    answer = telegram.call("create_group", title="Trip", user_ids=[NINA, "sam_carter"])
    (change,) = telegram.changes()
    assert answer == f"Group created with ID: {change.id}"
    assert change.after["participants"] == [ME, NINA, CAST.person("sam.carter").telegram_id]


def test_arguments_of_another_type_are_refused_by_pydantic(telegram: Service) -> None:
    message = telegram.refusal("edit_message", chat_id=NINA, message_id="first", new_text="x")
    assert message.startswith("Error executing tool edit_message: 1 validation error")
