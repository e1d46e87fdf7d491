"""Owner of the engine's process: starts it, waits until it serves, and ends it."""

import importlib.util
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.servers.leftovers import MARK, Owner

_MEMORY_INFORMATION = Path("/proc/meminfo")
_CONTROL_GROUP = Path("/sys/fs/cgroup")


def available_memory(information: Path = _MEMORY_INFORMATION, control_group: Path = _CONTROL_GROUP) -> int | None:
    """Return the bytes that are free, or that the control group of a container leaves; ``None`` if that is unknown."""
    known = []
    with suppress(OSError):
        lines = information.read_text(encoding="ascii").splitlines()
        known += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")][:1]
    with suppress(OSError, ValueError):
        most = (control_group / "memory.max").read_text(encoding="ascii").strip()
        used = int((control_group / "memory.current").read_text(encoding="ascii"))
        lines = (control_group / "memory.stat").read_text(encoding="ascii").splitlines()
        # Cached files, which the kernel gives up before it kills a process.
        reclaimable = next((int(line.split()[1]) for line in lines if line.startswith("inactive_file ")), 0)
        if most.isdigit():
            known.append(int(most) - used + reclaimable)
    return min(known, default=None)


ENGINE = "xllamacpp"
CONTEXT = 16_384
"""Tokens of the context: the 65 tools of finmcp and a conversation."""
_LOOPBACK = "127.0.0.1"
_BYTES_PER_TOKEN = 28_672
"""Bytes of a token in the context of the default weights: keys and values of 28 layers, 2 heads, 128 numbers."""
_FURTHER_BYTES = 1 << 30
"""Computation, the cache of prompts, and Python."""
_START_SECONDS = 300.0
_END_SECONDS = 5.0
_END_OF_LOG = 4000
"""Bytes of the log that are searched for a reason."""


@dataclass(frozen=True)
class EngineSetup:
    """Setup of the engine's process."""

    path: str
    """File of the weights."""
    model: str
    """Name that the server gives them."""
    template: str
    """Chat template; empty: that of the file."""
    port: int
    threads: int
    context: int = CONTEXT


def require_system() -> None:
    """Check that an engine can be started on this operating system.

    Raises:
        UsageError: it cannot.
    """
    if sys.platform == "win32":
        raise UsageError(
            "--model=local does not run on Windows; serve a model with another program and use local:SERVER, or WSL"
        )


def require_engine() -> str:
    """Return the version of the engine.

    Raises:
        UsageError: it is not installed.
    """
    if importlib.util.find_spec(ENGINE) is None:
        raise UsageError(
            f"--model=local needs the engine {ENGINE}, which is not installed: pip install 'pytest-mcpbench[local]'"
        )
    try:
        return version(ENGINE)
    except PackageNotFoundError:
        return "unknown"


def require_memory(path: Path, context: int = CONTEXT, available: int | None = None) -> None:
    """Check that the weights and their context fit into the memory.

    Raises:
        UsageError: they do not.
    """
    available = available_memory() if available is None else available
    needed = path.stat().st_size + context * _BYTES_PER_TOKEN + _FURTHER_BYTES
    if available is not None and available < needed:
        raise UsageError(
            f"--model=local needs about {_gigabytes(needed)} of memory for {path.name}, and {_gigabytes(available)} "
            "are available; end other programs, or use a model on another machine"
        )


def usable_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ReservedPort:
    """Port of the loopback interface that is reserved until the engine takes it."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET)
        # Both sockets set this option, so that the engine can bind the port while it is held.
        if sys.platform != "win32":
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._socket.bind((_LOOPBACK, 0))
        self.number = int(self._socket.getsockname()[1])

    @property
    def url(self) -> str:
        """Base URL of the OpenAI-compatible API at this port."""
        return f"http://{_LOOPBACK}:{self.number}/v1"

    def release(self) -> None:
        """Leave the port to the engine."""
        self._socket.close()


class EngineProcess:
    """The engine of a run: a child of the process that the user started."""

    def __init__(self, setup: EngineSetup) -> None:
        self.setup = setup
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            # -P: the working directory must not shadow installed modules.
            [sys.executable, "-P", "-m", f"{__package__}.engine"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            # Marked, so that the next run ends it if this one is killed and a server has inherited its standard input.
            env={**os.environ, MARK: Owner.this_process().new_mark()},
            # In its own session: a Ctrl-C is handled by pytest, which then ends the process in order.
            start_new_session=True,
        )
        with suppress(OSError):
            self._input.write(json.dumps(asdict(setup)).encode() + b"\n")
            self._input.flush()

    @property
    def pid(self) -> int:
        """Id of the process."""
        return self._process.pid

    def wait(self, seconds: float = _START_SECONDS) -> None:
        """Wait until the engine serves.

        Raises:
            UsageError: it ended, or took too long.
        """
        started = time.monotonic()
        ready, _, _ = select.select([self._output], [], [], seconds)
        if not ready:
            raise UsageError(f"the engine has not loaded {self.setup.path} within {seconds:g} s")
        if not self._output.readline():
            code = self._process.wait()
            waited = time.monotonic() - started
            if code == -9:
                reason = "it was killed, probably because the memory was used up"
            else:
                self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - _END_OF_LOG))
                lines = self._log.read().decode(errors="replace").split("\n")
                reason = next((line.strip() for line in reversed(lines) if line.strip()), "it wrote no reason")
            raise UsageError(
                f"the engine ended with code {code} after {waited:.0f} s while it loaded {self.setup.path}: {reason}"
            )

    def close(self) -> None:
        """End the process."""
        with suppress(OSError):
            self._input.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()
        self._log.close()

    @property
    def _input(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _output(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
