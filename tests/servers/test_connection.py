"""Connections to stdio servers that behave well or badly."""

import asyncio
import json
from dataclasses import astuple
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.core.tool import ToolResult
from tests.servers.subjects import IMPATIENT, failure_of, odd, open_connection, text_of


def call_once(server: ServerRef, directory: Path, tool: str, **arguments: object) -> ToolResult:
    async def call() -> ToolResult:
        async with open_connection(server, directory) as connection:
            return await connection.call(tool, arguments)

    return anyio.run(call)


def test_a_command_that_does_not_exist_is_named(tmp_path: Path) -> None:
    error = failure_of(odd(command="no-such-server"), tmp_path)
    assert str(error) == (
        "server 'odd' failed to start: its command 'no-such-server' was not found on PATH, or cannot be executed"
    )


def test_a_working_directory_that_does_not_exist_is_named(tmp_path: Path) -> None:
    error = failure_of(odd(working_directory="nowhere"), tmp_path)
    assert str(error) == f"server 'odd' failed to configure: its working directory {tmp_path}/nowhere does not exist"


def test_a_configuration_that_cannot_work_is_reported_without_starting(tmp_path: Path) -> None:
    error = failure_of(odd(problem="the environment variable TOKEN is not set"), tmp_path)
    assert str(error) == "server 'odd' failed to configure: the environment variable TOKEN is not set"


def test_an_exit_at_start_is_reported_with_return_code_and_stderr(tmp_path: Path) -> None:
    error = failure_of(odd("exit"), tmp_path)
    expected = ("odd", "start", "missing environment variable API_TOKEN", 7)
    assert error.problem.startswith("its process ended before it was ready; API_TOKEN is not set: ")
    assert (error.server, error.phase, error.stderr, error.returncode) == expected


def test_a_server_that_closes_its_stdout_and_lives_on_is_given_up(tmp_path: Path) -> None:
    script = "import os, time; os.close(1); time.sleep(300)"
    error = failure_of(odd(arguments=("-c", script)), tmp_path)
    assert (error.problem, error.returncode) == ("it closed its stdout before it was ready", None)


def test_a_start_that_fails_shows_what_was_written_to_stdout(tmp_path: Path) -> None:
    error = failure_of(odd("chatter-then-exit"), tmp_path)
    assert error.problem == (
        "its process ended before it was ready; "
        "it wrote 1 line that is not an MCP message to stdout, the first: 'usage: odd [--help]'"
    )


LONGER = "if it needs longer, raise `timeouts: {{{}_seconds: …}}` of the server"


def test_a_server_that_never_answers_the_start_is_given_up(tmp_path: Path) -> None:
    error = failure_of(odd("silent", timeouts=IMPATIENT), tmp_path)
    assert (error.problem, error.phase, error.returncode) == (
        f"it did not answer within 0.2 seconds; {LONGER.format('start')}",
        "start",
        None,
    )


def test_a_server_that_never_lists_its_tools_is_given_up(tmp_path: Path) -> None:
    error = failure_of(odd("silent-list", timeouts=ServerTimeouts(list_seconds=0.2)), tmp_path)
    assert (error.problem, error.phase) == (
        f"it did not list its tools within 0.2 seconds; {LONGER.format('list')}",
        "list",
    )


def test_a_cursor_that_comes_again_is_an_error(tmp_path: Path) -> None:
    error = failure_of(odd("circle"), tmp_path)
    assert (error.problem, error.phase) == ("tools/list returned the cursor 'again' twice", "list")


def test_several_tools_of_one_name_are_an_error_that_names_them(tmp_path: Path) -> None:
    error = failure_of(odd("repeated"), tmp_path)
    problem = "tools/list has several tools of one name: 'a' (2 tools), 'c' (3 tools); a name must be unique"
    assert (error.problem, error.phase) == (problem, "list")


def test_all_pages_of_tools_are_read(tmp_path: Path) -> None:
    async def names() -> list[str]:
        async with open_connection(odd("pages"), tmp_path) as connection:
            return [tool.name for tool in connection.tools]

    assert anyio.run(names) == ["a", "b", "c", "d", "e"]


def test_garbage_on_stdout_is_tolerated(tmp_path: Path) -> None:
    assert call_once(odd("chatter"), tmp_path, "echo", text="hello") == ToolResult.of_text("hello")


def test_a_call_that_is_never_answered_is_a_timeout_and_the_next_one_works(tmp_path: Path) -> None:
    async def calls() -> tuple[ToolResult, ToolResult]:
        server = odd(timeouts=ServerTimeouts(call_seconds=0.3))
        async with open_connection(server, tmp_path) as connection:
            return await connection.call("silent", {}), await connection.call("echo", {"text": "again"})

    late = ToolResult.failure("The tool did not answer within 0.3 seconds.", "timeout")
    assert anyio.run(calls) == (late, ToolResult.of_text("again"))


def test_an_exit_in_mid_call_is_an_error_of_the_server_and_so_is_each_later_call(tmp_path: Path) -> None:
    async def errors() -> list[ServerError]:
        async with open_connection(odd(), tmp_path) as connection:
            found = []
            for tool in ("crash", "echo"):
                with pytest.raises(ServerError) as caught:
                    await connection.call(tool, {})
                found.append(caught.value)
            return found

    for error in anyio.run(errors):
        assert (
            astuple(error)[:5]
            == astuple(ServerError("its process ended", "odd", "call", "Traceback: out of cheese", 3))[:5]
        )


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        pytest.param("refuse", "Error -32000: not today", id="an error with the code of a closed connection"),
        pytest.param("broken_promise", "The server's reply is invalid: RuntimeError: Invalid structured", id="schema"),
    ],
)
def test_an_error_of_one_call_is_a_result_that_the_agent_reads(tool: str, text: str, tmp_path: Path) -> None:
    result = call_once(odd(), tmp_path, tool)
    assert (result.error_kind, result.is_error, result.text.startswith(text)) == ("protocol", True, True), result.text


def test_a_result_that_is_not_valid_mcp_is_an_error_of_the_server(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="its reply is not valid MCP"):
        call_once(odd(), tmp_path, "unknown_content")


def test_two_hundred_calls_are_under_way_at_once(tmp_path: Path) -> None:
    async def meet() -> list[str]:
        async with open_connection(odd(), tmp_path) as connection:
            return await asyncio.gather(*(text_of(connection, "meet", of=200) for _ in range(200)))

    assert anyio.run(meet) == ["met"] * 200


def test_a_caller_that_is_cancelled_leaves_the_connection_usable(tmp_path: Path) -> None:
    async def calls() -> str:
        async with open_connection(odd(), tmp_path) as connection:
            with anyio.move_on_after(0.05):
                await connection.call("silent", {})
            return await text_of(connection, "echo", text="fine")

    assert anyio.run(calls) == "fine"


@pytest.mark.parametrize(
    ("method", "parameters", "answer"),
    [
        pytest.param("roots/list", {}, {"roots": [{"uri": "file://{}", "name": "{}"}]}, id="roots"),
        pytest.param(
            "elicitation/create",
            {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}},
            {"action": "decline"},
            id="elicitation is declined",
        ),
        pytest.param(
            "sampling/createMessage",
            {"messages": [], "maxTokens": 1},
            {"code": -32600, "message": "Sampling not supported"},
            id="sampling is refused",
        ),
        pytest.param("ping", {}, {}, id="ping"),
    ],
)
def test_a_server_that_asks_gets_an_answer(
    method: str, parameters: dict[str, object], answer: dict[str, object], tmp_path: Path
) -> None:
    result = call_once(odd(), tmp_path, "ask", method=method, parameters=parameters)
    expected = json.dumps(answer).replace("file://{}", tmp_path.as_uri()).replace("{}", tmp_path.name, 1)
    assert json.loads(result.text) == (json.loads(expected) if method != "ping" else None)
    assert result.refused_samplings == (method == "sampling/createMessage")


@pytest.mark.parametrize(
    ("roots", "told"),
    [((), []), (("/data", "notes"), ["/data", "{}/notes"])],
    ids=["none", "absolute and relative to the attempt's directory"],
)
def test_a_server_is_told_the_roots_of_its_definition(roots: tuple[str, ...], told: list[str], tmp_path: Path) -> None:
    server = odd(roots=roots)
    answer = json.loads(call_once(server, tmp_path, "ask", method="roots/list", parameters={}).text)
    assert [root["uri"] for root in answer["roots"]] == [f"file://{path}".replace("{}", str(tmp_path)) for path in told]


def test_a_server_inherits_no_variable_that_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    server = odd(environment={"MODE": "test"})
    about = json.loads(call_once(server, tmp_path, "about").text)
    assert about["environment"]["MODE"] == "test"
    assert "OPENAI_API_KEY" not in about["environment"]


def test_what_is_secret_in_the_configuration_is_not_shown(tmp_path: Path) -> None:
    script = "import os, sys; sys.exit('bad token ' + os.environ['API_TOKEN'])"
    server = odd(arguments=("-c", script), environment={"API_TOKEN": "t0p-s3cret"})
    assert failure_of(server, tmp_path).stderr == "bad token [secret API_TOKEN]"
