"""Tools that servers execute as tasks of the protocol, in both eras."""

import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import ToolResult
from tests.servers.subjects import SCRIPTS, open_connection

USER = Task.model_validate({"id": "t", "turns": [{"user": "Do it."}], "elicit": [{"content": {"confirm": True}}]})


def server(era: str, **fields: Any) -> ServerRef:
    arguments = ("-S", str(SCRIPTS / "tasks.py"), era)
    mode: Any = "modern" if era == "modern" else "legacy"
    return ServerRef(name="tasks", transport="stdio", command=sys.executable, arguments=arguments, mode=mode, **fields)


def call(ref: ServerRef, directory: Path, *tools: str) -> list[ToolResult]:
    async def make() -> list[ToolResult]:
        async with open_connection(ref, directory) as connection:
            return [await connection.call(tool, {}, Respondent(USER)) for tool in tools]

    return anyio.run(make)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_task_is_watched_until_it_ends(era: str, tmp_path: Path) -> None:
    done, broken, failed, cancelled = call(server(era), tmp_path, "report", "break", "fail", "vanish")
    assert (done.text, done.is_error) == ("report is done", False)
    assert done.news == ("the server reports: step 1", "the server reports: step 2")
    assert (broken.text, broken.is_error) == ("break is done", True)
    assert (failed.text, failed.error_kind) == ("Error -32050: out of paper", "protocol")
    assert (cancelled.text, cancelled.is_error) == ("The task of this call ended as cancelled: step 2.", True)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_news_of_a_task_let_the_time_of_its_call_begin_again(era: str, tmp_path: Path) -> None:
    (slow,) = call(server(era, timeouts=ServerTimeouts(call_seconds=0.3)), tmp_path, "slow")
    assert slow.text == "slow is done"


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_task_asks_the_user(era: str, tmp_path: Path) -> None:
    (result,) = call(server(era), tmp_path, "delete")
    assert '"confirm": true' in result.text
    assert [(asked.message, asked.action) for asked in result.elicitations] == [("Delete it?", "accept")]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_an_abandoned_task_is_cancelled(era: str, tmp_path: Path) -> None:
    patience = ServerTimeouts(call_seconds=0.3)
    endless, log = call(server(era, timeouts=patience), tmp_path, "endless", "log")
    assert (endless.error_kind, log.text) == ("timeout", "cancelled endless")


def test_a_tool_that_no_call_can_reach_is_an_error_of_the_server(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"'report' runs only as a task .* does not declare `tasks\.requests"):
        call(server("undeclared"), tmp_path, "report")


def test_a_client_without_the_extension_gets_no_task(tmp_path: Path) -> None:
    (result,) = call(server("modern", capabilities=()), tmp_path, "report")
    assert (result.text, result.is_error) == ("Error -32601: only as a task", True)
