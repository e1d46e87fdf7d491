"""Agents that imitate models of unlike skill and price: some attempts play the reference, the others go wrong.

Which do is drawn from the names of model and task and the number of the trial, so that each run draws the same.
"""

from random import Random

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.oracle import OracleAgent
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.usage import Usage

# Hardness up to which attempts play the reference, and dollars for a million tokens.
MODELS = {
    "large-a": (0.82, 6.0),
    "large-b": (0.78, 1.2),
    "medium": (0.62, 0.8),
    "small": (0.45, 0.1),
    "tiny": (0.3, 0.05),
}
ANSWER = "I could not find that out."


class ImitatedModel:
    """Agent with the skill and the price of a model."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.skill, self.price = MODELS[name]

    async def attempt(self, task: Task, environment: AgentEnvironment) -> Trajectory:
        """Play the reference, or make no call or wrong ones, by chance."""
        # What is hard for one model is likelier to be hard for the others.
        hardness = Random(task.id).random()
        chance = Random(f"{self.name} {task.id} {environment.trial}")
        if (hardness + chance.random()) / 2 < self.skill:
            trajectory = await OracleAgent().attempt(task, environment)
        else:
            tools = chance.sample(environment.tools, k=min(chance.choice((0, 1, 2)), len(environment.tools)))
            calls = [await environment.call(Call(id=tool.name, name=tool.name, arguments={})) for tool in tools]
            steps = (*(Step(text="", calls=(call,)) for call in calls), Step(text=ANSWER))
            trajectory = Trajectory(stop="answered", steps=steps)
        steps = tuple(step.model_copy(update={"usage": self._usage(chance)}) for step in trajectory.steps)
        return trajectory.model_copy(update={"steps": steps})

    def _usage(self, chance: Random) -> Usage:
        read, written = chance.randint(2000, 6000), chance.randint(50, 200)
        return Usage(input_tokens=read, output_tokens=written, cost_usd=(read + written) * self.price / 1e6)


def pytest_mcpbench_make_agent(model: str) -> ImitatedModel | None:
    """Return the agent of an imitated model."""
    return ImitatedModel(model) if model in MODELS else None
