from typing import Any

import pytest

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings
from pytest_mcpbench.core.tool import Call, Content
from pytest_mcpbench.models.chat_request import request_body
from pytest_mcpbench.models.tool_names import ToolNames
from tests.builders import a_tool

HELLO = ChatMessage("user", "Hello")
PICTURE = Content(type="image", mime_type="image/png", data="aGk=")
READ = a_tool("mail.read", {"id": {"type": "integer"}}, ("id",), description="Read a mail.")
NAMES = ToolNames(["mail.read"])


def body(*messages: ChatMessage, **settings: Any) -> dict[str, Any]:
    return request_body(messages, (), ModelSettings(**settings), NAMES)


def test_what_is_not_set_is_not_sent() -> None:
    assert body(HELLO) == {"messages": [{"role": "user", "content": "Hello"}]}


def test_settings_are_sent_under_the_names_of_the_api() -> None:
    sent = body(HELLO, temperature=0, max_output_tokens=9, seed=1, extra={"reasoning_effort": "low", "seed": 2})
    expected = {"temperature": 0, "max_tokens": 9, "seed": 2, "reasoning_effort": "low"}
    assert {name: value for name, value in sent.items() if name != "messages"} == expected


def test_the_field_for_the_most_tokens_can_have_another_name() -> None:
    sent = request_body([HELLO], (), ModelSettings(max_output_tokens=9), NAMES, "max_completion_tokens")
    assert sent["max_completion_tokens"] == 9


def test_tools_are_sent_with_their_schemas() -> None:
    tool = READ.model_copy(update={"input_schema": {**READ.input_schema, "$schema": "https://json-schema.org"}})
    bare = a_tool("now").model_copy(update={"input_schema": {"type": "object"}})
    settings = ModelSettings(tool_choice="mail.read", parallel_calls=False)
    sent = request_body([HELLO], (tool, bare), settings, NAMES)
    parameters = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    nothing = {"type": "object", "properties": {}}
    functions = [
        {"name": "mail_read", "description": "Read a mail.", "parameters": parameters},
        {"name": "now", "description": "", "parameters": nothing},
    ]
    assert sent["tools"] == [{"type": "function", "function": function} for function in functions]
    assert sent["tool_choice"] == {"type": "function", "function": {"name": "mail_read"}}
    assert sent["parallel_tool_calls"] is False


@pytest.mark.parametrize("choice", ["auto", "required", "none"])
def test_a_choice_without_a_tool_is_a_word(choice: str) -> None:
    assert request_body([HELLO], (READ,), ModelSettings(tool_choice=choice), NAMES)["tool_choice"] == choice


def test_calls_and_results_go_back_as_they_came() -> None:
    call = Call(id="x", name="mail.read", arguments={"id": 1, "note": "Zoë"})
    said = ChatMessage(
        "assistant",
        calls=(call,),
        echo={"message": {"reasoning_content": "hm"}, "calls": {"x": {"extra_content": {"sign": "s"}}}},
    )
    function = {"name": "mail_read", "arguments": '{"id": 1, "note": "Zoë"}'}
    wire_call = {"id": "x", "type": "function", "function": function, "extra_content": {"sign": "s"}}
    assert body(said, ChatMessage("tool", "Hi.", call_id="x"))["messages"] == [
        {"role": "assistant", "content": None, "tool_calls": [wire_call], "reasoning_content": "hm"},
        {"role": "tool", "tool_call_id": "x", "content": "Hi."},
    ]


def test_malformed_arguments_go_back_inside_an_object() -> None:
    said = ChatMessage("assistant", calls=(Call(id="x", name="a", raw_arguments='{"n": '),))
    [message] = body(said)["messages"]
    assert message["tool_calls"][0]["function"]["arguments"] == '{"not_a_json_object": "{\\"n\\": "}'


def results(**settings: Any) -> list[dict[str, Any]]:
    shot = ChatMessage("tool", "[image: image/png, 2 bytes]", call_id="x", content=(PICTURE,))
    messages: list[dict[str, Any]] = body(shot, ChatMessage("tool", "ok", call_id="y"), HELLO, **settings)["messages"]
    return messages


TEXTS = [
    {"role": "tool", "tool_call_id": "x", "content": "[image: image/png, 2 bytes]"},
    {"role": "tool", "tool_call_id": "y", "content": "ok"},
]


def test_a_picture_is_its_placeholder_for_a_model_that_takes_none() -> None:
    assert results() == [*TEXTS, {"role": "user", "content": "Hello"}]


def test_pictures_follow_all_results_of_the_message_for_a_model_that_takes_them() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    shown = {"role": "user", "content": [picture]}
    assert results(takes_images=True) == [*TEXTS, shown, {"role": "user", "content": "Hello"}]
