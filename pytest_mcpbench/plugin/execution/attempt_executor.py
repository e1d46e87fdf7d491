"""Execution of attempts, in this process or by an engine, while pytest's thread waits for their results."""

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_mcpbench.options.option import window_size
from pytest_mcpbench.options.settings import SETTINGS, Settings

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pytest_mcpbench.attempt.attempt import Attempt, AttemptResult
    from pytest_mcpbench.attempt.local_executor import LocalExecutor
    from pytest_mcpbench.attempt.remote.executor import RemoteExecutor
    from pytest_mcpbench.attempt.server_pool import ServerPool
    from pytest_mcpbench.core.evidence import AttemptEvidence
    from pytest_mcpbench.core.protocol_findings import ProtocolFinding
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.definitions.canonical import ServerDefinition
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.budget import Budget
    from pytest_mcpbench.plugin.execution.journal import SessionJournal
    from pytest_mcpbench.plugin.execution.models import SessionModels


class Engine(Protocol):
    """Part of the plugin that runs attempts in other processes."""

    @property
    def executor(self) -> "RemoteExecutor | None":
        """The executor; ``None`` if this process has to run its attempts itself."""

    @property
    def capacity(self) -> int | None:
        """Number of attempts that can run at once; ``None`` if it is that of this process."""

    def with_components(self, attempt: "Attempt", item: pytest.Item, job: "Job") -> "Attempt":
        """Return the attempt with a description for another process, or the reason why it must stay in this one."""

    def close(self) -> None:
        """Cancel the attempts in flight."""


class AttemptExecutor:
    """Executor of a session: sends attempts to the engine if there is one, else runs them in this process."""

    def __init__(  # noqa: PLR0913 (the services that it connects)
        self,
        config: pytest.Config,
        local: "LocalAttempts",
        engine: Engine | None,
        journal: "SessionJournal",
        check_stop: Callable[[pytest.Session], None],
        budget: "Budget",
    ) -> None:
        self._config = config
        self._local = local
        self._engine = engine
        self._journal = journal
        self._check_stop = check_stop
        self._budget = budget

    @property
    def window(self) -> int:
        """Number of items behind the current one whose attempts are to be started; 0: none."""
        concurrency = self._config.stash[SETTINGS].concurrency
        capacity = self._engine.capacity if self._engine is not None else None
        places = concurrency if capacity is None else capacity
        if capacity is None and concurrency == 1:
            return 0
        return window_size(self._config, places, is_limited=self._budget.is_limited)

    def submit(self, attempt: "Attempt", item: pytest.Item, job: "Job") -> "Future[AttemptResult]":
        """Start the attempt, whose evidence is stored when it ends; cancelling the future cancels the attempt."""
        attempt = replace(attempt, journal=self._journal.evidence)
        future = self._submit(attempt, item, job)
        self._budget.count(job, future)
        return future

    def judge_again(self, attempt: "Attempt", evidence: "AttemptEvidence") -> "AttemptEvidence":
        """Return the evidence of an earlier attempt with verdicts of the attempt's judge; the agent is not asked."""
        from pytest_mcpbench.attempt.verdicts import missing_verdicts, renew_verdicts

        if attempt.judge is None:
            return evidence.model_copy(update={"verdicts": {}})
        if not missing_verdicts(attempt, evidence):
            return evidence
        return self._local.executor.call(lambda _: renew_verdicts(attempt, evidence))

    def wait(self, future: "Future[AttemptResult]", item: pytest.Item) -> "AttemptResult":
        """Return the result of the attempt; end the session of a worker if the run is to stop meanwhile."""
        from pytest_mcpbench.concurrency import wait_for_result

        return wait_for_result(future, on_wait=functools.partial(self._on_wait, item.session))

    def _submit(self, attempt: "Attempt", item: pytest.Item, job: "Job") -> "Future[AttemptResult]":
        engine = self._engine
        if engine is None or engine.executor is None:
            return self._local.executor.submit(attempt)
        return engine.executor.submit(engine.with_components(attempt, item, job))

    def _on_wait(self, session: pytest.Session) -> None:
        self._budget.publish()
        self._check_stop(session)

    def pytest_unconfigure(self) -> None:
        """Stop every attempt and server; the engine first, because it may use this process's executor."""
        if self._engine is not None:
            self._engine.close()
        self._local.close()


# Attempts that run in this process.


class LocalAttempts:
    """Owner of this process's executor, which starts its event loop when the first attempt needs it."""

    def __init__(self, settings: Settings, models: "SessionModels", *, root: Path) -> None:
        self._concurrency = settings.concurrency
        self._isolation = settings.isolation
        self._models = models
        self._root = root

    @functools.cached_property
    def executor(self) -> "LocalExecutor":
        # Imported on first use, because it imports mcp: more than a second of processor time.
        from pytest_mcpbench.attempt.local_executor import LocalExecutor
        from pytest_mcpbench.servers.isolation import make_isolation

        return LocalExecutor(
            concurrency=self._concurrency,
            root=self._root,
            models=self._models.models,
            isolation=make_isolation(self._isolation),
        )

    @property
    def active_count(self) -> int:
        """Number of attempts in flight."""
        return self.executor.active_count if "executor" in self.__dict__ else 0

    def definition(self, server: "ServerRef") -> "ServerDefinition":
        """Return everything that a client sees of a server."""
        return self.executor.call(functools.partial(_definition, server, self._root))

    def check_protocol(self, server: "ServerRef") -> "tuple[ProtocolFinding, ...]":
        """Return the findings of the protocol check of a server."""
        return self.executor.call(functools.partial(_check_protocol, server, self._root))

    def close(self) -> None:
        """Cancel every attempt and stop every server."""
        if "executor" in self.__dict__:
            self.executor.close()


async def _definition(server: "ServerRef", directory: Path, pool: "ServerPool") -> "ServerDefinition":
    return await pool.definition(server, directory=directory)


async def _check_protocol(server: "ServerRef", directory: Path, _pool: "ServerPool") -> "tuple[ProtocolFinding, ...]":
    from pytest_mcpbench.servers.protocol_check import check_protocol

    return await check_protocol(server, directory=directory)
