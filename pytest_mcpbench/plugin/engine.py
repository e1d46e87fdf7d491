"""Attempts on other machines (``--mcpbench-engine``), while pytest stays in this process."""

import os
import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench import __version__
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.plugin import preparation
from pytest_mcpbench.plugin.options import Settings
from pytest_mcpbench.runtime.engines import names
from pytest_mcpbench.runtime.remote.crew import Crew
from pytest_mcpbench.runtime.remote.fleet import Fleet
from pytest_mcpbench.runtime.remote.parts import AgentRef, JudgeRef, MetricRef, Parts
from pytest_mcpbench.runtime.remote.request import Setup

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.jobs import Job
    from pytest_mcpbench.plugin.session import Session
    from pytest_mcpbench.runtime.agent import Agent
    from pytest_mcpbench.runtime.attempt import Attempt

_HERE_ONLY = ("replay:", "scripted:")
"""Agents and models that read files of this machine."""


class Engine:
    """Connects before the first task runs; says at the end where attempts were made."""

    def __init__(self, config: pytest.Config, settings: Settings, session: "Session") -> None:
        if config.getoption("tx", None) or hasattr(config, "workerinput"):
            raise pytest.UsageError(
                f"--mcpbench-engine={settings.engine} and -n exclude each other: the engine has processes of its own"
            )
        try:
            names.check(settings.engine)
            asked = dict.fromkeys((*names.aliased_keys(settings.aliases, os.environ), *settings.engine_env))
            environment = names.chosen(tuple(asked), os.environ)
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None
        self._config = config
        self._session = session
        self._name = settings.engine
        self._setup = Setup(
            version=__version__,
            concurrency=settings.concurrency,
            aliases=dict(settings.aliases),
            environment=environment,
        )
        self.fleet: Fleet | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Connect, if there is a task to run."""
        if self._config.option.collectonly or not any(hasattr(item, "job") for item in session.items):
            return
        try:
            cluster = names.cluster_of(self._name, self._setup)
            self.fleet = Fleet(self._session.rollouts, Crew(cluster, concurrency=self._setup.concurrency))
        except McpBenchError as error:
            raise pytest.UsageError(str(error)) from None
        self._session.lookahead.widen(self.fleet.places)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for remark in self.fleet.remarks() if self.fleet is not None else ():
            terminalreporter.write_line(f"mcpbench: engine {self._name}: {remark}")

    def close(self) -> None:
        """Cancel what is in flight there; nothing of it is left."""
        if self.fleet is not None:
            self.fleet.close()

    def described(self, attempt: "Attempt", item: pytest.Item, job: "Job") -> "Attempt":
        """The attempt with how another process makes its objects, or why none can."""
        try:
            return replace(attempt, parts=self._parts(item, job, attempt.agent))
        except UsageError as error:
            return replace(attempt, stays=str(error))

    def _parts(self, item: pytest.Item, job: "Job", agent: "Agent") -> Parts:
        if not hasattr(item, "job"):
            raise UsageError("it belongs to a test of your own, whose fixtures are here")
        fixture = preparation.of(item).fixture
        if fixture is not None:
            raise UsageError(f"the fixture {fixture!r} is set up here, before the attempt")
        return Parts(agent=self._agent(job.model, agent), judge=self._judge(job))

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
        from pytest_mcpbench.plugin.catalogue import catalogue_of

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
