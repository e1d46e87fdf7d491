"""One provider process for the workers of xdist; in a run without workers there is none."""

import socket
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.plugin.options import concurrency
from pytest_mcpbench.plugin.options.settings import SHARED, Settings

_ADDRESS = "mcpbench_provider"


class Sharing:
    """The controller's part: gives every worker on this machine the address, ends the process with the run."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self.supervisor: Any = None
        """The :class:`~pytest_mcpbench.runtime.provider.supervisor.ProviderSupervisor`, where there are workers."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of xdist where to ask; one on another machine asks for itself."""
        if not node.gateway.spec.popen or not hasattr(socket, "AF_UNIX"):
            return
        if self.supervisor is None:
            from pytest_mcpbench.runtime.provider.supervisor import ProviderSupervisor

            root = self._config.rootpath
            verdicts = root / ".mcpbench" / "verdicts"
            self.supervisor = ProviderSupervisor(
                aliases=self._settings.aliases, verdicts=verdicts, attempts=self._attempts(), root=root
            )
        node.workerinput[_ADDRESS] = str(self.supervisor.address)

    def _attempts(self) -> int:
        """How many attempts of workers the process may have in flight; none where each worker makes its own."""
        if self._settings.engine != SHARED:
            return 0
        return concurrency.workers_of(self._config) * self._settings.concurrency

    def pytest_unconfigure(self) -> None:
        if self.supervisor is not None:
            self.supervisor.close()


def address(config: pytest.Config) -> Path | None:
    """Where this worker asks the run's models; ``None`` in a run without workers."""
    given = getattr(config, "workerinput", {}).get(_ADDRESS)
    return None if given is None else Path(given)
