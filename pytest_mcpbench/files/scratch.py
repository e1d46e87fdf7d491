"""Temporary directory of a run, with a lease by which the next run knows that its owner is gone."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from pytest_mcpbench.files.file_locks import lock_file

_PREFIX = "mcpbench-"
_LEASE = ".lease"


class ScratchDirectory:
    """Directory for everything temporary of one process and of those that it tells; it is made at its first use.

    The owner holds a lock on a file in it, which the operating system releases when the process ends in any way.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent
        self._path: Path | None = None
        self._lease: int | None = None

    @property
    def path(self) -> Path:
        """The directory, which only this user can enter."""
        if self._path is None:
            # Resolved, because servers compare paths with the real path of their root (on macOS /tmp is a link).
            self._path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._parent)).resolve()
            descriptor = os.open(self._path / _LEASE, os.O_RDWR | os.O_CREAT, 0o600)
            _lock(descriptor)
            os.write(descriptor, f"process {os.getpid()}\n".encode())
            self._lease = descriptor
        return self._path

    def remove(self) -> None:
        """Remove the directory with its content, and give up the lease."""
        if self._path is None:
            return
        if self._lease is not None:
            os.close(self._lease)  # before the removal, because Windows removes closed files only
        shutil.rmtree(self._path, ignore_errors=True)
        self._path = self._lease = None


def sweep(parent: Path | None = None) -> int:
    """Remove the directories that killed runs of this user have left; return their number.

    A directory without a lease, or whose owner lives, stays.
    """
    parents = {parent} if parent is not None else {Path(tempfile.gettempdir()), Path("/tmp")}
    removed = 0
    for directory in (directory for each in parents for directory in each.glob(f"{_PREFIX}*")):
        try:
            descriptor = os.open(directory / _LEASE, os.O_RDWR)
        except OSError:
            continue  # no lease, or that of another user
        try:
            is_left = os.fstat(descriptor).st_size > 0 and _lock(descriptor)
        finally:
            os.close(descriptor)
        if is_left:
            shutil.rmtree(directory, ignore_errors=True)
            removed += 1
    return removed


def _lock(descriptor: int) -> bool:
    """Lock an open file; return whether it is locked now: another holder or a file system without locks prevents it."""
    # Of the open file and not of the process: it conflicts within one process too, where one run may start another.
    with suppress(OSError):
        lock_file(descriptor)
        return True
    return False
