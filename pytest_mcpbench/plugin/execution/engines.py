"""Where attempts run: in this process, or by an engine in others."""

import functools
from pathlib import Path
from typing import Protocol

import pytest

from pytest_mcpbench.agents.dispatchers import Dispatchers
from pytest_mcpbench.attempt.attempt import Attempt
from pytest_mcpbench.attempt.local_executor import LocalExecutor
from pytest_mcpbench.attempt.remote.executor import RemoteExecutor
from pytest_mcpbench.core.protocol_findings import ProtocolFinding
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.execution.participants import MadeByHooks, SessionModels
from pytest_mcpbench.servers.isolation import make_isolation


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


class LocalAttempts:
    """Owner of this process's executor, which starts its event loop when the first attempt needs it."""

    def __init__(
        self, settings: Settings, models: "SessionModels", made_by_hooks: "MadeByHooks", *, root: Path
    ) -> None:
        self._concurrency = settings.concurrency
        self._isolation = settings.isolation
        self._models = models
        self._made_by_hooks = made_by_hooks
        self._root = root

    @functools.cached_property
    def executor(self) -> "LocalExecutor":
        return LocalExecutor(
            concurrency=self._concurrency,
            root=self._root,
            models=self._models.models,
            dispatchers=Dispatchers(self._models.models, self._made_by_hooks.dispatcher),
            isolation=make_isolation(self._isolation),
        )

    @property
    def active_count(self) -> int:
        """Number of attempts and direct calls that are under way, at most as many as agents may act at once."""
        return self.executor.active_count if "executor" in self.__dict__ else 0

    def definition(self, server: "ServerRef") -> "ServerDefinition":
        """Return everything that a client sees of a server."""
        return self.executor.call(lambda pool: pool.definition(server, directory=self._root))

    def check_protocol(self, server: "ServerRef") -> "tuple[ProtocolFinding, ...]":
        """Return the findings of the protocol check of a server."""
        # Here, because it brings mcp's client and server: 0.7 s of processor time.
        from pytest_mcpbench.servers.protocol_check import check_protocol

        return self.executor.call(lambda _pool: check_protocol(server, directory=self._root))

    def close(self) -> None:
        """Cancel every attempt and stop every server."""
        if "executor" in self.__dict__:
            self.executor.close()
