"""Supervisor that starts the provider process when a worker first connects, and again when it dies."""

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

from pytest_mcpbench.attempt.provider.status import Status
from pytest_mcpbench.files.scratch import ScratchDirectory
from pytest_mcpbench.servers.leftovers import MARK, Owner

_MAX_FAILED_STARTS = 3
_FAILED_START_SECONDS = 5.0
"""Lifetime below which the end of the process counts as a failed start."""
_BACKLOG = 512
_CLOSE_SECONDS = 5.0
_SHORT = Path("/tmp")
_LONGEST_ADDRESS = 100
"""Bytes of the path of a socket; the system permits 104 to 108."""


class ProviderSupervisor:
    """Owner of the socket that workers connect to and of the process that serves it; lives in xdist's controller.

    The socket listens from the beginning and outlives the process: a worker can connect while the process starts or
    restarts, and its connection waits in the backlog.
    """

    def __init__(  # noqa: PLR0913 (the setup of the process)
        self,
        *,
        aliases: Mapping[str, Any],
        verdicts: Path,
        attempts: int = 0,
        root: Path | None = None,
        isolation: str = "none",
        directory: Path | None = None,
    ) -> None:
        """Open the socket; the process is started later.

        Args:
            aliases: ``[tool.mcpbench.models]``.
            verdicts: Directory of the cache of verdicts.
            attempts: Maximum number of attempts in flight in the process; with 0 it runs no attempts.
            isolation: ``--mcpbench-isolation`` for these servers.
            root: Working directory of the attempts' servers; by default that of this process.
            directory: Directory of the socket, which only this user can enter; by default a new one.
        """
        # mkdtemp() creates a directory that only this user can enter: whoever connects can use the user's API keys.
        self._directory = directory or Path(tempfile.mkdtemp(prefix="mcpbench-"))
        self._short = ScratchDirectory(_SHORT)
        self._setup = {
            "aliases": dict(aliases),
            "verdicts": str(verdicts),
            "status": str(self._directory / "status"),
            "attempts": attempts,
            "isolation": isolation,
            "root": str(root or Path.cwd()),
        }
        self.address = self._directory / "socket"
        if len(os.fsencode(self.address)) > _LONGEST_ADDRESS:
            self.address = self._short.path / "socket"
        self._listener = _unix_socket()
        self._listener.bind(str(self.address))
        self.address.chmod(0o600)
        self._listener.listen(_BACKLOG)
        # Closing one end makes the other readable, which interrupts select() in the thread.
        self._closed, self._close_signal = socket.socketpair()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._supervise, name="mcpbench provider", daemon=True)
        self._thread.start()

    @property
    def process_id(self) -> int | None:
        """Id of the process; ``None`` if it does not run."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    @property
    def status(self) -> Status | None:
        """Last status of the process; ``None`` before its start."""
        return Status.read(self._directory / "status")

    def close(self) -> None:
        """End the process and remove the socket."""
        with self._lock:
            self._is_closed = True
            process = self._process
        self._close_signal.close()
        if process is not None:
            # End the process; if it runs attempts, give it time to stop their servers.
            if self._setup["attempts"]:
                with suppress(OSError):
                    process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_CLOSE_SECONDS)
            process.kill()
        self._thread.join()
        shutil.rmtree(self._directory, ignore_errors=True)
        self._short.remove()

    def _supervise(self) -> None:
        failed = 0
        while failed < _MAX_FAILED_STARTS and self._wait_for_connection():
            start = time.monotonic()
            if (process := self._start()) is None:
                break
            process.wait()
            process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
            failed = failed + 1 if time.monotonic() - start < _FAILED_START_SECONDS else 0
        # The kernel refuses the connections in the backlog, so that workers get an error and do not wait for ever.
        self._listener.close()
        self._closed.close()

    def _wait_for_connection(self) -> bool:
        """Wait until a worker connects; return ``False`` if the supervisor is closed first."""
        # The connection is not accepted here: it stays in the backlog for the process, which inherits the socket.
        ready, _, _ = select.select([self._listener, self._closed], [], [])
        return self._closed not in ready

    def _start(self) -> "subprocess.Popen[bytes] | None":
        """Start the process; return ``None`` if the supervisor was closed meanwhile."""
        # Under the lock: a process that is started after close() has looked for one would never be ended.
        with self._lock:
            if self._is_closed:
                return None
            descriptor = self._listener.fileno()
            self._process = process = subprocess.Popen(
                # -P: the working directory must not shadow installed modules.
                [sys.executable, "-P", "-m", "pytest_mcpbench.attempt.provider", str(descriptor)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(descriptor,),
                env={**os.environ, MARK: Owner.this_process().new_mark()},
                # In its own session: a Ctrl-C is handled by pytest, which then ends the process in order.
                start_new_session=True,
            )
        # The setup is not an argument: it may contain API keys, and other users can read command lines.
        with suppress(OSError):
            os.write(process.stdin.fileno(), json.dumps(self._setup, default=str).encode() + b"\n")  # type: ignore[union-attr]  # it is a pipe
        return process


def _unix_socket() -> socket.socket:
    if sys.platform == "win32":
        raise NotImplementedError("the plugin starts no provider there")
    return socket.socket(socket.AF_UNIX)
