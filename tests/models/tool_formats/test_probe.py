"""Finding out the tool format of a server on loopback."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from fixtures.chat_server import Answer, ChatServer, chat_server, fails, says
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.rate_limited_model import RetryPolicy
from tests.builders import a_tool

HELLO = [ChatMessage("user", "Hello")]


def native(body: dict[str, Any]) -> Answer:
    return says(None, ("report_number", {"number": 7})) if "tools" in body else says("no")


def only_json(body: dict[str, Any]) -> Answer:
    if "tools" in body:
        return fails(500, "tools param requires --jinja flag")
    return says('{"name": "report_number", "arguments": {"number": 7}}')


def only_react(body: dict[str, Any]) -> Answer:
    if "Thought" in body["messages"][0]["content"]:
        return says('Action: report_number\nAction Input: {"number": 7}')
    return says("I cannot call tools.")


def none_at_all(body: dict[str, Any]) -> Answer:
    return says("I cannot call tools.")


def talk(server: ChatServer, cache: Path | None, times: int = 1) -> list[Reply]:
    async def run() -> list[Reply]:
        alias = {"mine": {"url": server.url, "model": "small", "tools": "auto"}}
        async with Models(alias, RetryPolicy(attempts=1), cache=cache) as models:
            model = models.get("mine")
            replies: list[Reply] = []

            async def once() -> None:
                replies.append(await model.complete(HELLO, (a_tool("report_number"),), ModelSettings()))

            async with anyio.create_task_group() as group:
                for _ in range(times):
                    group.start_soon(once)
            return replies

    return anyio.run(run)


@pytest.mark.parametrize(
    ("script", "found", "requests"),
    [(native, "native", 1), (only_json, "json", 2), (only_react, "react", 3)],
    ids=["native", "json", "react"],
)
def test_the_format_is_found_out_once_and_remembered(
    tmp_path: Path, script: Callable[[dict[str, Any]], Answer], found: str, requests: int
) -> None:
    with chat_server(script) as server:
        replies = talk(server, tmp_path, times=3)
        assert len(server.requests) == requests + 3
        talk(server, tmp_path)
        assert len(server.requests) == requests + 4
    assert {reply.parsed.format if reply.parsed else "native" for reply in replies} == {found}


def test_a_model_without_any_format_is_asked_again_in_the_next_run(tmp_path: Path) -> None:
    with chat_server(none_at_all) as server:
        replies = talk(server, tmp_path, times=2)
        assert len(server.requests) == 3 + 2
        talk(server, tmp_path)
        assert len(server.requests) == 2 * 3 + 2 + 1
    assert not (tmp_path / "tool_formats").exists()
    assert {reply.parsed and reply.parsed.format for reply in replies} == {"json"}


def test_a_provider_that_fails_is_not_a_format(tmp_path: Path) -> None:
    with chat_server([fails(401, "no key")]) as server, pytest.raises(BaseExceptionGroup) as raised:
        talk(server, tmp_path)
    assert raised.group_contains(ModelError, match="answered 401")
    assert not (tmp_path / "tool_formats").exists()


def test_a_file_that_says_nothing_is_found_out_again(tmp_path: Path) -> None:
    with chat_server(native) as server:
        talk(server, tmp_path)
        [path] = (tmp_path / "tool_formats").iterdir()
        path.write_text("[]")
        talk(server, tmp_path)
        assert len(server.requests) == 4
