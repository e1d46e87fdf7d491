"""The agent that does nothing: a task that it passes can be passed by doing nothing."""

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.runtime.agent import AgentEnvironment


class NoopAgent:
    """Says nothing and calls nothing."""

    name = "noop"

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:  # noqa: ARG002 - it looks at neither
        return Trajectory(stop="declined")
