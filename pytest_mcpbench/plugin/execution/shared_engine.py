"""Attempts of all workers of pytest-xdist in one process that they share (``--mcpbench-engine=shared``)."""

import functools
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.plugin.execution.item_fixtures import item_fixtures
from pytest_mcpbench.plugin.worker_channel import receive_output

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.local_attempts import LocalAttempts
    from pytest_mcpbench.plugin.execution.remote_attempts import RemoteAttemptBuilder
    from pytest_mcpbench.plugin.options.settings import Settings
    from pytest_mcpbench.plugin.worker_channel import WorkerChannel
    from pytest_mcpbench.runtime.attempt import Attempt
    from pytest_mcpbench.runtime.components import AttemptComponents
    from pytest_mcpbench.runtime.remote.executor import RemoteExecutor


class SharedEngine:
    """Connection of a worker to the shared process; in a run without workers every attempt stays where it is."""

    capacity = None

    def __init__(
        self, settings: "Settings", local: "LocalAttempts", builder: "RemoteAttemptBuilder", channel: "WorkerChannel"
    ) -> None:
        self._settings = settings
        self._local = local
        self._builder = builder
        self._channel = channel
        self._local_attempts: Counter[str] = Counter()

    @functools.cached_property
    def executor(self) -> "RemoteExecutor | None":
        """The executor that sends attempts to the shared process, ``None`` if there is no such process."""
        address = self._channel.input.provider_address
        if address is None:
            return None
        from pytest_mcpbench.runtime.engines.on_provider import ProviderCluster
        from pytest_mcpbench.runtime.remote.executor import RemoteExecutor
        from pytest_mcpbench.runtime.remote.worker_pool import WorkerPool

        pool = WorkerPool(ProviderCluster(Path(address)), concurrency=self._settings.concurrency)
        return RemoteExecutor(self._local.executor, pool, same_machine=True)

    def close(self) -> None:
        """Cancel the attempts of this worker in the shared process."""
        executor = self._existing_executor()
        if executor is not None:
            executor.close()

    def with_components(self, attempt: "Attempt", item: pytest.Item, job: "Job") -> "Attempt":
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

    def _existing_executor(self) -> "RemoteExecutor | None":
        """Return the executor if an attempt has needed it; making one connects to the shared process."""
        executor: RemoteExecutor | None = self.__dict__.get("executor")
        return executor

    def _components(self, attempt: "Attempt", item: pytest.Item, job: "Job") -> "AttemptComponents":
        # The user may not have asked for another process, so only what cannot differ there is made there.
        fixture = item_fixtures(item).of_project
        if fixture is not None:
            raise UsageError(f"the fixture {fixture!r} is set up there")
        if not self._builder.agents.is_built_in(attempt.agent):
            raise UsageError("a hook of yours makes the agent there")
        return self._builder.components(item, job, attempt.agent)
