"""External agents whose program follows a plan, with an arena in memory."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from fixtures import agent_program
from pytest_mcpbench.agents.programs.factory import make_external_agent
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.servers.isolation import IsolationMode
from tests.agents.workplaces import Tool, Workshop, echo
from tests.builders import a_task


def table(*plan: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An entry of ``[tool.mcpbench.agents]``."""
    command = [sys.executable, "-S", agent_program.__file__, "{mcp_config}", json.dumps(plan)]
    return {"command": command, "may_skip_servers": True, **fields}


def attempt(
    directory: Path,
    *plan: dict[str, Any],
    task: Task | None = None,
    tools: dict[str, Tool] | None = None,
    isolation: IsolationMode = "none",
    **fields: Any,
) -> Trajectory:
    """The trajectory of a program in a sandbox below a directory."""
    workshop = Workshop(tools or {"echo": echo}, hidden=("secret",))
    workshop.directory = directory / "sandbox"
    workshop.directory.mkdir()
    agent = make_external_agent("agent:plan", {"plan": table(*plan, **fields)}, isolation=isolation)
    # Like the loop of a run: anyio.run would tell callbacks outside of tasks which library runs.
    return asyncio.run(agent.attempt(task or a_task(), workshop))


async def fail(_arguments: dict[str, Any]) -> ToolResult:
    return ToolResult.failure("no such note", "tool")
