"""Temporary directory of a run, with a lease by which the next run knows that its owner is gone."""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

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
            self._lease = _take_lease(self._path)
        return self._path

    def remove(self) -> None:
        """Remove the directory with its content, and give up the lease."""
        if self._path is None:
            return
        shutil.rmtree(self._path, ignore_errors=True)
        if self._lease is not None:
            os.close(self._lease)
        self._path = self._lease = None


def sweep(parent: Path | None = None) -> int:
    """Remove the directories that killed runs of this user have left; return their number.

    A directory without a lease, or whose owner lives, stays.
    """
    parents = {parent} if parent is not None else {Path(tempfile.gettempdir()), Path("/tmp")}
    return sum(_remove_if_left(directory) for each in parents for directory in each.glob(f"{_PREFIX}*"))


def _take_lease(directory: Path) -> int:
    """Return the descriptor of the lease, which has its name only when it is locked."""
    new = directory / f"{_LEASE}.new"
    descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    os.write(descriptor, f"process {os.getpid()}\n".encode())
    _lock(descriptor)
    new.rename(directory / _LEASE)
    return descriptor


def _remove_if_left(directory: Path) -> bool:
    try:
        descriptor = os.open(directory / _LEASE, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False  # no lease, or that of another user
    try:
        is_left = _lock(descriptor)
        if is_left:
            shutil.rmtree(directory, ignore_errors=True)
        return is_left
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Lock an open file; return whether it is locked now: another holder or a file system without locks prevents it."""
    # flock and not lockf: a lock of the open file conflicts within one process too, where one run may start another.
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
