"""Registry of the agents of this process."""

from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.options.settings import Settings

if TYPE_CHECKING:
    from pytest_mcpbench.agents.agent import Agent
    from pytest_mcpbench.plugin.execution.models import SessionModels


class BuiltInAgents:
    """Factory of the agents that ship with the plugin, called through the same hook as everybody else's."""

    def __init__(self, models: "SessionModels") -> None:
        self._models = models
        self._agents: list[Agent] = []

    @pytest.hookimpl(trylast=True)
    def pytest_mcpbench_make_agent(self, settings: Settings, model: str) -> "Agent":
        """Return the agent of that name; every name of no other agent is a model of the LLM agent."""
        from pytest_mcpbench.agents.factory import make_agent

        agent = make_agent(model, self._models.models, temperature=settings.temperature)
        self._agents.append(agent)
        return agent

    def has(self, agent: "Agent") -> bool:
        """Return whether the agent was made here, so that any process can make an equal one from its name."""
        return any(made is agent for made in self._agents)


class AgentRegistry:
    """Agents by model, one for the process each."""

    def __init__(self, config: pytest.Config, settings: Settings, built_in: BuiltInAgents) -> None:
        self._config = config
        self._settings = settings
        self._built_in = built_in
        self._agents: dict[tuple[str, float | None], Agent] = {}

    def agent(self, model: str, settings: Settings | None = None) -> "Agent":
        """Return the agent of the model, made by the first hook implementation that knows it.

        Args:
            model: Name of the model as the user wrote it.
            settings: Settings of the attempt, whose temperature a sweep may vary; by default those of the run.
        """
        settings = settings or self._settings
        key = model, settings.temperature
        if key not in self._agents:
            make_agent = self._config.hook.pytest_mcpbench_make_agent
            self._agents[key] = make_agent(config=self._config, settings=settings, model=model)
        return self._agents[key]

    def is_built_in(self, agent: "Agent") -> bool:
        """Return whether the plugin itself made the agent."""
        return self._built_in.has(agent)
