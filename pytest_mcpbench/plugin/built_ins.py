"""What ships with the plugin, provided through the same hooks as everybody else's."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.options.settings import Settings
    from pytest_mcpbench.runtime.agent import Agent


def pytest_mcpbench_metrics() -> Mapping[str, Any]:
    """The metrics of the five benchmarks."""
    from pytest_mcpbench.metrics.catalogue import BUILT_IN

    return BUILT_IN


def pytest_mcpbench_loaders() -> Mapping[str, Any]:
    """The native loader and those of the five benchmarks."""
    from pytest_mcpbench.loaders.catalogue import BUILT_IN

    return BUILT_IN


@pytest.hookimpl(trylast=True)
def pytest_mcpbench_make_agent(config: pytest.Config, settings: "Settings", model: str) -> "Agent":
    """The agents without a model, and the LLM agent for every other name."""
    from pytest_mcpbench.plugin import agents

    session: Any = config.pluginmanager.get_plugin("mcpbench-session")
    session.named_agents[model] = agents.make_agent(model, settings, session.models)
    made: Agent = session.named_agents[model]
    return made
