"""Descriptions of attempts for other processes."""

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import external_agent, reads_local_file
from pytest_mcpbench.plugin.execution.item_fixtures import item_fixtures

if TYPE_CHECKING:
    from pytest_mcpbench.agents.agent import Agent
    from pytest_mcpbench.attempt.components import AgentRef, AttemptComponents, JudgeRef
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.agents import AgentRegistry
    from pytest_mcpbench.plugin.execution.judges import JudgeRegistry
    from pytest_mcpbench.plugin.execution.scoring import Scorer
    from pytest_mcpbench.plugin.execution.users import UserRegistry


@dataclass(frozen=True)
class RemoteAttemptBuilder:
    """Builder of descriptions of an attempt's agent and judge, from which another process makes equal ones."""

    config: pytest.Config
    agents: "AgentRegistry"
    judges: "JudgeRegistry"
    users: "UserRegistry"
    scorer: "Scorer"

    def components(self, item: pytest.Item, job: "Job", agent: "Agent") -> "AttemptComponents":
        """Return the description. Raises UsageError if only this process can run the attempt."""
        from pytest_mcpbench.attempt.components import AttemptComponents

        if not hasattr(item, "job"):
            raise UsageError("it belongs to a test of your own, whose fixtures are here")
        fixture = item_fixtures(item).per_item
        if fixture is not None:
            raise UsageError(f"the fixture {fixture!r} is set up here, before the attempt")
        return AttemptComponents(agent=self._agent(job, agent), judge=self._judge(job), user=self._user(job))

    def _agent(self, job: "Job", agent: "Agent") -> "AgentRef":
        from pytest_mcpbench.attempt.components import AgentRef

        model, settings = job.address, job.settings
        if settings.record is not None or settings.replay is not None:
            raise UsageError("the cassette is here")
        if external_agent(model, settings.aliases) is not None:
            raise UsageError(f"{model} is a program of this machine")
        if not self.agents.is_built_in(agent):
            return AgentRef(name=model, temperature=settings.temperature, pickled=_pickle(model, agent))
        if reads_local_file(model, settings.aliases):
            raise UsageError(f"{model} reads files of this machine")
        return AgentRef(name=model, temperature=settings.temperature)

    def _user(self, job: "Job") -> str:
        """Return the model that plays users. Raises UsageError for one that only this machine has."""
        name = job.user
        if reads_local_file(name, job.settings.aliases):
            raise UsageError(f"the user's model {name} reads files of this machine")
        return name

    def _judge(self, job: "Job") -> "JudgeRef | None":
        """Return the judge; ``None`` if this process has to ask it, because a metric of a hook has no address."""
        from pytest_mcpbench.attempt.components import JudgeRef, MetricRef
        from pytest_mcpbench.plugin.collection.catalogue import catalogue_of

        metrics = catalogue_of(self.config).metrics
        addresses: dict[str, Any] = {name: metrics[name] for name in self.scorer.judged_metrics(job)}
        if not addresses or not all(isinstance(address, str) for address in addresses.values()):
            return None
        settings = job.suite.metric_settings
        refs = {
            name: MetricRef(address=address, settings=settings.get(name, {})) for name, address in addresses.items()
        }
        return JudgeRef(name=job.judge, metrics=refs)


def _pickle(model: str, agent: "Agent") -> bytes:
    try:
        return pickle.dumps(agent)
    except Exception as error:
        raise UsageError(f"the agent of {model}, which a hook makes, cannot be pickled ({error})") from error
