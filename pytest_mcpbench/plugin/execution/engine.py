"""Attempts on other machines (``--mcpbench-engine``), while pytest stays in this process."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench import __version__
from pytest_mcpbench.core.errors import McpBenchError, UsageError
from pytest_mcpbench.plugin.execution.remote_attempts import RemoteAttemptBuilder
from pytest_mcpbench.plugin.options.settings import Settings
from pytest_mcpbench.runtime.engines import factory
from pytest_mcpbench.runtime.remote.executor import RemoteExecutor
from pytest_mcpbench.runtime.remote.messages import RunnerSettings
from pytest_mcpbench.runtime.remote.worker_pool import WorkerPool

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.session import Session
    from pytest_mcpbench.runtime.attempt import Attempt


class Engine:
    """Connects before the first task runs; says at the end where attempts were made."""

    def __init__(self, config: pytest.Config, settings: Settings, session: "Session") -> None:
        if config.getoption("tx", None) or hasattr(config, "workerinput"):
            raise pytest.UsageError(
                f"--mcpbench-engine={settings.engine} and -n exclude each other: the engine has processes of its own"
            )
        try:
            factory.check_engine(settings.engine)
            asked = dict.fromkeys((*factory.alias_key_variables(settings.aliases, os.environ), *settings.engine_env))
            environment = factory.selected_variables(tuple(asked), os.environ)
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None
        self._config = config
        self._session = session
        self._name = settings.engine
        self._setup = RunnerSettings(
            version=__version__,
            concurrency=settings.concurrency,
            aliases=dict(settings.aliases),
            environment=environment,
        )
        self._elsewhere = RemoteAttemptBuilder(config, session)
        self.fleet: RemoteExecutor | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Connect, if there is a task to run."""
        if self._config.option.collectonly or not any(hasattr(item, "job") for item in session.items):
            return
        try:
            cluster = factory.make_cluster(self._name, self._setup)
            self.fleet = RemoteExecutor(
                self._session.rollouts, WorkerPool(cluster, concurrency=self._setup.concurrency)
            )
        except McpBenchError as error:
            raise pytest.UsageError(str(error)) from None
        self._session.lookahead.widen(self.fleet.capacity)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.fleet.summary_lines() if self.fleet is not None else ():
            terminalreporter.write_line(f"mcpbench: engine {self._name}: {line}")

    def close(self) -> None:
        """Cancel what is in flight there; nothing of it is left."""
        if self.fleet is not None:
            self.fleet.close()

    def described(self, attempt: "Attempt", item: pytest.Item, job: "Job") -> "Attempt":
        """The attempt with how another process makes its objects, or why none can."""
        try:
            return replace(attempt, components=self._elsewhere.parts(item, job, attempt.agent))
        except UsageError as error:
            return replace(attempt, local_only_reason=str(error))
