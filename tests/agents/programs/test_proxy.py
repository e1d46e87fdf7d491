"""The MCP server of a proxy, as clients of both eras of the protocol see it."""

import asyncio
import functools
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.server import MCPServer, Server
from mcp.server.mcpserver import Context

from pytest_mcpbench.agents.programs import program_client
from pytest_mcpbench.agents.programs.call_recorder import CallRecorder
from pytest_mcpbench.agents.programs.proxy import open_proxies, proxy_server
from pytest_mcpbench.agents.programs.proxy_settings import Answering, ProxySettings, Transport
from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.attempt.arena import Arena
from pytest_mcpbench.core.elicitation import Elicitation, ElicitationRule
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Limits
from pytest_mcpbench.core.tool import Call, CallRecord, Content, ToolResult
from pytest_mcpbench.servers.open_call import CALLING_CLIENT
from tests.agents.arenas import TinyArena
from tests.builders import a_task, a_tool
from tests.servers.subjects import SCRIPTS, a_suite, an_arena

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("mode", "schemas", "results"),
    [
        ("auto", [{"type": "array"}, {"type": "object"}], [["a"], {"a": 1}]),
        ("legacy", [None, {"type": "object"}], [None, {"a": 1}]),
    ],
)
async def test_structured_results_of_any_type_reach_clients_that_know_them(
    mode: str, schemas: list[Any], results: list[Any]
) -> None:
    values: dict[str, Any] = {"list": ["a"], "map": {"a": 1}}
    tools = tuple(
        a_tool(name, output_schema={"type": "array" if isinstance(value, list) else "object"})
        for name, value in values.items()
    )

    def answer(name: str) -> Any:
        content = (Content(type="text", text="text"),)
        return lambda _arguments: ToolResult(content=content, structured=values[name])

    arena = TinyArena(tools, {name: answer(name) for name in values})
    server = proxy_server(ServerFacts(name=tools[0].server), CallRecorder(arena, Limits()), ProxySettings())
    async with Client(server, mode=mode) as client:
        listed = (await client.list_tools()).tools
        found = [(await client.call_tool(name, {})).structured_content for name in values]
    assert ([tool.output_schema for tool in listed], found) == (schemas, results)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_what_only_clients_use_reaches_programs_unchanged(mode: str, tmp_path: Path) -> None:
    listed = types.Tool.model_validate(
        {
            "name": "x" * 128,
            "title": "Draw a chart",
            "description": "Draws.",
            "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
            "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
            "icons": [{"src": "https://example.org/i.png", "mimeType": "image/png", "sizes": ["48x48"]}],
            "annotations": {"title": "Chart", "readOnlyHint": True},
            "_meta": {"ui": {"resourceUri": "ui://chart"}},
        }
    )

    link = {"type": "resource_link", "name": "c7", "title": "Chart 7", "uri": "chart://7", "size": 3, "_meta": {"a": 1}}
    text = {"type": "text", "text": "drawn", "annotations": {"audience": ["user"], "priority": 0.5}}
    blocks = [types.TextContent.model_validate(text), types.ResourceLink.model_validate(link)]

    async def list_tools(_context: Any, _parameters: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[listed])

    async def call_tool(_context: Any, _parameters: Any) -> types.CallToolResult:
        return types.CallToolResult(content=blocks, structured_content={"n": 1}, _meta={"ui": {"seed": 3}})

    factory = Server("charts", on_list_tools=list_tools, on_call_tool=call_tool)
    ref = ServerRef(name="charts", transport="in_process", factory=factory)
    async with an_arena(a_suite(ref), Sandbox(path=tmp_path)) as arena:
        server = proxy_server(arena.servers[0], CallRecorder(arena, Limits()), ProxySettings(tool_names="own"))
        async with Client(server, mode=mode) as client:
            (shown,) = (await client.list_tools()).tools
            result = await client.call_tool("x" * 128, {"n": 1})
    assert shown == listed
    assert (result.meta or {})["ui"] == {"seed": 3}
    assert result.content == blocks


@pytest.mark.parametrize(("transport", "mode"), [("http", "auto"), ("http", "legacy"), ("stdio", "auto")])
async def test_progress_of_servers_reaches_programs(transport: Transport, mode: str, tmp_path: Path) -> None:
    working = MCPServer("working")

    @working.tool()
    async def work(context: Context) -> str:
        await context.report_progress(1, 2, "half")
        await context.report_progress(2, 2)
        return "worked"

    reports = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))

    ref = ServerRef(name="working", transport="in_process", factory=working)
    async with an_arena(a_suite(ref), Sandbox(path=tmp_path)) as arena:
        recorder = CallRecorder(arena, Limits())
        async with open_proxies(arena, recorder, ProxySettings(transport)) as (proxied,):
            target = proxied.url or stdio_client(
                StdioServerParameters(
                    command=proxied.command[0], args=[*proxied.command[1:]], env={**proxied.environment}
                )
            )
            async with Client(target, mode=mode) as client:
                await client.call_tool("work", {}, progress_callback=hear)
    ((record,),) = recorder.groups
    assert record.result is not None
    assert (sorted(reports), record.result.progress) == ([(1, 2, "half"), (2, 2, None)], ("1 of 2: half", "2 of 2"))


@asynccontextmanager
async def asking_arena(directory: Path) -> AsyncIterator[Arena]:
    """An arena whose server asks before it deletes, and whose user agrees."""
    ref = ServerRef(name="asking", transport="stdio", command=sys.executable, arguments=(str(SCRIPTS / "asking.py"),))
    task = a_task(elicit=(ElicitationRule(content={"confirm": True}),))
    async with an_arena(a_suite(ref), Sandbox(path=directory), task) as opened:
        yield replace(opened, respondent=Respondent(task))


async def decline(context: Any, params: Any) -> types.ElicitResult:
    return types.ElicitResult(action="decline")


@pytest.mark.parametrize(
    ("answering", "mode", "asks", "text", "answered_by"),
    [
        ("program", "legacy", True, "kept x (decline)", "client"),
        ("program", "legacy", False, "deleted x", "script"),
        ("program", "auto", True, "kept x (decline)", "client"),
        ("program", "auto", False, "deleted x", "script"),
        ("user", "legacy", True, "deleted x", "script"),
        ("user", "auto", True, "deleted x", "script"),
    ],
    ids=[
        "its client declares it",
        "its client cannot",
        "a client without a session declares it",
        "a client without a session cannot",
        "by default",
        "by default without a session",
    ],
)
async def test_questions_of_servers_are_answered_by_the_program_or_by_the_user(
    tmp_path: Path, answering: Answering, mode: str, asks: bool, text: str, answered_by: str
) -> None:
    async with asking_arena(tmp_path) as arena:
        recorder = CallRecorder(arena, Limits())
        server = proxy_server(arena.servers[0], recorder, ProxySettings(tool_names="own", answering=answering))
        async with Client(server, mode=mode, elicitation_callback=decline if asks else None) as client:
            result = await client.call_tool("delete_note", {"note": "x"})
    ((record,),) = recorder.groups
    assert record.result is not None
    (asked,) = record.result.elicitations
    assert (result.content[0].model_dump()["text"], asked.answered_by) == (text, answered_by)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_questions_of_parallel_calls_are_told_apart(mode: str, tmp_path: Path) -> None:
    async def answer(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"confirm": "n1" in params.message})

    async with asking_arena(tmp_path) as arena:
        recorder = CallRecorder(arena, Limits())
        settings = ProxySettings(tool_names="own", answering="program")
        async with (
            open_proxies(arena, recorder, settings) as (proxied,),
            Client(proxied.url or "", mode=mode, elicitation_callback=answer) as client,
        ):
            results = await asyncio.gather(*(client.call_tool("delete_note", {"note": each}) for each in ("n1", "n2")))
    assert [result.content[0].model_dump()["text"] for result in results] == ["deleted n1", "kept n2 (accept)"]
    asked = [record.result.elicitations[0] for (record,) in zip(*recorder.groups, strict=True) if record.result]
    assert {each.message: each.content for each in asked} == {
        "Delete the note n1?": {"confirm": True},
        "Delete the note n2?": {"confirm": False},
    }


async def test_a_question_that_a_client_without_a_session_leaves_open_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_client, "ANSWER_SECONDS", 0.1)
    async with asking_arena(tmp_path) as arena:
        recorder = CallRecorder(arena, Limits())
        server = proxy_server(arena.servers[0], recorder, ProxySettings(tool_names="own", answering="program"))
        async with Client(server, mode="auto", elicitation_callback=decline) as client:
            call = functools.partial(client.session.call_tool, "delete_note", {"note": "n1"}, allow_input_required=True)
            asked = await call()
            assert isinstance(asked, types.InputRequiredResult)
            with pytest.raises(MCPError, match="no call waits for this answer"):
                await call(request_state="another")
            # This server answers one call after the other.
            await client.call_tool("purge", {"note": "n2"})
            late = types.ElicitResult(action="accept", content={"confirm": True})
            result = await call(request_state=asked.request_state, input_responses={"question": late})
    assert isinstance(result, types.CallToolResult)
    assert result.content[0].model_dump()["text"] == "kept n1 (cancel)"


async def test_a_question_that_is_open_at_the_end_of_a_turn_is_interrupted(tmp_path: Path) -> None:
    async with asking_arena(tmp_path) as arena:
        recorder = CallRecorder(arena, Limits())
        server = proxy_server(arena.servers[0], recorder, ProxySettings(tool_names="own", answering="program"))
        async with Client(server, mode="auto", elicitation_callback=decline) as client:
            await client.session.call_tool("delete_note", {"note": "n1"}, allow_input_required=True)
    ((record,),) = recorder.groups
    assert record.result is not None
    assert record.result.text.startswith("The call was interrupted")


@dataclass
class GivingUpArena(TinyArena):
    """Arena whose server closes its first question, asks another one, and returns or fails while both are open."""

    error: ServerError | None = None
    is_asked: anyio.Event = field(default_factory=anyio.Event)
    is_over: anyio.Event = field(default_factory=anyio.Event)

    async def call(self, call: Call) -> CallRecord:
        client = CALLING_CLIENT.get()
        assert client is not None
        question = Elicitation(message="Really?", fields={"type": "object", "properties": {}})
        first = asyncio.create_task(client.ask(question))
        await self.is_asked.wait()
        first.cancel()
        self.second = asyncio.create_task(client.ask(question))
        await anyio.sleep(0)
        self.is_over.set()
        if self.error is not None:
            raise self.error
        return await super().call(call)


@pytest.mark.parametrize("error", [None, ServerError("it has died", "notes", "call")], ids=["returns", "dies"])
async def test_a_call_that_ends_while_its_question_is_open_has_its_result_at_the_next_request(
    error: ServerError | None,
) -> None:
    arena = GivingUpArena((a_tool("find"),), error=error)

    async def decline_late(context: Any, params: Any) -> types.ElicitResult:
        arena.is_asked.set()
        await arena.is_over.wait()
        return types.ElicitResult(action="decline")

    recorder = CallRecorder(arena, Limits())
    server = proxy_server(ServerFacts(name=arena.tools[0].server), recorder, ProxySettings(answering="program"))
    async with Client(server, mode="auto", elicitation_callback=decline_late) as client:
        result = await client.call_tool("find", {})
        is_served = (await client.list_tools()).tools != []
    assert (result.content[0].model_dump()["text"], recorder.error) == ("done" if error is None else str(error), error)
    assert is_served
