"""Attempts on other machines (``--mcpbench-engine``), while pytest itself stays in this process."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench import __version__
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.core.model_names import key_variables
from pytest_mcpbench.plugin.options.settings import SETTINGS, Settings
from pytest_mcpbench.plugin.worker_channel import is_worker
from pytest_mcpbench.runtime.engines import factory
from pytest_mcpbench.runtime.remote.executor import RemoteExecutor
from pytest_mcpbench.runtime.remote.messages import RunnerSettings
from pytest_mcpbench.runtime.remote.worker_pool import WorkerPool

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.local_attempts import LocalAttempts
    from pytest_mcpbench.plugin.execution.remote_attempts import RemoteAttemptBuilder
    from pytest_mcpbench.runtime.attempt import Attempt


class RemoteEngine:
    """Connection to a cluster, opened before the first task runs."""

    def __init__(self, config: pytest.Config, local: "LocalAttempts", builder: "RemoteAttemptBuilder") -> None:
        settings = config.stash[SETTINGS]
        if config.getoption("tx", None) or is_worker(config):
            raise pytest.UsageError(
                f"--mcpbench-engine={settings.engine} and -n exclude each other: the engine has its own processes"
            )
        self._name = settings.engine
        self._runner_settings = _runner_settings(settings)
        self._local = local
        self._builder = builder
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

    def with_components(self, attempt: "Attempt", item: pytest.Item, job: "Job") -> "Attempt":
        """Return the attempt with a description for another process, or the reason why it must stay in this one."""
        try:
            return replace(attempt, components=self._builder.components(item, job, attempt.agent))
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
