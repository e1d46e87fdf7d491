"""Door to the services that run attempts.

Most runs of most users have no task. The services, and the modules that they need, are loaded together when the first
item, fixture or option of a run asks for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_mcpbench.plugin.execution.session import Session


class SessionDoor:
    """Owner of the services that run attempts in this process.

    Args:
        config: Configuration of the run.
        make: Function that loads the modules of the services and makes these.
    """

    def __init__(self, config: pytest.Config, make: Callable[[], Session]) -> None:
        self._config = config
        self._make = make
        self.opened: Session | None = None
        """The services; ``None`` as long as nothing has needed them."""

    @property
    def session(self) -> Session:
        """The services; their hooks work from now on."""
        if self.opened is None:
            self.opened = self._make()
            for name, part in self.opened.parts.items():
                self._config.pluginmanager.register(part, f"mcpbench-{name}")
        return self.opened


DOOR = pytest.StashKey[SessionDoor]()
"""Key of the door in the stash of the run."""
