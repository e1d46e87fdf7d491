"""Door to the services that run attempts.

Most runs of most users have no task. The services, and the modules that they need, are loaded together when the first
item, fixture or option of a run asks for them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mcpbench.garbage_collection import paused_collection
from pytest_mcpbench.options.settings import LOCAL, Settings

if TYPE_CHECKING:
    from pytest_mcpbench.options.worker_channel import WorkerChannel
    from pytest_mcpbench.plugin.execution.scratch import Scratch
    from pytest_mcpbench.plugin.execution.session import Session


class SessionDoor:
    """Owner of the services of this process.

    Args:
        config: Configuration of the run.
        channel: Messages between the processes of the run.
        scratch: Temporary files of the run.
        directory: Directory of the run's records.
        check_stop: Function that ends the session of a worker if the run is to stop.
    """

    def __init__(
        self,
        config: pytest.Config,
        channel: WorkerChannel,
        scratch: Scratch,
        directory: Path,
        check_stop: Callable[[pytest.Session], None],
    ) -> None:
        self._config = config
        self._channel = channel
        self._scratch = scratch
        self._directory = directory
        self._check_stop = check_stop
        self.opened: Session | None = None
        """The services; ``None`` as long as nothing has needed them."""

    @property
    def session(self) -> Session:
        """The services; their hooks work from now on."""
        if self.opened is None:
            with paused_collection():
                from pytest_mcpbench.plugin.execution.session import make_session

            self.opened = make_session(self._config, self._channel, self._scratch, self._directory, self._check_stop)
            for name, part in self.opened.parts.items():
                self._config.pluginmanager.register(part, f"mcpbench-{name}")
        return self.opened


def is_needed_at_start(settings: Settings) -> bool:
    """Return whether the services have something to do or to refuse before the first task is known."""
    uses = (settings.record, settings.replay, settings.max_cost, settings.max_seconds)
    is_set = any(value is not None for value in uses) or settings.record_tools
    return settings.engine != LOCAL or settings.compares_arms or is_set


SESSION = pytest.StashKey[SessionDoor]()
