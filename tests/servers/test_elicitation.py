"""Questions of servers to the user, in both eras of the protocol, over stdio and by URL."""

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp_types import SamplingMessage, TextContent

from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.errors import McpBenchError, TaskError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, ToolResult
from tests.builders import a_task
from tests.servers.subjects import SCRIPTS, a_suite, open_connection, url_server

YES = {"content": {"confirm": True}}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with url_server("asking.py", "http") as base:
        yield f"{base}/mcp"


@pytest.fixture(params=["stdio legacy", "http auto"])
def asking(request: pytest.FixtureRequest, url: str) -> ServerRef:
    transport, _, mode = request.param.partition(" ")
    return over_stdio(mode) if transport == "stdio" else ServerRef(name="asking", transport="http", url=url, mode=mode)


def over_stdio(mode: Any = "legacy", **fields: Any) -> ServerRef:
    arguments = (str(SCRIPTS / "asking.py"),)
    return ServerRef(name="asking", transport="stdio", command=sys.executable, arguments=arguments, mode=mode, **fields)


def a_user(*rules: Mapping[str, Any]) -> Task:
    return Task.model_validate({"id": "t", "turns": [{"user": "Do it."}], "elicit": rules})


def call(server: ServerRef, directory: Path, task: Task, tool: str, **arguments: Any) -> ToolResult:
    async def make() -> ToolResult:
        async with open_connection(server, directory) as connection:
            return await connection.call(tool, arguments, Respondent(task))

    return anyio.run(make)


@pytest.mark.long
@pytest.mark.parametrize("asking", ["stdio legacy", "stdio auto", "http legacy", "http auto"], indirect=True)
def test_a_rule_fills_in_the_form(asking: ServerRef, tmp_path: Path) -> None:
    result = call(asking, tmp_path, a_user(YES), "delete_note", note="x")
    (asked,) = result.elicitations
    assert (result.text, result.is_error) == ("deleted x", False)
    assert (asked.message, asked.action, asked.answered_by) == ("Delete the note x?", "accept", "script")


@pytest.mark.parametrize(
    ("rule", "text", "action"),
    [
        ({"content": {"confirm": "no"}}, "kept x (accept)", "accept"),
        ({"action": "decline"}, "kept x (decline)", "decline"),
        ({"action": "cancel"}, "kept x (cancel)", "cancel"),
    ],
)
def test_a_rule_says_no(url: str, tmp_path: Path, rule: Mapping[str, Any], text: str, action: str) -> None:
    server = ServerRef(name="asking", transport="http", url=url, mode="auto")
    result = call(server, tmp_path, a_user(rule), "delete_note", note="x")
    assert (result.text, [asked.action for asked in result.elicitations]) == (text, [action])


def test_a_question_that_no_rule_expects_is_the_error_of_the_attempt(asking: ServerRef, tmp_path: Path) -> None:
    with pytest.raises(TaskError) as caught:
        call(asking, tmp_path, a_user({"content": {"name": "b"}}), "delete_note", note="x")
    assert str(caught.value) == (
        "t: elicit: server 'asking' asks the user during a call of delete_note, and nobody answers: "
        "'Delete the note x? (confirm)'. Expect it, as in `elicit: {confirm: …}`, or let a model play a `user`."
    )


def test_what_was_not_expected_is_not_written(tmp_path: Path) -> None:
    async def delete() -> str | None:
        async with open_connection(over_stdio("auto"), tmp_path) as connection:
            with pytest.raises(TaskError):
                await connection.call("delete_note", {"note": "n1"}, Respondent(a_task()))
            return await connection.read_text("mcpbench://world")

    assert '"n1"' in (anyio.run(delete) or "")


def test_an_answer_that_does_not_fit_the_form_names_the_rule(asking: ServerRef, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"t: elicit\[0\]: .*'New name of x\?.*does not fit: 'a' is too short"):
        call(asking, tmp_path, a_user({"content": {"name": "a"}}), "rename_note", note="x")


def test_without_a_user_a_question_is_declined_and_recorded(asking: ServerRef, tmp_path: Path) -> None:
    async def make() -> ToolResult:
        async with open_connection(asking, tmp_path) as connection:
            return await connection.call("delete_note", {"note": "x"})

    result = anyio.run(make)
    assert (result.text, [asked.answered_by for asked in result.elicitations]) == ("kept x (decline)", ["nobody"])


def test_parallel_calls_of_a_server_that_does_not_say_which_asks_are_told_apart(
    asking: ServerRef, tmp_path: Path
) -> None:
    task = a_user({"match": "note a", **YES}, {"match": "note b", "action": "decline"})

    async def both() -> list[ToolResult]:
        async with open_connection(asking, tmp_path) as connection:
            respondent = Respondent(task)
            calls = (connection.call("delete_note", {"note": note}, respondent) for note in ("a", "b"))
            return await asyncio.gather(*calls)

    results = anyio.run(both)
    assert [(result.text, [asked.message for asked in result.elicitations]) for result in results] == [
        ("deleted a", ["Delete the note a?"]),
        ("kept b (decline)", ["Delete the note b?"]),
    ]


def test_a_request_to_the_client_is_answered(tmp_path: Path) -> None:
    assert call(over_stdio(), tmp_path, a_user(YES), "push_delete", note="n1").text == "deleted n1"


def test_a_url_is_opened_by_the_user(tmp_path: Path) -> None:
    result = call(over_stdio(), tmp_path, a_user({"match": "pay.example"}), "visit")
    (asked,) = result.elicitations
    assert (result.text, asked.url, asked.action) == ("accept", "https://pay.example/7", "accept")


@pytest.mark.extra
@pytest.mark.parametrize(("action", "text"), [("accept", "account of ann"), ("decline", "Error -32042: ")])
def test_a_call_that_needs_a_url_is_made_again_once_it_is_open(tmp_path: Path, action: str, text: str) -> None:
    result = call(over_stdio(), tmp_path, a_user({"action": action}), "open_account", owner="ann")
    (asked,) = result.elicitations
    assert result.text.startswith(text)
    assert (asked.url, asked.action) == ("https://bank.example/sign", action)


class SlowUser(Respondent):
    """A user who thinks longer than a call may take."""

    async def answer(self, *arguments: Any, **named: Any) -> Any:
        await asyncio.sleep(0.5)
        return await super().answer(*arguments, **named)


def test_the_time_of_a_call_stands_still_while_the_user_thinks(tmp_path: Path) -> None:
    server = over_stdio("auto", timeouts=ServerTimeouts(call_seconds=0.4))

    async def make() -> ToolResult:
        async with open_connection(server, tmp_path) as connection:
            return await connection.call("delete_note", {"note": "n1"}, SlowUser(a_user(YES)))

    assert anyio.run(make).text == "deleted n1"


def test_the_errors_of_a_user_are_raised_by_the_call(tmp_path: Path) -> None:
    class Broken(Respondent):
        async def answer(self, *_: Any, **__: Any) -> Any:
            raise McpBenchError("the model is gone")

    async def make() -> ToolResult:
        async with open_connection(over_stdio("auto"), tmp_path) as connection:
            return await connection.call("delete_note", {"note": "n1"}, Broken(a_task()))

    with pytest.raises(McpBenchError, match="the model is gone"):
        anyio.run(make)


def sampling_server() -> MCPServer:
    server = MCPServer("asks-a-model")

    @server.tool()
    async def summarize(text: str, context: Context) -> str:
        message = SamplingMessage(role="user", content=TextContent(text=f"Summarize: {text}"))
        result = await context.session.create_message([message], max_tokens=50, system_prompt="Be brief.")
        return f"{result.model} ({result.stop_reason}): {result.content.model_dump()['text']}"

    @server.tool()
    async def capabilities(context: Context) -> str:
        declared = context.client_capabilities
        return declared.model_dump_json(by_alias=True, exclude_none=True) if declared else "none"

    return server


SAMPLING = ServerRef(name="asks", transport="in_process", factory=sampling_server, mode="legacy")


def through_an_arena(tmp_path: Path, call: Call, **conditions: Any) -> ToolResult:
    async def make() -> ToolResult:
        suite = a_suite(SAMPLING, **conditions)
        async with ServerPool() as pool, pool.arena(a_task(), suite, Sandbox(path=tmp_path)) as arena:
            result = (await arena.call(call)).result
            assert result is not None
            return result

    return anyio.run(make)


def test_a_model_answers_a_server_that_asks_for_a_message_if_the_suite_names_one(tmp_path: Path) -> None:
    call = Call(id="1", name="summarize", arguments={"text": "a long story"})
    script = tmp_path / "writer.json"
    script.write_text('[{"text": "Short.", "finish_reason": "stop", "usage": {"input_tokens": 9, "output_tokens": 2}}]')
    writer = f"scripted:{script}"
    result = through_an_arena(tmp_path, call, sampling=writer)
    assert result.text == f"{writer} (endTurn): Short."
    (sampled,) = result.samplings
    assert sampled.prompt == "system: Be brief.\nuser: Summarize: a long story"
    assert (sampled.reply, sampled.model, sampled.max_tokens, sampled.usage.input_tokens) == ("Short.", writer, 50, 9)
    refused = through_an_arena(tmp_path, call, capabilities=("sampling",))
    assert (refused.is_error, refused.refused_samplings, refused.samplings) == (True, 1, ())


@pytest.mark.parametrize(
    ("conditions", "declared"),
    [
        ({}, {"elicitation": {"form": {}, "url": {}}, "roots": {"listChanged": True}}),
        ({"capabilities": ("elicitation", "roots")}, {"elicitation": {}, "roots": {}}),
        ({"capabilities": ("elicitation.form",)}, {"elicitation": {"form": {}}}),
        ({"capabilities": ()}, {}),
        ({"capabilities": ("roots",), "sampling": "scripted:no-file"}, {"roots": {}, "sampling": {}}),
    ],
    ids=["by default", "as Claude Code", "forms only", "nothing", "sampling with a model"],
)
def test_servers_see_the_capabilities_of_the_client(
    conditions: dict[str, Any], declared: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "writer.json").write_text("[]")
    if "sampling" in conditions:
        conditions = {**conditions, "sampling": f"scripted:{tmp_path / 'writer.json'}"}
    result = through_an_arena(tmp_path, Call(id="1", name="capabilities"), **conditions)
    assert json.loads(result.text) == declared
