"""Attempts that run in this process."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mcpbench.plugin.options.settings import Settings

if TYPE_CHECKING:
    from pytest_mcpbench.core.protocol_findings import Finding
    from pytest_mcpbench.core.server import ServerRef
    from pytest_mcpbench.definitions.canonical import ServerDefinition
    from pytest_mcpbench.plugin.execution.models import SessionModels
    from pytest_mcpbench.runtime.local_executor import LocalExecutor
    from pytest_mcpbench.runtime.server_pool import ServerPool


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
        from pytest_mcpbench.runtime.local_executor import LocalExecutor
        from pytest_mcpbench.runtime.servers.isolation import make_isolation

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

    def check_protocol(self, server: "ServerRef") -> "tuple[Finding, ...]":
        """Return the findings of the protocol check of a server."""
        return self.executor.call(functools.partial(_check_protocol, server, self._root))

    def close(self) -> None:
        """Cancel every attempt and stop every server."""
        if "executor" in self.__dict__:
            self.executor.close()


async def _definition(server: "ServerRef", directory: Path, pool: "ServerPool") -> "ServerDefinition":
    return await pool.definition(server, directory=directory)


async def _check_protocol(server: "ServerRef", directory: Path, _pool: "ServerPool") -> "tuple[Finding, ...]":
    from pytest_mcpbench.runtime.protocol_check import check_protocol

    return await check_protocol(server, directory=directory)
