from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.core.chat import Reply
from pytest_mcpbench.core.tool import Call, ToolSearch
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.models.chat_reply import parse_reply
from pytest_mcpbench.models.provider_error import ProviderError
from pytest_mcpbench.models.tool_names import ToolNames

NAMES = ToolNames(["mail.read", "a"])


def of_message(message: dict[str, Any], **choice: Any) -> Reply:
    return parse_reply({"choices": [{"message": message, **choice}]}, NAMES, calls_before=2)


def function(arguments: Any, name: Any = "a", **fields: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}, "type": "function", **fields}


def test_a_whole_reply() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}, "cost": 0.5}
    message = {"content": "So", "tool_calls": [function('{"id": 1}', "mail_read", id="x")]}
    body = {"model": "m-2", "choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": usage}
    assert parse_reply(body, NAMES, seconds=1.5) == Reply(
        text="So",
        calls=(Call(id="x", name="mail.read", arguments={"id": 1}),),
        usage=Usage(input_tokens=9, output_tokens=3, cached_tokens=4, cost_usd=0.5),
        model="m-2",
        finish_reason="tool_calls",
        seconds=1.5,
    )


TEXTS: dict[str, tuple[dict[str, Any], str]] = {
    "text": ({"content": "Hi"}, "Hi"),
    "null": ({"content": None}, ""),
    "absent": ({}, ""),
    "parts": ({"content": [{"type": "text", "text": "H"}, {"type": "thinking", "text": "hm"}, "i"]}, "Hi"),
    "half of a surrogate pair": ({"content": "Hi \ud83d"}, "Hi \ufffd"),
    "another type": ({"content": 3}, ""),
}


@pytest.mark.parametrize(("message", "text"), TEXTS.values(), ids=TEXTS.keys())
def test_text_is_read_from_every_shape(message: dict[str, Any], text: str) -> None:
    assert of_message(message) == Reply(text=text)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"content": None, "refusal": "I can't."}, "refusal"),
        ({"content": "Hi", "refusal": None}, "stop"),
        ({"refusal": "I can't.", "tool_calls": [function("{}", id="x")]}, "stop"),
    ],
    ids=["a refusal", "none", "a call"],
)
def test_a_refusal_in_the_message_is_the_reason_why_a_reply_ended(message: dict[str, Any], reason: str) -> None:
    reply = of_message(message, finish_reason="stop")
    assert reply.finish_reason == reason
    assert reply.text == (message.get("content") or message["refusal"])


CALLS: dict[str, tuple[dict[str, Any], list[Call]]] = {
    "arguments as an object": (
        {"tool_calls": [function({"n": 1}, id="x")]},
        [Call(id="x", name="a", arguments={"n": 1})],
    ),
    "no arguments": ({"tool_calls": [function(None, id="x")]}, [Call(id="x", name="a")]),
    "malformed": ({"tool_calls": [function("{", id="x")]}, [Call(id="x", name="a", raw_arguments="{")]),
    "ids that are missing, empty or taken": (
        {"tool_calls": [function("{}"), function("{}", id=""), function("{}", id="x"), function("{}", id="x")]},
        [Call(id=number, name="a") for number in ("call_3", "call_4", "x", "call_5")],
    ),
    "the old function_call": (
        {"content": None, "function_call": {"name": "a", "arguments": '{"n": 1}'}},
        [Call(id="call_3", name="a", arguments={"n": 1})],
    ),
    "without the inner object": (
        {"tool_calls": [{"name": "a", "arguments": {"n": 1}}]},
        [Call(id="call_3", name="a", arguments={"n": 1})],
    ),
    "no name": ({"tool_calls": [function("{}", None, id="x")]}, [Call(id="x", name="")]),
    "null": ({"tool_calls": None}, []),
    "not a list": ({"tool_calls": "a"}, []),
    "not objects": ({"tool_calls": ["a"]}, []),
}


@pytest.mark.parametrize(("message", "calls"), CALLS.values(), ids=CALLS.keys())
def test_calls_are_read_from_every_shape(message: dict[str, Any], calls: list[Call]) -> None:
    assert of_message(message) == Reply(calls=tuple(calls))


USAGES: dict[str, tuple[Any, Usage]] = {
    "absent": (None, Usage()),
    "partly": ({"prompt_tokens": 3}, Usage(input_tokens=3)),
    "nonsense": ({"prompt_tokens": "3", "completion_tokens": -1, "cost": float("inf")}, Usage()),
    "no details": ({"prompt_tokens": 3.0, "prompt_tokens_details": None}, Usage(input_tokens=3)),
}


@pytest.mark.parametrize(("usage", "expected"), USAGES.values(), ids=USAGES.keys())
def test_usage_that_is_not_said_is_unknown(usage: Any, expected: Usage) -> None:
    body = {"choices": [{"message": {"content": "Hi"}}], "usage": usage}
    assert parse_reply(body, NAMES).usage == expected


def test_what_the_provider_wants_back_is_kept() -> None:
    message = {
        "content": None,
        "reasoning_content": "hm",
        "annotations": [],
        "tool_calls": [function("{}", id="x", extra_content={"sign": "s"})],
    }
    expected = {"message": {"reasoning_content": "hm"}, "calls": {"x": {"extra_content": {"sign": "s"}}}}
    assert of_message(message).echo == expected


GARBAGE: dict[str, tuple[Any, str, int | None]] = {
    "a list": ([], "the response is not a chat completion: []", None),
    "no choices": ({"choices": []}, "the response is not a chat completion: {'choices': []}", None),
    "an error with a status": ({"error": {"code": 502, "message": "down"}}, "answered 502: down", 502),
    "an error": ({"error": "down"}, "the response contains an error: down", None),
}


@pytest.mark.parametrize(("body", "problem", "status"), GARBAGE.values(), ids=GARBAGE.keys())
def test_a_body_without_a_message_is_a_failed_request(body: Any, problem: str, status: int | None) -> None:
    with pytest.raises(ProviderError) as raised:
        parse_reply(body, NAMES)
    assert (str(raised.value), raised.value.status, raised.value.is_retryable) == (problem, status, True)


FIELDS = st.sampled_from(
    [
        *("content", "tool_calls", "function_call", "function", "name", "arguments", "id", "type", "text"),
        *("reasoning_content", "extra_content", "prompt_tokens", "prompt_tokens_details", "cost"),
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(FIELDS, JSON, max_size=6), JSON)
def test_whatever_a_server_sends_is_a_reply_that_can_be_kept_or_a_failed_request(
    message: dict[str, Any], usage: Any
) -> None:
    try:
        reply = parse_reply({"choices": [{"message": message}], "usage": usage}, NAMES)
    except ProviderError:
        return
    assert Reply.model_validate_json(reply.model_dump_json()) == reply


def test_searches_that_the_provider_made_are_read_and_go_back_with_the_message() -> None:
    call = function('{"pattern": "mail"}', "tool_search_tool_regex", id="s1")
    found = {"tool_use_id": "s1", "content": {"tool_references": [{"tool_name": "mail_read"}]}}
    fields = {"server_tool_calls": [call], "tool_results": [found, "odd"]}
    reply = of_message({"content": "So", "provider_specific_fields": {**fields, "citations": None}})
    search = ToolSearch(
        id="s1", name="tool_search_tool_regex", arguments={"query": "mail"}, found=("mail.read",), by_provider=True
    )
    assert reply == Reply(text="So", searches=(search,), echo={"message": {"provider_specific_fields": fields}})
    other = {"server_tool_calls": [function("{}", "web_search", id="w1"), 3]}
    assert of_message({"content": "So", "provider_specific_fields": other}).searches == ()
