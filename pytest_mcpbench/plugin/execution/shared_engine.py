"""Attempts that workers of xdist hand on to the process which they share (``--mcpbench-engine=shared``)."""

import functools
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.plugin.execution import fixture_needs, provider_process
from pytest_mcpbench.plugin.options.settings import Settings

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.remote_attempts import RemoteAttemptBuilder
    from pytest_mcpbench.plugin.execution.session import Session
    from pytest_mcpbench.runtime.attempt import Attempt
    from pytest_mcpbench.runtime.components import AttemptComponents
    from pytest_mcpbench.runtime.remote.executor import RemoteExecutor

_STAYED = "mcpbench_stayed"


class SharedEngine:
    """A worker's part, and in the controller what the workers say; without workers nothing is handed on."""

    def __init__(self, config: pytest.Config, settings: Settings, session: "Session") -> None:
        self._config = config
        self._settings = settings
        self._session = session
        self._stayed: Counter[str] = Counter()

    @functools.cached_property
    def fleet(self) -> "RemoteExecutor | None":
        """``None`` in a process that makes its attempts itself."""
        address = provider_process.address(self._config)
        if address is None:
            return None
        from pytest_mcpbench.runtime.engines.on_provider import ProviderCluster
        from pytest_mcpbench.runtime.remote.executor import RemoteExecutor
        from pytest_mcpbench.runtime.remote.worker_pool import WorkerPool

        crew = WorkerPool(ProviderCluster(address), concurrency=self._settings.concurrency)
        return RemoteExecutor(self._session.rollouts, crew, same_machine=True)

    def close(self) -> None:
        """Cancel what this worker has in flight there."""
        fleet = self.__dict__.get("fleet")
        if fleet is not None:
            fleet.close()

    def described(self, attempt: "Attempt", item: pytest.Item, job: "Job") -> "Attempt":
        """The attempt with how the other process makes its objects, or why none can."""
        try:
            return replace(attempt, components=self._parts(attempt, item, job))
        except UsageError as error:
            return replace(attempt, local_only_reason=str(error))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """A worker tells its controller which attempts it has made itself."""
        workeroutput: dict[str, Any] | None = getattr(self._config, "workeroutput", None)
        fleet = self.__dict__.get("fleet")
        if workeroutput is not None and fleet is not None:
            workeroutput[_STAYED] = fleet.local_counts

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of xdist has ended; one that crashed tells nothing."""
        self._stayed.update(getattr(node, "workeroutput", {}).get(_STAYED, {}))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for why, count in sorted(self._stayed.items()):
            terminalreporter.write_line(f"mcpbench: {count} attempts were made in the workers themselves: {why}")

    @functools.cached_property
    def _elsewhere(self) -> "RemoteAttemptBuilder":
        from pytest_mcpbench.plugin.execution.remote_attempts import RemoteAttemptBuilder

        return RemoteAttemptBuilder(self._config, self._session)

    def _parts(self, attempt: "Attempt", item: pytest.Item, job: "Job") -> "AttemptComponents":
        """Nobody has asked for another process: so only what is surely the same there is made there."""
        shared = fixture_needs.of(item).shared
        if shared is not None:
            raise UsageError(f"the fixture {shared!r} is set up there")
        if attempt.agent is not self._session.named_agents.get(job.model):
            raise UsageError("a hook of yours makes the agent there")
        return self._elsewhere.parts(item, job, attempt.agent)
