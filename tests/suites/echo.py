"""A plugin of pytest with the agent ``echo``, which answers a request with the request."""

import pytest

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.plugin.options import Settings
from pytest_mcpbench.runtime.agent import Agent, Workplace


class EchoAgent:
    """A task that it passes gives its answer away."""

    name = "echo"

    async def attempt(self, task: Task, arena: Workplace) -> Trajectory:  # noqa: ARG002 - it looks at no tool
        said = (turn.user for turn in task.turns)
        steps = (Step(turn=index, text=f"{text}\n<answer>{text}</answer>") for index, text in enumerate(said))
        return Trajectory(steps=tuple(steps))


def pytest_mcpbench_make_agent(config: pytest.Config, settings: Settings, model: str) -> Agent | None:
    return EchoAgent() if model == EchoAgent.name else None
