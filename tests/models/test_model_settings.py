"""Settings of an alias in the requests that a server on loopback receives."""

from typing import Any

import anyio
import pytest

from fixtures.chat_server import chat_server, says
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.secret_sources import secrets_of_alias
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.rate_limiter import RateLimiter
from tests.models.test_http_backend import ask, using

HELLO = [ChatMessage("user", "Hello")]


def test_settings_of_the_alias_are_in_each_request() -> None:
    alias: dict[str, Any] = {
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 3,
        "reasoning_effort": "low",
        "max_output_tokens": 50,
    }
    with chat_server([says("Hi.")]) as server:
        ask(server, **alias, extra={"min_p": 0.1}, headers={"X-Team": "bench"})
    body = server.bodies[0]
    expected = {**alias, "max_tokens": 50, "min_p": 0.1}
    del expected["max_output_tokens"]
    assert {name: body[name] for name in body if name not in ("model", "messages", "tools")} == expected
    assert server.requests[0].headers["x-team"] == "bench"


def test_settings_of_a_request_come_before_those_of_the_alias_and_the_lower_limit_counts() -> None:
    settings = ModelSettings(temperature=0.0, max_output_tokens=80)
    with chat_server([says("Hi.")]) as server:
        using(server, lambda model: model.complete(HELLO, (), settings), temperature=1.0, max_output_tokens=50)
    assert (server.bodies[0]["temperature"], server.bodies[0]["max_tokens"]) == (0.0, 50)


def test_a_header_takes_its_value_from_the_environment_and_keeps_it_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM_TOKEN", "a-team-token-4711")
    headers = {"X-Token": "Team ${TEAM_TOKEN}"}
    with chat_server([says("Hi.")]) as server:
        ask(server, headers=headers)
        monkeypatch.delenv("TEAM_TOKEN")
        with pytest.raises(ModelError, match="the environment variable TEAM_TOKEN of the header X-Token is not set"):
            ask(server, headers=headers)
    assert server.requests[0].headers["x-token"] == "Team a-team-token-4711"
    secrets = secrets_of_alias("mine", {"headers": headers}, {"TEAM_TOKEN": "a-team-token-4711"})
    assert "4711" not in secrets.remove("the token a-team-token-4711")


LIMITED: dict[str, tuple[RateLimiter, list[float]]] = {
    "requests": (RateLimiter(requests_per_minute=2), [60.0]),
    "tokens": (RateLimiter(tokens_per_minute=100), [60.0, 60.0]),
}


@pytest.mark.parametrize(("limiter", "expected"), LIMITED.values(), ids=LIMITED.keys())
def test_requests_wait_for_the_budget_of_a_minute(
    monkeypatch: pytest.MonkeyPatch, limiter: RateLimiter, expected: list[float]
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def run() -> None:
        monkeypatch.setattr(anyio, "current_time", lambda: sum(waits))
        monkeypatch.setattr(anyio, "sleep", sleep)
        for _ in range(3):
            async with limiter.slot():
                limiter.record_tokens(60)

    anyio.run(run)
    assert waits == expected


def test_the_concurrency_of_a_model_is_its_own() -> None:
    models = Models({"mine": {"url": "http://127.0.0.1:1/v1", "concurrency": 3}})
    limit = getattr(models.get("mine"), "limiter").adaptive_limit  # noqa: B009 - the protocol does not have it
    assert (limit.limit, limit.maximum) == (3, 3)
