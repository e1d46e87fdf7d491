"""Programs as agents: their factory, their identity, and the options that they exclude."""

from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.core.model_names import external_agent
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.options.worker_channel import worker_count

if TYPE_CHECKING:
    from pytest_mcpbench.agents.programs.external_agent import ExternalAgent


class ExternalAgents:
    """Factory of ``--model=agent:NAME``, called through the same hook as everybody else's."""

    def pytest_mcpbench_make_agent(
        self, config: pytest.Config, settings: Settings, model: str
    ) -> "ExternalAgent | None":
        """Return the agent of that name; ``None`` for a name of something else."""
        name = external_agent(model, settings.aliases)
        if name is None:
            return None
        for option, directory in (("record", settings.record), ("replay", settings.replay)):
            if directory is not None:
                problem = "asks its model by itself, so that no cassette can hold the replies"
                raise pytest.UsageError(f"--mcpbench-{option}: {model} {problem}; leave the option out")
        # Imported on first use: it brings the web server of the proxies.
        from pytest_mcpbench.agents.programs.factory import check_port, make_external_agent

        agent = make_external_agent(name, settings.agents, isolation=settings.isolation, root=config.rootpath)
        check_port(agent, workers=worker_count(config))
        return agent
