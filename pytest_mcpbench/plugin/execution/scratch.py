"""Temporary files of a run."""

import functools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mcpbench.files.scratch import ScratchDirectory
    from pytest_mcpbench.options.worker_channel import WorkerChannel


class Scratch:
    """Owner of the directory in the process that users start; its workers on the same machine use it too."""

    def __init__(self, channel: "WorkerChannel") -> None:
        received = channel.input.scratch_directory
        self._received = Path(received) if received is not None and Path(received).is_dir() else None

    @property
    def directory(self) -> Path:
        """The directory, made at its first use."""
        return self._received or self._own.path

    def remove(self) -> None:
        """Remove the directory if it is this process's own."""
        if "_own" in self.__dict__:
            self._own.remove()

    def new_directory(self) -> Path:
        """Make a directory in it."""
        return Path(tempfile.mkdtemp(dir=self.directory))

    def pytest_unconfigure(self) -> None:
        self.remove()

    @functools.cached_property
    def _own(self) -> "ScratchDirectory":
        """The directory; processes and directories that killed runs have left are removed before it is made."""
        from pytest_mcpbench.files.scratch import ScratchDirectory, sweep
        from pytest_mcpbench.servers.leftovers import end_leftovers

        # First the processes, which may use the directories.
        end_leftovers()
        sweep()
        return ScratchDirectory()
