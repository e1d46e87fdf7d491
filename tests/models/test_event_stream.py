"""Replies that arrive in pieces, from a server on loopback."""

import json
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, fails, says
from pytest_mcpbench.core.chat import Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.tool import Call
from tests.models.test_http_backend import USED, ask

USAGE = {"prompt_tokens": 100, "completion_tokens": 20}


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **fields: Any) -> str:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return "data: " + json.dumps({"id": "1", "model": "fixture", "choices": choices, **fields}) + "\n\n"


def call(index: int, **function: str) -> dict[str, Any]:
    named = {"id": f"call_{index + 1}", "type": "function"} if "name" in function else {}
    return {"tool_calls": [{"index": index, **named, "function": function}]}


def events(*parts: str) -> Answer:
    return Answer(body="".join(parts).encode(), headers=EVENT_STREAM)


EVENT_STREAM = {"Content-Type": "text/event-stream"}
DONE = "data: [DONE]\n\n"
TEXT = events(chunk({"role": "assistant"}), chunk({"content": "Hi"}), ": ping\n", chunk({"content": "."}, "stop"), DONE)
CALLS = events(
    chunk({"role": "assistant", "content": None}),
    chunk(call(0, name="a", arguments="")),
    chunk(call(0, arguments='{"n"')),
    chunk(call(0, arguments=": 1}")),
    chunk(call(1, name="a", arguments="{}")),
    chunk({}, "tool_calls"),
    chunk(usage=USAGE),
    DONE,
)


def streamed(answer: Answer) -> Reply:
    with chat_server([answer] * 5) as server:
        reply = ask(server, streaming=True)
        assert server.bodies[0]["stream_options"] == {"include_usage": True}
    return reply


def test_text_and_calls_are_put_together() -> None:
    assert streamed(TEXT).text == "Hi."
    calls = (Call(id="call_1", name="a", arguments={"n": 1}), Call(id="call_2", name="a"))
    reply = streamed(CALLS)
    assert reply.first_token_seconds is not None
    assert reply.model_copy(update={"first_token_seconds": None}) == Reply(
        calls=calls, usage=USED, finish_reason="tool_calls"
    )


def test_the_time_to_the_first_token_is_that_of_text_and_not_of_the_first_byte() -> None:
    held = "".join([chunk({"role": "assistant"}), ": ping\n" * 20, chunk({"content": "Hi"}, "stop"), DONE])
    reply = streamed(events(held))
    assert reply.first_token_seconds is not None
    assert 0 < reply.first_token_seconds < 5


def test_a_server_that_does_not_stream_is_read_as_well() -> None:
    reply = streamed(says("Hi."))
    assert (reply.text, reply.first_token_seconds) == ("Hi.", None)


def test_the_refusal_of_a_name_is_no_part_of_the_reply_under_the_next_name() -> None:
    def insist(body: dict[str, Any]) -> Answer:
        first = chunk({"role": "assistant", "content": "Hi."}, "stop")
        return events(first, DONE) if body["model"] == "qwen" else fails(404, "no such model")

    with chat_server(insist, models=["qwen"]) as server:
        assert ask(server, model="default", streaming=True).text == "Hi."


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (events(chunk({"content": "Hi"})), "the stream of the response ended before the reply did"),
        (events("data: {\n\n"), "an event of the response is not JSON: '{'"),
        (Answer(503, body=b"data: busy\n", headers=EVENT_STREAM), "answered 503: data: busy"),
        (events('data: {"error": {"message": "overloaded", "code": 400}}\n\n'), "answered 400: overloaded"),
    ],
    ids=["cut", "not JSON", "a status", "an error"],
)
def test_a_stream_that_breaks_is_an_error_of_the_provider(answer: Answer, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        streamed(answer)


def test_an_error_in_the_last_event_is_an_error_of_the_provider() -> None:
    broken = events(chunk({"role": "assistant"}), chunk({"content": "I will"}, "error"), DONE)
    with pytest.raises(ModelError, match="its finish reason is 'error'; its text so far: 'I will'"):
        streamed(broken)


SIGNED = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
SEALED = {"type": "reasoning.encrypted", "data": "gAAA", "format": "openai-responses-v1", "index": 1}
TWO_THOUGHTS = (
    {"type": "thinking", "thinking": "First.", "signature": "a"},
    {"type": "redacted_thinking", "data": "x"},
    {"type": "thinking", "thinking": "Second.", "signature": "b"},
)
ITEM = {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA"}
SEARCHES = tuple(
    {"id": each, "function": {"name": "tool_search_tool_bm25", "arguments": f'{{"query": "{each}"}}'}}
    for each in ("mail", "notes")
)
FOUND = tuple(
    {
        "type": "tool_search_tool_result",
        "tool_use_id": each,
        "content": {"tool_references": [{"type": "tool_reference", "tool_name": f"find_{each}"}]},
    }
    for each in ("mail", "notes")
)


@pytest.mark.parametrize(
    ("deltas", "echoed"),
    [
        (
            (
                {"reasoning_details": [SIGNED | {"text": "Let me"}]},
                {"reasoning_details": [SIGNED | {"text": " see.", "signature": None}, SEALED]},
                {"reasoning_details": [SIGNED | {"signature": "s"}]},
            ),
            {"reasoning_details": [SIGNED | {"text": "Let me see.", "signature": "s"}, SEALED]},
        ),
        (
            (
                {"thinking_blocks": [{"type": "thinking", "thinking": "Fi", "signature": ""}]},
                {"thinking_blocks": [{"type": "thinking", "thinking": "rst.", "signature": ""}]},
                {"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "a"}]},
                {"thinking_blocks": [TWO_THOUGHTS[1]]},
                {"thinking_blocks": [{"type": "thinking", "thinking": "Second."}]},
                {"thinking_blocks": [{"type": "thinking", "signature": "b"}]},
            ),
            {"thinking_blocks": list(TWO_THOUGHTS)},
        ),
        (
            ({"reasoning_items": [ITEM]}, {"reasoning_items": [ITEM | {"id": "rs_2"}]}),
            {"reasoning_items": [ITEM, ITEM | {"id": "rs_2"}]},
        ),
        (
            (
                {"provider_specific_fields": {"thought_signatures": ["a"]}},
                {"provider_specific_fields": {"thought_signatures": ["b"]}},
            ),
            {"provider_specific_fields": {"thought_signatures": ["a", "b"]}},
        ),
        (
            (
                {"provider_specific_fields": {"server_tool_calls": [SEARCHES[0]]}},
                {"provider_specific_fields": {"tool_results": [FOUND[0]]}},
                {"provider_specific_fields": {"server_tool_calls": list(SEARCHES)}},
                {"provider_specific_fields": {"tool_results": list(FOUND)}},
            ),
            {"provider_specific_fields": {"server_tool_calls": list(SEARCHES), "tool_results": list(FOUND)}},
        ),
        (
            (
                {"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "s"}]},
                {"reasoning_details": [SIGNED | {"text": None, "signature": "s"}]},
            ),
            {
                "thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "s"}],
                "reasoning_details": [SIGNED | {"text": "", "signature": "s"}],
            },
        ),
        (({"reasoning_details": "text", "thinking_blocks": [1], "provider_specific_fields": []},), {}),
    ],
    ids=["details", "blocks", "items", "signatures", "lists that grow", "thoughts without a text", "neither"],
)
def test_thoughts_that_must_be_sent_back_are_put_together(deltas: tuple[dict[str, Any], ...], echoed: Any) -> None:
    reply = streamed(events(*map(chunk, deltas), chunk({"content": "Hi."}, "stop"), DONE))
    assert (reply.text, reply.echo.get("message", {})) == ("Hi.", echoed)


def test_a_search_of_which_several_events_tell_is_one_search() -> None:
    told = (
        {"server_tool_calls": [SEARCHES[0]]},
        {"tool_results": [FOUND[0]]},
        {"server_tool_calls": list(SEARCHES)},
        {"tool_results": list(FOUND)},
    )
    deltas = (chunk({"provider_specific_fields": fields}) for fields in told)
    reply = streamed(events(*deltas, chunk({"content": "Hi."}, "stop"), DONE))
    assert [(each.id, each.found) for each in reply.searches] == [("mail", ("find_mail",)), ("notes", ("find_notes",))]
