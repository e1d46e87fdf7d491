"""Lock on the directory of a run, so that no second run writes into it."""

import errno
import os
import socket
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.files.file_locks import lock_for_process, share_lock

_TRIES = 10
_SECONDS_BETWEEN_TRIES = 0.02
_UNSUPPORTED = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)
"""Errors of file systems without locks; a run there is not protected, but works."""


class RunLock:
    """Lock that one process holds on a directory, in the file ``.lock`` with a description of the process.

    The operating system releases it when the process ends in any way. It is a lock of the process and not of the
    open file, because children of a fork would inherit the latter and hold it longer.
    """

    def __init__(self, directory: Path, *, option: str = "--mcpbench-out") -> None:
        self._directory = directory
        self._option = option
        """Option that names the directory, for messages."""
        self._path = directory / ".lock"
        self._file: BinaryIO | None = None

    def acquire(self) -> None:
        """Acquire the lock unless this object holds it.

        Raises:
            UsageError: another process holds it, or the directory cannot be written to.
        """
        while self._file is None:
            try:
                self._directory.mkdir(parents=True, exist_ok=True)
                file = self._path.open("a+b", buffering=0)
            except OSError as error:
                raise UsageError(f"{self._directory}: records cannot be written there: {error.strerror}") from None
            try:
                self._lock(file)
            except BaseException:
                file.close()
                raise
            # The last holder may have removed the file meanwhile, and another process created a new one.
            try:
                is_current = os.path.samestat(os.fstat(file.fileno()), self._path.stat())
            except FileNotFoundError:
                is_current = False
            if is_current:
                self._file = file
                since = datetime.now(UTC).isoformat(timespec="seconds")
                file.truncate(0)
                file.write(f"process {os.getpid()} on {socket.gethostname()} since {since}".encode())
            else:
                file.close()

    def release(self) -> None:
        """Release the lock and remove its file, and the directory if nothing was written to it."""
        if self._file is None:
            return
        # Before the file is closed, so that no other process locks it meanwhile; Windows removes closed files only.
        with suppress(PermissionError):
            self._path.unlink(missing_ok=True)
        self._file.close()
        self._file = None
        with suppress(PermissionError):
            self._path.unlink(missing_ok=True)
        # A test, or a server, may have removed it.
        if self._directory.is_dir() and not any(self._directory.iterdir()):
            self._directory.rmdir()

    def _lock(self, file: BinaryIO) -> None:
        # Several tries, because a process that only looks whether a run goes on holds the lock for a moment.
        for _ in range(_TRIES):
            is_held = False
            try:
                lock_for_process(file.fileno())
            except (BlockingIOError, PermissionError):
                is_held = True
            except OSError as error:
                if error.errno not in _UNSUPPORTED:
                    raise
            if not is_held:
                return
            time.sleep(_SECONDS_BETWEEN_TRIES)
        file.seek(0)
        holder = file.read(1000).decode(errors="replace") or "another process"
        raise UsageError(
            f"{self._directory}: another run writes its records there: {holder}. "
            f"Wait until it has ended, or choose another directory with {self._option}."
        )


def is_locked(directory: Path) -> bool:
    """Return whether a run that goes on in another process holds the lock of a directory."""
    try:
        # A lock that is only shared, because it needs no permission to write.
        with (directory / ".lock").open("rb") as file:
            share_lock(file.fileno())
    except (BlockingIOError, PermissionError):
        return True
    except OSError:
        return False
    return False
