"""Starts the provider process when a worker first connects, and again when it died; for the process with workers."""

import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_mcpbench.runtime.provider.status import Status

_MOST_FAILED_STARTS = 3
_FAILED_START_SECONDS = 5.0
"""A process that dies so soon has failed to start."""
_BACKLOG = 512
_CLOSE_SECONDS = 5.0


class ProviderSupervisor:
    """Holds the socket that workers connect to; the process behind it comes and goes.

    The socket listens from the beginning, so that nobody has to wait for the process before connecting, and stays
    when the process dies. It lies in a directory that only this user can enter.
    """

    def __init__(
        self, *, aliases: Mapping[str, Any], verdicts: Path, attempts: int = 0, root: Path | None = None
    ) -> None:
        """Nothing is started yet.

        Args:
            aliases: ``[tool.mcpbench.models]``.
            verdicts: Where the verdicts of judges are kept.
            attempts: How many of those that workers hand on may be in flight; 0: the process makes none.
            root: Where their servers run; ``None``: in the directory of this process.
        """
        self._directory = Path(tempfile.mkdtemp(prefix="mcpbench-"))
        self._setup = {
            "aliases": dict(aliases),
            "verdicts": str(verdicts),
            "status": str(self._directory / "status"),
            "attempts": attempts,
            "root": str(root or Path.cwd()),
        }
        self.address = self._directory / "socket"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.address))
        self.address.chmod(0o600)
        self._listener.listen(_BACKLOG)
        self._wake, self._waker = socket.socketpair()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._keep, name="mcpbench provider", daemon=True)
        self._thread.start()

    @property
    def process_id(self) -> int | None:
        """Of the process, if it was started."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    @property
    def status(self) -> Status | None:
        """What the process last said of itself; ``None`` before it was needed."""
        return Status.read(self._directory / "status")

    def close(self) -> None:
        """End the process and remove the socket."""
        with self._lock:
            self._is_closed = True
            process = self._process
        self._waker.close()
        if process is not None:
            self._end(process)
        self._thread.join()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        """One that makes attempts is given the time to stop its servers."""
        if self._setup["attempts"]:
            with suppress(OSError):
                process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
            with suppress(subprocess.TimeoutExpired):
                process.wait(_CLOSE_SECONDS)
        process.kill()

    def _keep(self) -> None:
        failed = 0
        while failed < _MOST_FAILED_STARTS and self._is_wanted():
            began = time.monotonic()
            if (process := self._start()) is None:
                break
            process.wait()
            process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
            failed = failed + 1 if time.monotonic() - began < _FAILED_START_SECONDS else 0
        # Whoever waits to be served is told that nobody will.
        self._listener.close()
        self._wake.close()

    def _is_wanted(self) -> bool:
        """Wait until a worker has connected; not, where the run ends first."""
        ready, _, _ = select.select([self._listener, self._wake], [], [])
        return self._wake not in ready

    def _start(self) -> "subprocess.Popen[bytes] | None":
        """The process; ``None`` where the run has ended in the meantime."""
        with self._lock:
            if self._is_closed:
                return None
            handed_over = self._listener.fileno()
            # A session of its own: a Ctrl-C is this process's to deal with.
            self._process = process = subprocess.Popen(
                [sys.executable, "-P", "-m", "pytest_mcpbench.runtime.provider", str(handed_over)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(handed_over,),
                start_new_session=True,
            )
        with suppress(OSError):
            os.write(process.stdin.fileno(), json.dumps(self._setup, default=str).encode() + b"\n")  # type: ignore[union-attr]  # it is a pipe
        return process
