"""Tools that a server adds and removes during an attempt."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from pytest_mcpbench.agents.llm import LlmAgent
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.agents.programs.call_recorder import CallRecorder
from pytest_mcpbench.agents.programs.proxy import proxy_server
from pytest_mcpbench.agents.programs.proxy_settings import ProxySettings
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Limits, Task
from pytest_mcpbench.core.tool import Call, ToolSpec
from tests.builders import a_task, expected_call
from tests.servers.subjects import SCRIPTS, a_suite, an_arena

pytestmark = pytest.mark.anyio
NOTE = "tools of growing after a call of open: added read; removed open"


def growing(era: str = "legacy", **fields: Any) -> ServerRef:
    arguments = ("-S", str(SCRIPTS / "growing.py"), era)
    return ServerRef(name="growing", transport="stdio", command=sys.executable, arguments=arguments, **fields)


class CallsTheFirstTool:
    """Model that calls the first tool that it is offered, in each of two rounds."""

    name = "first"

    def __init__(self) -> None:
        self.offered: list[list[str]] = []

    async def complete(
        self,
        messages: Sequence[ChatMessage],  # noqa: ARG002
        tools: Sequence[ToolSpec],
        settings: ModelSettings,  # noqa: ARG002
    ) -> Reply:
        self.offered.append([tool.name for tool in tools])
        if len(self.offered) > 2:
            return Reply(text="whale")
        return Reply(calls=(Call(id=str(len(self.offered)), name=tools[0].name, arguments={"page": 7}),))


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_a_changed_list_is_offered_from_the_next_round_on(era: str, tmp_path: Path) -> None:
    model = CallsTheFirstTool()
    async with an_arena(a_suite(growing(era)), Sandbox(path=tmp_path)) as arena:
        trajectory = await LlmAgent(model).attempt(a_task(), arena)
        assert arena.changes.notes == [NOTE]
        assert [*arena.changes.added] == ["read"]
        gone = await arena.call(Call(id="9", name="open", arguments={}))
    assert model.offered == [["open"], ["read"], ["read"]]
    assert [(call.name, call.is_error, call.result and call.result.text) for call in trajectory.calls] == [
        ("open", False, "the shelf is open"),
        ("read", False, "page 7: whale"),
    ]
    assert gone.problem == "unknown_tool"


async def test_a_program_is_told_that_the_list_has_changed(tmp_path: Path) -> None:
    heard = anyio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            heard.set()

    async with an_arena(a_suite(growing()), Sandbox(path=tmp_path)) as arena:
        server = proxy_server(arena.servers[0], CallRecorder(arena, Limits()), ProxySettings())
        async with Client(server, mode="legacy", message_handler=hear, cache=None) as client:
            tools = client.server_capabilities.tools
            before = [tool.name for tool in (await client.list_tools()).tools]
            await client.call_tool("open", {})
            with anyio.fail_after(10):
                await heard.wait()
            after = [tool.name for tool in (await client.list_tools()).tools]
            read = await client.call_tool("read", {"page": 7})
    assert tools is not None
    assert (tools.list_changed, before, after, read.is_error) == (True, ["open"], ["read"], False)


async def play(task: Task, server: ServerRef, directory: Path) -> list[bool]:
    async with an_arena(a_suite(server), Sandbox(path=directory), task) as arena:
        trajectory = await OracleAgent().attempt(task, arena)
    return [call.is_error for call in trajectory.calls]


async def test_a_reference_may_call_what_the_server_is_said_to_offer_later(tmp_path: Path) -> None:
    task = a_task((expected_call("open"),), (expected_call("read", {"page": 7}),))
    assert await play(task, growing(later_tools=("read",)), tmp_path) == [False, False]
    with pytest.raises(TaskError, match="calls 'read', which no server of the task offers"):
        await play(task, growing(), tmp_path)
