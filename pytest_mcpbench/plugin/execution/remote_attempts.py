"""How another process makes the objects of an attempt, or why none can."""

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.plugin.execution import fixture_needs
from pytest_mcpbench.runtime.components import AgentRef, AttemptComponents, JudgeRef, MetricRef

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.session import Session
    from pytest_mcpbench.runtime.agent import Agent

_HERE_ONLY = ("replay:", "scripted:")
"""Agents and models that read files of this machine."""


class RemoteAttemptBuilder:
    """Of the tasks of one process."""

    def __init__(self, config: pytest.Config, session: "Session") -> None:
        self._config = config
        self._session = session

    def parts(self, item: pytest.Item, job: "Job", agent: "Agent") -> AttemptComponents:
        """The parts of the item's attempt. Raises UsageError where only this process has them."""
        if not hasattr(item, "job"):
            raise UsageError("it belongs to a test of your own, whose fixtures are here")
        fixture = fixture_needs.of(item).fixture
        if fixture is not None:
            raise UsageError(f"the fixture {fixture!r} is set up here, before the attempt")
        return AttemptComponents(agent=self._agent(job.model, agent), judge=self._judge(job))

    def _agent(self, model: str, agent: "Agent") -> AgentRef:
        temperature = self._session.settings.temperature
        if agent is not self._session.named_agents.get(model):
            return AgentRef(name=model, temperature=temperature, pickled=_pickled(model, agent))
        meant = self._session.settings.aliases.get(model, model)
        address = meant.get("model") if isinstance(meant, dict) else meant
        if str(address).startswith(_HERE_ONLY):
            raise UsageError(f"{model} reads files of this machine")
        return AgentRef(name=model, temperature=temperature)

    def _judge(self, job: "Job") -> JudgeRef | None:
        """``None`` where verdicts are asked for here: a metric of a hook has no address."""
        from pytest_mcpbench.plugin.collection.catalogue import catalogue_of

        named = catalogue_of(self._config).metrics
        addresses: dict[str, Any] = {name: named[name] for name in self._session.judged_names(job)}
        if not addresses or not all(isinstance(address, str) for address in addresses.values()):
            return None
        settings = job.suite.metric_settings
        refs = {
            name: MetricRef(address=address, settings=settings.get(name, {})) for name, address in addresses.items()
        }
        return JudgeRef(name=self._session.judge_name(job), metrics=refs)


def _pickled(model: str, agent: "Agent") -> bytes:
    try:
        return pickle.dumps(agent)
    except Exception as error:
        raise UsageError(f"the agent of {model}, which a hook makes, cannot be pickled ({error})") from error
