"""Isolation of server processes: limits of their resources and, with bubblewrap, of what they can reach."""

import errno
import functools
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.server import ServerLimits, ServerRef
from pytest_mcpbench.servers.file_view import FileView

IsolationMode = Literal["auto", "bwrap", "none"]

_PROBE_SECONDS = 5.0
_MEGABYTE = 2**20
_NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent")
_USER = ("--unshare-user", "--disable-userns")
"""Options for a namespace of users in which no other can be made, where the system permits it."""
_RIGHTS = ("--cap-drop", "ALL")
"""Options without which a server that root starts could mount the system writable, or its private directories away."""
_KEYRING_CALLS = {
    "x86_64": ((0xC000003E, (248, 249, 250)), (0x40000003, (286, 287, 288))),
    "aarch64": ((0xC00000B7, (217, 218, 219)), (0x40000028, (309, 310, 311))),
}
"""By machine, the architectures that the kernel runs, and the numbers of add_key, request_key and keyctl in each."""
# Instructions of a filter of system calls (seccomp(2)), and what they load and return.
_LOAD, _AND, _RETURN = (struct.pack("=HBB", code, 0, 0) for code in (0x20, 0x54, 0x06))
_IS_EQUAL, _ARCHITECTURE = 0x15, 4
_REFUSE, _PERMIT = 0x00050000, 0x7FFF0000
_CACHES = {"UV_CACHE_DIR": "/tmp/.uv", "UV_TOOL_DIR": "/tmp/.uv-tools", "npm_config_cache": "/tmp/.npm"}
"""Caches of a server's own for `uvx` and `npx`, which have to write: each start downloads anew, and harms no others."""


@dataclass(frozen=True)
class Isolation:
    """Means by which the servers of a run are isolated from the system."""

    bwrap: str | None = None
    """Path of bubblewrap; ``None``: servers have the rights of this process."""
    user_namespace: tuple[str, ...] = ()
    """Options of bubblewrap for a namespace of users; empty where that is not permitted."""
    keyring_filter: str | None = None
    """File with the filter of system calls that keeps keyrings of the kernel closed, if the system permits one."""
    description: str = "none"
    """What is in force, for ``run.json``."""

    def wrap(  # noqa: PLR0913 (what a command line depends on)
        self,
        command: Sequence[str],
        ref: ServerRef,
        *,
        directory: Path,
        suite_directory: Path,
        writable: Sequence[Path],
        helper: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Return the command line that starts a server with its limits, and in isolation.

        Args:
            command: Absolute path of the executable, followed by its arguments.
            ref: Definition of the server.
            directory: Its working directory.
            suite_directory: Directory whose files it may read.
            writable: Directories into which it may write: those that belong to one attempt.
            helper: Command line of a program that it starts itself, whose files it has to see.
        """
        if self.bwrap is not None:
            programs = [each for each in (command, helper) if each]
            view = FileView(programs, (suite_directory, directory))
            # The case of letters does not matter to npm.
            set_names = {name.lower() for name in ref.environment}
            caches = (pair for pair in _CACHES.items() if pair[0].lower() not in set_names)
            options = (
                *view.mounts([each for each in (suite_directory, directory) if each not in writable]),
                *(() if ref.network else view.without_sockets()),
                *(option for path in writable for option in ("--bind", str(path), str(path))),
                *_NAMESPACES,
                *self.user_namespace,
                *_RIGHTS,
                *(() if ref.network else ("--unshare-net",)),
                *(part for pair in caches for part in ("--setenv", *pair)),
                "--chdir",
                str(directory),
            )
            command = _filtered((self.bwrap, *options, "--", *command), self.keyring_filter)
        return limited(command, ref.limits)


NO_ISOLATION = Isolation()


@functools.cache
def make_isolation(mode: IsolationMode) -> Isolation:
    """Return the isolation of a mode; ``auto`` uses bubblewrap where it works.

    Raises:
        UsageError: the mode is ``bwrap``, and bubblewrap is missing or not permitted to work here.
    """
    if mode == "none":
        return NO_ISOLATION
    bwrap = shutil.which("bwrap")
    problem = _problem_of(bwrap, ())
    if problem is None:
        user_namespace = _USER if _problem_of(bwrap, _USER) is None else ()
        keyring_filter = _make_keyring_filter()
        if _problem_of(bwrap, user_namespace, keyring_filter) is not None:
            keyring_filter = None
        command = [str(bwrap), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
        version = done.stdout.strip() or "unknown version"
        return Isolation(bwrap, user_namespace, keyring_filter, f"bwrap ({version})")
    if mode == "bwrap":
        raise UsageError(f"--mcpbench-isolation=bwrap: {problem}")
    return Isolation(description=f"none: {problem}")


def limited(command: Sequence[str], limits: ServerLimits) -> tuple[str, ...]:
    """Return the command with the limits of its resources; unchanged on systems without ``prlimit``."""
    # Not through preexec_fn: Python code between fork and exec can deadlock in a process with threads.
    prlimit = shutil.which("prlimit")
    if prlimit is None:
        return tuple(command)
    options = ["--core=0"]
    if limits.memory_mb is not None:
        options.append(f"--data={limits.memory_mb * _MEGABYTE}")
    if limits.file_mb is not None:
        options.append(f"--fsize={limits.file_mb * _MEGABYTE}")
    if limits.open_files is not None:
        options.append(f"--nofile={limits.open_files}")
    if limits.cpu_seconds is not None:
        options.append(f"--cpu={limits.cpu_seconds}")
    return (prlimit, *options, "--", *command)


def _problem_of(bwrap: str | None, options: Sequence[str], keyring_filter: str | None = None) -> str | None:
    """Return why bubblewrap does not work with some options and a filter; ``None`` if it does."""
    if bwrap is None:
        return "bubblewrap (bwrap) is not installed"
    # Not in the ``try``: an error in here is no reason to go without isolation.
    command = (bwrap, *FileView().mounts(()), *_NAMESPACES, *options, *_RIGHTS, "--unshare-net", "--", "true")
    command = _filtered(command, keyring_filter)
    try:
        probe = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"bwrap does not work here: it has not started a program within {_PROBE_SECONDS:.0f} s"
    except OSError as error:
        return f"bwrap does not work here: {error}"
    if probe.returncode == 0:
        return None
    return f"bwrap does not work here: {probe.stderr.strip() or f'exit code {probe.returncode}'}"


def _filtered(command: Sequence[str], keyring_filter: str | None) -> tuple[str, ...]:
    """Return a command line of bubblewrap with a filter of system calls, which it reads from an open file."""
    if keyring_filter is None:
        return tuple(command)
    bwrap, *options = command
    return ("/bin/sh", "-c", 'exec "$@" 9<"$0"', keyring_filter, bwrap, "--seccomp", "9", *options)


@functools.cache
def _make_keyring_filter() -> str | None:
    """Return the file of a filter that refuses the calls about keyrings, which no namespace separates.

    The file has no name, and is there as long as this process.
    """
    if sys.platform != "linux" or platform.machine() not in _KEYRING_CALLS:
        return None
    program = [_LOAD + struct.pack("=I", _ARCHITECTURE)]
    refuse, permit = (_RETURN + struct.pack("=I", each) for each in (_REFUSE | errno.EPERM, _PERMIT))
    for architecture, calls in _KEYRING_CALLS[platform.machine()]:
        # The numbers of x32 are those of x86-64 with another bit.
        block = [_LOAD + struct.pack("=I", 0), _AND + struct.pack("=I", 0xBFFFFFFF)]
        for call in calls:
            block += [struct.pack("=HBBI", _IS_EQUAL, 0, 1, call), refuse]
        program += [struct.pack("=HBBI", _IS_EQUAL, 0, len(block) + 1, architecture), *block, permit]
    # Not memfd_create(2), which many builds of Python lack.
    file, name = tempfile.mkstemp()
    Path(name).unlink()
    os.write(file, b"".join((*program, permit)))
    return f"/proc/{os.getpid()}/fd/{file}"
