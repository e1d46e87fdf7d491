"""Servers in this process: forms of a factory, and results of calls."""

import asyncio
from pathlib import Path
from typing import Any

import anyio
import pytest

from fixtures.servers import in_process as subjects
from pytest_mcpbench.concurrency import LoopThread
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.servers.transports import server_object
from tests.servers.subjects import a_suite, an_arena, in_process, open_connection, result_of, text_of


@pytest.mark.parametrize(
    "factory",
    [
        pytest.param("fixtures.servers.in_process:without_arguments", id="address of a callable"),
        pytest.param("fixtures.servers.in_process:ready", id="address of a server object"),
        pytest.param("fixtures.servers.in_process:in_a_wrapper", id="object with _mcp_server, as FastMCP's"),
        pytest.param(subjects.without_arguments, id="callable"),
        pytest.param(subjects.ready, id="server object"),
        pytest.param(subjects.low_level, id="callable that gives a low-level server"),
        pytest.param(lambda _world: subjects.without_arguments(), id="callable that takes a world"),
    ],
)
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_factory_may_be_anything_that_leads_to_a_server(factory: Any, mode: Any, tmp_path: Path) -> None:
    async def ping() -> str:
        server = ServerRef(name="inner", transport="in_process", factory=factory, mode=mode)
        async with open_connection(server, tmp_path) as connection:
            return await text_of(connection, "ping")

    assert anyio.run(ping) == "pong"


def test_a_factory_gets_the_attempts_world_and_the_servers_settings(tmp_path: Path) -> None:
    sandbox = Sandbox(path=tmp_path)

    async def add() -> str:
        suite = a_suite(in_process("notes", settings={"greeting": "hi"}))
        async with an_arena(suite, sandbox) as arena:
            return (await result_of(arena, "add_note", text="milk")).text

    assert anyio.run(add) == "hi: milk"
    ((world,)) = [record for record in sandbox.diff() if record.name == "inner"]
    assert [(change.kind, change.path) for change in world.changes] == [("created", "notes[milk]")]


@pytest.mark.parametrize(
    ("server", "problem"),
    [
        pytest.param(
            in_process("exits_at_once"),
            "its factory raised SystemExit: 4",
            id="it ends the interpreter",
        ),
        pytest.param(
            in_process("nothing"),
            "its factory 'fixtures.servers.in_process:nothing' cannot be imported: "
            "AttributeError: module 'fixtures.servers.in_process' has no attribute 'nothing'",
            id="no such attribute",
        ),
        pytest.param(
            in_process("ready", factory="no_such_package:server"),
            "its factory 'no_such_package:server' cannot be imported: "
            "ModuleNotFoundError: No module named 'no_such_package'; it was looked for in sys.path, which lacks the "
            "directory of the task file: name that of the module in `pythonpath` in pytest's configuration, or start "
            "the server as a process, `server: python FILE.py`",
            id="no such module",
        ),
        pytest.param(in_process("raising"), "its factory raised ValueError: no such seed", id="raises"),
        pytest.param(in_process("not_a_server"), "its factory returns int, not an MCP server", id="no server"),
        pytest.param(
            in_process("notes", state="shared"),
            "its factory takes a world, so it cannot be shared; set state = 'per_task'",
            id="shared, with a world",
        ),
        pytest.param(
            in_process("without_arguments", settings={"colour": "red"}),
            "its factory raised TypeError: without_arguments() got an unexpected keyword argument 'colour'",
            id="unknown setting",
        ),
    ],
)
def test_a_factory_that_leads_to_no_server_is_an_error_of_its_configuration(server: ServerRef, problem: str) -> None:
    with pytest.raises(ServerError) as caught:
        server_object(server, None)
    assert (caught.value.phase, caught.value.problem) == ("configure", problem)


@pytest.mark.parametrize(("sequential", "most"), [(False, 3), (True, 1)])
def test_calls_of_one_turn_run_side_by_side_unless_the_server_is_sequential(
    sequential: bool, most: int, tmp_path: Path
) -> None:
    async def at_once() -> int:
        found: list[int] = []
        async with open_connection(in_process("one_at_a_time", sequential=sequential), tmp_path) as connection:

            async def work(number: int) -> None:
                found.append(int(await text_of(connection, "work", number=number)))

            async with anyio.create_task_group() as group:
                for number in range(3):
                    group.start_soon(work, number)
        return max(found)

    assert anyio.run(at_once) == most


def test_a_servers_use_of_what_mcp_deprecates_does_not_fail_it(tmp_path: Path) -> None:
    async def old() -> str:
        async with open_connection(in_process("deprecated"), tmp_path) as connection:
            return await text_of(connection, "old")

    assert anyio.run(old) == "still here"


def test_a_tool_that_hangs_in_a_thread_is_given_up(tmp_path: Path) -> None:
    async def calls() -> tuple[ToolResult, str]:
        server = in_process("hanging", timeouts=ServerTimeouts(call_seconds=0.2))
        async with open_connection(server, tmp_path) as connection:
            return await connection.call("hang", {}), await text_of(connection, "free")

    assert anyio.run(calls) == (ToolResult.failure("The tool did not answer within 0.2 seconds.", "timeout"), "freed")


def test_a_tool_error_is_a_result_that_the_agent_reads(tmp_path: Path) -> None:
    async def wrong() -> ToolResult:
        async with open_connection(in_process("one_at_a_time"), tmp_path) as connection:
            return await connection.call("work", {"number": "many"})

    result = anyio.run(wrong)
    assert (result.is_error, result.error_kind) == (True, "tool")
    assert "number" in result.text


@pytest.mark.parametrize("tool", ["leave", "leave_in_thread"])
@pytest.mark.parametrize(
    ("how", "problem"), [("exit", "SystemExit: 3"), ("interrupt", "KeyboardInterrupt"), ("fatal", "FatalError: over")]
)
def test_a_tool_that_ends_the_interpreter_is_an_error_of_its_server(
    tool: str, how: str, problem: str, tmp_path: Path
) -> None:
    async def leave() -> None:
        async with open_connection(in_process("exiting"), tmp_path) as connection:
            await connection.call(tool, {"how": how})

    async def ping() -> str:
        async with open_connection(in_process("without_arguments"), tmp_path) as connection:
            return await text_of(connection, "ping")

    loop = LoopThread("test")
    try:
        with pytest.raises(ServerError) as raised:
            loop.start(leave()).result(timeout=10)
        assert str(raised.value) == f"server 'inner' failed to call: {problem}"
        assert loop.start(ping()).result(timeout=10) == "pong"
    finally:
        loop.close(anyio.sleep(0), within_seconds=1)


def test_a_background_task_that_ends_the_interpreter_does_not_end_the_loop() -> None:
    async def leave() -> None:
        raise SystemExit(3)

    async def start() -> str:
        await asyncio.gather(asyncio.create_task(leave()), return_exceptions=True)
        return "here"

    loop = LoopThread("test")
    try:
        assert loop.start(start()).result(timeout=10) == "here"
    finally:
        assert loop.close(anyio.sleep(0), within_seconds=1)


def test_a_module_that_starts_its_server_when_it_is_imported_is_told_how_to_start_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "starts_at_once.py").write_text(
        "from mcp.server import MCPServer\nserver = MCPServer('notes')\nserver.run()\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)

    async def connect() -> None:
        server_object(in_process("notes", factory="starts_at_once:server"), None)

    with pytest.raises(ServerError, match=r"call run\(\) below .*, or start it with 'python -m starts_at_once'"):
        anyio.run(connect)
