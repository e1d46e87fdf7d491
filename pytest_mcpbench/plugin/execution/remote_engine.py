"""Attempts on other machines (``--mcpbench-engine``), while pytest itself stays in this process."""

import functools
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench import __version__
from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.components import AttemptComponents
from pytest_mcpbench.attempt.engines import factory
from pytest_mcpbench.attempt.engines.on_provider import ProviderCluster
from pytest_mcpbench.attempt.remote.executor import RemoteExecutor
from pytest_mcpbench.attempt.remote.messages import RunnerSettings
from pytest_mcpbench.attempt.remote.worker_pool import WorkerPool
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.model_names import key_variables
from pytest_mcpbench.options.settings import SETTINGS, Settings
from pytest_mcpbench.options.worker_channel import WorkerChannel, receive_output
from pytest_mcpbench.options.workers import is_worker
from pytest_mcpbench.plugin.collection.item_fixtures import item_fixtures
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.execution.attempts import ComponentReferences
from pytest_mcpbench.plugin.execution.engines import LocalAttempts
from pytest_mcpbench.plugin.execution.participants import AgentRegistry


class RemoteEngine:
    """Connection to a cluster, opened before the first task runs."""

    def __init__(self, config: pytest.Config, local: LocalAttempts, references: ComponentReferences) -> None:
        settings = config.stash[SETTINGS]
        if config.getoption("tx", None) or is_worker(config):
            raise pytest.UsageError(
                f"--mcpbench-engine={settings.engine} and -n exclude each other: the engine has its own processes"
            )
        self._name = settings.engine
        self._runner_settings = _runner_settings(settings)
        self._local = local
        self._references = references
        self.executor: RemoteExecutor | None = None

    @property
    def capacity(self) -> int | None:
        """Number of attempts that the cluster can run at once, ``None`` before it is connected."""
        return self.executor.capacity if self.executor is not None else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Connect if there is a task to run."""
        if session.config.option.collectonly or not any(hasattr(item, "job") for item in session.items):
            return
        try:
            cluster = factory.make_cluster(self._name, self._runner_settings)
            pool = WorkerPool(cluster, concurrency=self._runner_settings.concurrency)
            self.executor = RemoteExecutor(self._local.executor, pool)
        except McpBenchError as error:
            raise pytest.UsageError(str(error)) from None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show where the attempts ran."""
        for line in self.executor.summary_lines() if self.executor is not None else ():
            terminalreporter.write_line(f"mcpbench: engine {self._name}: {line}")

    def close(self) -> None:
        """Cancel the attempts in flight in the cluster."""
        if self.executor is not None:
            self.executor.close()

    def with_components(self, attempt: Attempt, item: pytest.Item, job: Job) -> Attempt:
        """Return the attempt with a description for another process, or the reason why it must stay in this one."""
        try:
            return replace(attempt, components=self._references.components(item, job, attempt.agent))
        except UsageError as error:
            return replace(attempt, local_only_reason=str(error))


def _runner_settings(settings: Settings) -> RunnerSettings:
    """Return the settings of the engine's processes. Raises a usage error for an unknown engine or variable."""
    try:
        factory.check_engine(settings.engine)
        names = dict.fromkeys((*key_variables(settings.aliases, os.environ), *settings.engine_env))
        environment = factory.selected_variables(tuple(names), os.environ)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    return RunnerSettings(
        version=__version__,
        concurrency=settings.concurrency,
        aliases=dict(settings.aliases),
        isolation=settings.isolation,
        environment=environment,
    )


# Attempts of all workers of pytest-xdist in one process that they share (``--mcpbench-engine=shared``).


class SharedEngine:
    """Connection of a worker to the shared process; in a run without workers every attempt stays where it is."""

    capacity = None

    def __init__(
        self,
        settings: Settings,
        local: LocalAttempts,
        references: ComponentReferences,
        agents: AgentRegistry,
        channel: WorkerChannel,
    ) -> None:
        self._agents = agents
        self._settings = settings
        self._local = local
        self._references = references
        self._channel = channel
        self._local_attempts: Counter[str] = Counter()

    @functools.cached_property
    def executor(self) -> RemoteExecutor | None:
        """The executor that sends attempts to the shared process, ``None`` if there is no such process."""
        address = self._channel.input.provider_address
        if address is None:
            return None

        pool = WorkerPool(ProviderCluster(Path(address)), concurrency=self._settings.concurrency)
        return RemoteExecutor(self._local.executor, pool, same_machine=True)

    def close(self) -> None:
        """Cancel the attempts of this worker in the shared process."""
        executor = self._existing_executor()
        if executor is not None:
            executor.close()

    def with_components(self, attempt: Attempt, item: pytest.Item, job: Job) -> Attempt:
        """Return the attempt with a description for the shared process, or the reason why it must stay in this one."""
        try:
            return replace(attempt, components=self._components(attempt, item, job))
        except UsageError as error:
            return replace(attempt, local_only_reason=str(error))

    def pytest_sessionfinish(self) -> None:
        executor = self._existing_executor()
        if executor is not None:
            self._channel.output.local_attempts = executor.local_counts

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._local_attempts.update(receive_output(node).local_attempts)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show how many attempts could not run in the shared process, and why."""
        for reason, count in sorted(self._local_attempts.items()):
            terminalreporter.write_line(f"mcpbench: {count} attempts ran in the workers themselves: {reason}")

    def _existing_executor(self) -> RemoteExecutor | None:
        """Return the executor if an attempt has needed it; making one connects to the shared process."""
        executor: RemoteExecutor | None = self.__dict__.get("executor")
        return executor

    def _components(self, attempt: Attempt, item: pytest.Item, job: Job) -> AttemptComponents:
        # The user may not have asked for another process, so only what cannot differ there is made there.
        fixture = item_fixtures(item).of_project
        if fixture is not None:
            raise UsageError(f"the fixture {fixture!r} is set up there")
        if not self._agents.is_built_in(attempt.agent):
            raise UsageError("a hook of yours makes the agent there")
        return self._references.components(item, job, attempt.agent)
