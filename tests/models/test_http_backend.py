"""A real client against a real server on loopback."""

import itertools
import json
import threading
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import anyio
import pytest

from fixtures.chat_server import (
    HANGS_UP,
    HOLDS,
    Answer,
    ChatServer,
    babbles,
    chat_server,
    completion,
    fails,
    refusing_url,
    says,
    sends,
)
from pytest_mcpbench.core.chat import CONTEXT_FULL, ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.tool import Call
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.models.rate_limited_model import RateLimitedModel, RetryPolicy
from tests.builders import a_tool

QUICK = RetryPolicy(first_seconds=0.001)
USED = Usage(input_tokens=100, output_tokens=20)
HELLO = (ChatMessage("user", "Hello"),)


def using(server: ChatServer, use: Callable[[Model], Awaitable[Any]], **alias: Any) -> Any:
    """What comes of using the model that the server has."""

    async def run() -> Any:
        async with Models({"mine": {"url": server.url, "model": "small", **alias}}, QUICK) as models:
            return await use(models.get("mine"))

    return anyio.run(run)


def ask(server: ChatServer, timeout_seconds: float = 5.0, **alias: Any) -> Reply:
    settings = ModelSettings(timeout_seconds=timeout_seconds)
    reply: Reply = using(server, lambda model: model.complete(HELLO, (a_tool("a"),), settings), **alias)
    assert reply.model in (None, "fixture")
    return reply.model_copy(update={"seconds": 0.0, "model": None})


def test_a_reply_with_parallel_calls_and_usage() -> None:
    with chat_server([says("So", ("a", {"n": 1}), ("a", {"n": 2}))]) as server:
        reply = ask(server)
    calls = (Call(id="call_1", name="a", arguments={"n": 1}), Call(id="call_2", name="a", arguments={"n": 2}))
    assert reply == Reply(text="So", calls=calls, usage=USED, finish_reason="tool_calls")
    [request] = server.requests
    assert (request.path, request.body["model"]) == ("/v1/chat/completions", "small")
    assert [tool["function"]["name"] for tool in request.body["tools"]] == ["a"]
    assert "authorization" not in request.headers


IN_A_SECOND = format_datetime(datetime.now(UTC) + timedelta(seconds=0.5), usegmt=True)
PASSING: dict[str, list[Answer]] = {
    "429 with a wait": [fails(429, Retry_After="0.01")],
    "429 with a date": [fails(429, Retry_After=IN_A_SECOND)],
    "429 without": [fails(429)],
    "500": [fails(500)],
    "several": [fails(503), fails(429), fails(500), fails(408)],
    "a broken connection": [HANGS_UP],
    "a page of HTML": [babbles(b"<html>busy</html>")],
    "JSON that is no completion": [sends({"status": "warming up"})],
    "nothing at all": [babbles(b"")],
    "an error in a good response": [sends({"error": {"message": "overloaded", "code": 502}})],
}


@pytest.mark.parametrize("faults", PASSING.values(), ids=PASSING.keys())
def test_what_may_pass_is_tried_again_and_counted(faults: list[Answer]) -> None:
    with chat_server([*faults, says("Hi.")]) as server:
        assert ask(server) == Reply(text="Hi.", usage=USED, finish_reason="stop", retries=len(faults))
        assert len(server.requests) == len(faults) + 1


def test_a_slow_answer_is_given_up_and_asked_for_again() -> None:
    with chat_server([HOLDS, says("Hi.")]) as server:
        assert ask(server, timeout_seconds=0.1) == Reply(text="Hi.", usage=USED, finish_reason="stop", retries=1)


def test_the_wait_that_the_provider_asks_for_is_kept() -> None:
    async def timed(model: Model) -> float:
        began = anyio.current_time()
        await model.complete(HELLO, (), ModelSettings())
        return anyio.current_time() - began

    with chat_server([fails(429, Retry_After="0.15"), says("Hi.")]) as server:
        assert using(server, timed) >= 0.15


LASTING: dict[str, tuple[Answer, str, int | None, int]] = {
    "429": (fails(429, "slow down"), "answered 429: slow down (an_error) after 5 attempts", 429, 5),
    "500": (fails(500, "boom"), "answered 500: boom (an_error) after 5 attempts", 500, 5),
    "400": (fails(400, "bad tool schema"), "answered 400: bad tool schema (an_error)", 400, 1),
    "404": (fails(404, "no model 'small'"), "answered 404: no model 'small' (an_error)", 404, 1),
    "no money": (fails(429, "insufficient_quota"), "answered 429: insufficient_quota (an_error)", 429, 1),
    "too long a wait": (fails(429, "later", Retry_After="3600"), "answered 429: later (an_error)", 429, 1),
    "HTML": (
        babbles(b"<html>\nbusy</html>"),
        "the response is not valid JSON: '<html> busy</html>' after 5 attempts",
        200,
        5,
    ),
}


@pytest.mark.parametrize(("answer", "problem", "status", "attempts"), LASTING.values(), ids=LASTING.keys())
def test_what_does_not_pass_is_an_error_of_the_model(
    answer: Answer, problem: str, status: int | None, attempts: int
) -> None:
    with chat_server(lambda _body: answer) as server, pytest.raises(ModelError) as raised:
        ask(server)
    error = raised.value
    assert (str(error), error.status, error.attempts) == (f"model 'mine': {problem}", status, attempts)
    assert len(server.requests) == attempts


def test_an_address_where_nothing_listens_is_tried_twice_only() -> None:
    async def run(url: str) -> None:
        async with Models({"mine": url}, QUICK) as models:
            await models.get("mine").complete(HELLO, (), ModelSettings())

    with (
        refusing_url() as url,
        pytest.raises(
            ModelError, match=r"^model 'mine': http://.* cannot be reached: connection refused after 2 attempts"
        ),
    ):
        anyio.run(run, url)


def test_a_conversation_that_is_too_long_is_a_reply_of_its_own() -> None:
    with chat_server([fails(400, "maximum context length is 8192 tokens")]) as server:
        assert ask(server) == Reply(finish_reason=CONTEXT_FULL)


def test_the_key_goes_to_the_server_and_into_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "hunter2-hunter2 ")
    with chat_server([fails(401, "hunter2-hunter2 is no key")]) as server:
        with pytest.raises(ModelError, match=r"answered 401: \[secret MY_KEY\] is no key \(an_error\)$"):
            ask(server, api_key_env="MY_KEY")
        assert server.requests[0].headers["authorization"] == "Bearer hunter2-hunter2"


def test_a_key_that_no_header_takes_is_said_without_showing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "schlüssel")
    with (
        chat_server([]) as server,
        pytest.raises(ModelError, match=r"MY_KEY contains characters that are not allowed in a key$"),
    ):
        ask(server, api_key_env="MY_KEY")


def test_a_key_that_is_not_set_is_said_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with chat_server([says("Hi.")]) as server:
        with pytest.raises(ModelError, match=r"^model 'mine': the environment variable MY_KEY is not set$"):
            ask(server, api_key_env="MY_KEY")
        assert server.requests == []


def test_malformed_arguments_are_kept_as_they_were_written() -> None:
    with chat_server([says(None, ("a", '{"n": '))]) as server:
        assert ask(server).calls == (Call(id="call_1", name="a", raw_arguments='{"n": '),)


def test_calls_in_the_text_are_calls_where_the_alias_says_so() -> None:
    written = '```json\n{"name": "a", "arguments": {"n": 1}}\n```'
    with chat_server(lambda _body: completion({"content": written})) as server:
        assert ask(server).text == written
        assert ask(server, tools="json").calls == (Call(id="call_1", name="a", arguments={"n": 1}),)


def test_usage_has_the_price_of_the_alias() -> None:
    with chat_server([says("Hi.")]) as server:
        usage = ask(server, input_price=2.0, output_price=10.0).usage
    assert usage == Usage(input_tokens=100, output_tokens=20, cost_usd=0.0004)


def ask_without_name(server: ChatServer) -> str:
    async def run() -> str:
        async with Models({}, QUICK) as models:
            model = models.get(server.url)
            return [(await model.complete(HELLO, (), ModelSettings())).text for _ in range(2)][-1]

    return anyio.run(run)


def test_a_server_that_takes_any_name_is_not_asked_for_its_models() -> None:
    with chat_server([says("Hi."), says("Hi again.")], models=["qwen"]) as server:
        assert ask_without_name(server) == "Hi again."
        assert [body["model"] for body in server.bodies] == ["default", "default"]


def test_a_server_that_insists_on_a_name_is_asked_for_its_only_model_once() -> None:
    def insist(body: dict[str, Any]) -> Answer:
        return says("Hi.") if body["model"] == "qwen" else fails(404, "no such model")

    with chat_server(insist, models=["qwen"]) as server:
        assert ask_without_name(server) == "Hi."
        assert [body["model"] for body in server.bodies] == ["default", "qwen", "qwen"]


def test_a_server_with_several_models_wants_one_named() -> None:
    with (
        chat_server(lambda _body: fails(404), models=["qwen", "llama"]) as server,
        pytest.raises(ModelError, match=r"the server has several models, choose one with .*#NAME: qwen, llama$"),
    ):
        ask_without_name(server)


def test_connections_are_kept() -> None:
    async def thrice(model: Model) -> None:
        for _ in range(3):
            await model.complete(HELLO, (), ModelSettings())

    with chat_server([says("Hi.")] * 3) as server:
        using(server, thrice)
        assert len(server.connections) == 1


def test_requests_overlap() -> None:
    together = threading.Barrier(4, timeout=5)

    def wait_for_the_others(_body: dict[str, Any]) -> Answer:
        together.wait()
        return says("Hi.")

    async def at_once(model: Model) -> None:
        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(model.complete, HELLO, (), ModelSettings())

    with chat_server(wait_for_the_others) as server:
        using(server, at_once)


def test_refusals_slow_down_everyone_who_asks_the_model() -> None:
    answers = itertools.chain([fails(429, Retry_After="0.01")] * 24, itertools.repeat(says("Hi.")))

    async def at_once(model: Model) -> tuple[float, int]:
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(model.complete, HELLO, (), ModelSettings())
        assert isinstance(model, RateLimitedModel)
        return model.limiter.adaptive_limit.limit, model.limiter.adaptive_limit.in_flight

    with chat_server(lambda _body: next(answers)) as server:
        limit, in_flight = using(server, at_once)
    assert limit < 8
    assert in_flight == 0


def test_a_model_can_be_asked_on_one_loop_after_another() -> None:
    models = Models({})

    async def run(url: str) -> str:
        try:
            return (await models.get(url).complete(HELLO, (), ModelSettings())).text
        finally:
            await models.aclose()

    with chat_server([says("one"), says("two")]) as server:
        assert [anyio.run(run, server.url), anyio.run(run, server.url)] == ["one", "two"]


def test_text_that_no_encoding_takes_is_sent_in_a_readable_form() -> None:
    async def half(model: Model) -> Reply:
        return await model.complete([ChatMessage("user", "x\ud83dy")], (), ModelSettings())

    with chat_server([says("Hi.")]) as server:
        using(server, half)
        assert json.dumps(server.bodies[0]["messages"]) == '[{"role": "user", "content": "x?y"}]'
