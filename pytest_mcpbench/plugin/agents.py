"""The agent that ``--model`` means, with the run's settings."""

from typing import TYPE_CHECKING

from pytest_mcpbench.plugin.options.settings import Settings

if TYPE_CHECKING:
    from pytest_mcpbench.runtime.agent import Agent
    from pytest_mcpbench.runtime.models.factory import Models


def make_agent(name: str, settings: Settings, models: "Models") -> "Agent":
    """See :func:`pytest_mcpbench.runtime.agents.factory.make_agent`."""
    from pytest_mcpbench.runtime.agents import factory

    return factory.make_agent(name, models, temperature=settings.temperature)
