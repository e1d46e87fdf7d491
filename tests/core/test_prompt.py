from typing import Any

import pytest

from pytest_mcpbench.core.chat import ChatMessage, Reply
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.prompt import (
    NOT_MADE,
    NOT_RECORDED,
    assistant_message,
    conversation,
    gold_messages,
    server_instructions,
    system_prompt,
    tool_message,
)
from pytest_mcpbench.core.task import Context, Message, Turn
from pytest_mcpbench.core.tool import Call, CallRecord, Content, ToolResult
from tests.builders import a_call, a_task, a_tool, expected_call


def user(text: str) -> ChatMessage:
    return ChatMessage("user", text)


def assistant(text: str = "", *calls: Call) -> ChatMessage:
    return ChatMessage("assistant", text, calls=calls)


def heard(call_id: str, text: str) -> ChatMessage:
    return ChatMessage("tool", text, call_id=call_id)


def test_a_bare_task_is_one_user_message() -> None:
    assert conversation(a_task(ask="Add 1 and 2."), [[]]) == [user("Add 1 and 2.")]


ABOUT = Context(necessary={"phone": "123 "}, unnecessary=("I like tea.  ",), now="2026-03-02T09:00:00+00:00")
OPENINGS: dict[str, tuple[dict[str, Any], str | None, str]] = {
    "the suite's": ({}, "Be brief.", "Be brief."),
    "the task's own goes first": ({"system": "Be kind."}, "Be brief.", "Be kind."),
    "what is known of the user": (
        {"context": ABOUT},
        None,
        "What is known about the user:\n- phone: 123\n- I like tea.\n\nIt is now 2026-03-02T09:00:00+00:00.",
    ),
    "the time alone": ({"context": Context(now="2026-03-02")}, "Be brief.", "Be brief.\n\nIt is now 2026-03-02."),
}


@pytest.mark.parametrize(("fields", "system", "text"), OPENINGS.values(), ids=OPENINGS.keys())
def test_instructions_and_context_are_the_system_message(fields: dict[str, Any], system: str | None, text: str) -> None:
    task = a_task(**fields)
    opening = system_prompt(task, system)
    assert conversation(task, [[]], system=opening) == [ChatMessage("system", text), user("Do it.")]


def test_instructions_of_the_servers_with_tools_stand_behind_everything_else() -> None:
    servers = [ServerFacts(name=name, instructions=f"Mind {name}. ") for name in ("calc", "mail")]
    told = server_instructions(
        [*servers, ServerFacts(name="quiet")], [a_tool("add", server="calc"), a_tool("x", server="quiet")]
    )
    assert told == "Instructions of the MCP server calc:\nMind calc."
    assert system_prompt(a_task(system="Be kind."), None, told) == f"Be kind.\n\n{told}"


def test_an_empty_system_prompt_of_a_task_silences_that_of_the_suite() -> None:
    task = a_task(system="")
    assert conversation(task, [[]], system=system_prompt(task, "Be brief.")) == [user("Do it.")]


GOLD = (
    Message(
        role="assistant", text="Look.", calls=(expected_call("find", {"q": 1}, id="x"), expected_call("get", id="y"))
    ),
    Message(role="tool", text="second", call_id="y"),
    Message(role="tool", text="first", call_id="x"),
    Message(role="assistant", text="Found."),
)
GOLD_SHOWN = [
    assistant(
        "Look.",
        Call(id="gold_0_0", name="mail_find", arguments={"q": 1}),
        Call(id="gold_0_1", name="get", arguments={}),
    ),
    heard("gold_0_0", "first"),
    heard("gold_0_1", "second"),
    assistant("Found."),
]
TOOLS = (a_tool("mail_find", tool="find", server="mail"),)


def test_later_turns_see_the_recorded_reply_in_place_of_the_own_one() -> None:
    task = a_task(turns=(Turn(user="one", gold=GOLD), Turn(user="two", gold=GOLD)))
    said = [[assistant("my own")], [assistant("going on")]]
    expected = [user("one"), *GOLD_SHOWN, user("two"), assistant("going on")]
    assert conversation(task, said, TOOLS) == expected


def test_the_turn_at_hand_never_sees_its_own_recorded_reply() -> None:
    task = a_task(turns=(Turn(user="one", gold=GOLD), Turn(user="two", gold=GOLD)))
    assert conversation(task, [[assistant("my own")]], TOOLS) == [user("one"), assistant("my own")]


def test_without_a_recorded_reply_later_turns_see_the_own_one() -> None:
    task = a_task(turns=(Turn(user="one"), Turn(user="two")))
    said = [[assistant("my own")], []]
    assert conversation(task, said) == [user("one"), assistant("my own"), user("two")]


def test_recorded_results_are_matched_in_order_where_ids_do_not_fit() -> None:
    gold = (
        Message(role="assistant", calls=(expected_call("a"), expected_call("b"), expected_call("c"))),
        Message(role="tool", text="1", call_id="p"),
        Message(role="tool", text="2"),
    )
    texts = [message.text for message in gold_messages(Turn(user="", gold=gold), 0) if message.role == "tool"]
    assert texts == ["1", "2", NOT_RECORDED]


def test_a_recorded_result_without_a_call_is_left_out() -> None:
    gold = (Message(role="tool", text="stray"), Message(role="assistant", text="Hi."))
    assert gold_messages(Turn(user="", gold=gold), 0) == [assistant("Hi.")]


PICTURE = Content(type="image", mime_type="image/png", data="aGVsbG8=")
RESULTS: dict[str, tuple[ToolResult | None, ChatMessage]] = {
    "text": (ToolResult.of_text("3 mails"), heard("1", "3 mails")),
    "error": (ToolResult.failure("no such id", "tool"), heard("1", "no such id")),
    "empty": (ToolResult(), heard("1", "success")),
    "blank": (ToolResult.of_text(" \n"), heard("1", "success")),
    "empty error": (ToolResult(is_error=True, error_kind="tool"), heard("1", "error")),
    "structured only": (ToolResult(structured={"ë": 1}), heard("1", '{"ë": 1}')),
    "cut": (ToolResult.of_text("abcdefghijklm"), heard("1", "abcdefghij\n[cut: 10 of 13 characters are shown]")),
    "as long as allowed": (ToolResult.of_text("abcdefghij"), heard("1", "abcdefghij")),
    "never made": (None, heard("1", NOT_MADE)),
}


@pytest.mark.parametrize(("result", "message"), RESULTS.values(), ids=RESULTS.keys())
def test_a_result_becomes_what_the_model_reads(result: ToolResult | None, message: ChatMessage) -> None:
    record = CallRecord(id="1", name="find", result=result)
    assert tool_message(record, most_characters=10) == message


def test_a_picture_is_a_placeholder_and_is_kept_beside_it() -> None:
    result = ToolResult(content=(Content(type="text", text="Here:"), PICTURE))
    expected = ChatMessage("tool", "Here:\n[image: image/png, 6 bytes]", call_id="1", content=(PICTURE,))
    assert tool_message(a_call("shot", result=result)) == expected


def test_the_model_sees_its_own_message_again_with_what_the_provider_wants_back() -> None:
    reply = Reply(text="So", calls=(Call(id="1", name="a"),), echo={"reasoning_content": "hm"})
    expected = ChatMessage("assistant", "So", calls=reply.calls, echo={"reasoning_content": "hm"})
    assert assistant_message(reply) == expected
