"""Agent that does nothing: a task that it passes requires no work."""

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.users.dialogue import Dialogue
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Trajectory


class NoopAgent:
    """Agent that neither answers nor calls tools, so that a user that answers gives up."""

    name = "noop"

    async def attempt(self, task: Task, arena: AgentEnvironment) -> Trajectory:
        dialogue = Dialogue(task, arena.user)
        await dialogue.next_turn("")
        return Trajectory(stop="declined", conversation=dialogue.record)
