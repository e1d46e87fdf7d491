"""Process that calls the models for all workers of pytest-xdist, so that they share rate limits and connections."""

import socket
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mcpbench.options.settings import SHARED, Settings
from pytest_mcpbench.options.workers import worker_count

if TYPE_CHECKING:
    from pytest_mcpbench.attempt.provider.supervisor import ProviderSupervisor
    from pytest_mcpbench.plugin.execution.scratch import Scratch


class ProviderProcess:
    """Owner of the process in the controller; in a run without workers there is none."""

    def __init__(self, config: pytest.Config, settings: Settings, scratch: "Scratch") -> None:
        self._config = config
        self._scratch = scratch
        self._settings = settings
        self.supervisor: ProviderSupervisor | None = None

    def address(self, node: Any) -> str | None:
        """Return the socket for a worker that starts; ``None`` for one on another machine."""
        if not node.gateway.spec.popen or not hasattr(socket, "AF_UNIX"):
            return None
        if self.supervisor is None:
            self.supervisor = self._start()
        return str(self.supervisor.address)

    def pytest_unconfigure(self) -> None:
        if self.supervisor is not None:
            self.supervisor.close()

    def _start(self) -> "ProviderSupervisor":
        from pytest_mcpbench.attempt.provider.supervisor import ProviderSupervisor

        root = self._config.rootpath
        # With another engine each worker runs its own attempts.
        attempts = worker_count(self._config) * self._settings.concurrency if self._settings.engine == SHARED else 0
        return ProviderSupervisor(
            aliases=self._settings.aliases,
            verdicts=root / ".mcpbench" / "verdicts",
            attempts=attempts,
            root=root,
            isolation=self._settings.isolation,
            directory=self._scratch.new_directory(),
        )
