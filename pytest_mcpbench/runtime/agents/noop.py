"""Agent that does nothing: a task that it passes requires no work."""

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.runtime.agent import AgentEnvironment


class NoopAgent:
    """Agent that neither answers nor calls tools."""

    name = "noop"

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:  # noqa: ARG002 - it uses neither
        return Trajectory(stop="declined")
