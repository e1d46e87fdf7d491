"""Isolation of server processes: limits of their resources and, with bubblewrap, of what they can reach."""

import functools
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.server import ServerLimits, ServerRef

IsolationMode = Literal["auto", "bwrap", "none"]

_PROBE_SECONDS = 5.0
_MEGABYTE = 2**20
_PRIVATE = ("/tmp", "/var/tmp", "/run", "/dev/shm")
"""Directories of which each server has an empty one of its own."""
_PACKAGE = Path(__file__).parents[1]
"""Directory of this package, which `mcpbench serve` needs, also in a checkout below a private directory."""
_CREDENTIALS = (
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".config/gcloud",
    ".config/gh",
    ".config/pytest-mcpbench",
    ".claude",
    ".codex",
    ".bash_history",
    ".zsh_history",
)
"""Files and directories of a home directory that no server sees."""
_NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent")
_RIGHTS = ("--cap-drop", "ALL")
"""Options without which a server that root starts could mount the system writable, or its private directories away."""


@dataclass(frozen=True)
class Isolation:
    """Means by which the servers of a run are isolated from the system."""

    bwrap: str | None = None
    """Path of bubblewrap; ``None``: servers have the rights of this process."""
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
            programs = (each for each in (command, helper) if each)
            files = (path for each in programs for path in (*_installation(each[0]), *_absolute_paths(each[1:])))
            visible = (suite_directory, directory, _PACKAGE, *files)
            command = (
                self.bwrap,
                *_mounts(visible),
                *(option for path in writable for option in ("--bind", str(path), str(path))),
                *_NAMESPACES,
                *_RIGHTS,
                *(() if ref.network else ("--unshare-net",)),
                "--chdir",
                str(directory),
                "--",
                *command,
            )
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
    bwrap, problem = _find_bwrap()
    if problem is None:
        command = [str(bwrap), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
        return Isolation(bwrap, f"bwrap ({done.stdout.strip() or 'unknown version'})")
    if mode == "bwrap":
        raise UsageError(f"--mcpbench-isolation=bwrap: {problem}")
    return Isolation(None, f"none: {problem}")


def limited(command: Sequence[str], limits: ServerLimits) -> tuple[str, ...]:
    """Return the command with the limits of its resources; unchanged on systems without ``prlimit``."""
    # Not through preexec_fn: Python code between fork and exec can deadlock in a process with threads.
    prlimit = shutil.which("prlimit")
    return (prlimit, "--core=0", *_limit_options(limits), "--", *command) if prlimit else tuple(command)


def _limit_options(limits: ServerLimits) -> Iterator[str]:
    if limits.memory_mb is not None:
        yield f"--data={limits.memory_mb * _MEGABYTE}"
    if limits.file_mb is not None:
        yield f"--fsize={limits.file_mb * _MEGABYTE}"
    if limits.open_files is not None:
        yield f"--nofile={limits.open_files}"
    if limits.cpu_seconds is not None:
        yield f"--cpu={limits.cpu_seconds}"


def _find_bwrap() -> tuple[str | None, str | None]:
    """Return the path of bubblewrap, and why it does not work."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return None, "bubblewrap (bwrap) is not installed"
    try:
        command = [bwrap, *_mounts(()), *_NAMESPACES, *_RIGHTS, "--unshare-net", "--", "true"]
        probe = subprocess.run(command, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return bwrap, f"bwrap does not work here: {error}"
    if probe.returncode == 0:
        return bwrap, None
    return bwrap, f"bwrap does not work here: {probe.stderr.strip() or f'exit code {probe.returncode}'}"


def _mounts(visible: Sequence[Path]) -> Iterator[str]:
    """Yield the options for a system that can only be read, with private directories and without credentials."""
    yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    for directory in _PRIVATE:
        if Path(directory).is_dir() and not Path(directory).is_symlink():
            yield from ("--tmpfs", directory)
    yield from ("--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve")
    for path in map(Path.home().joinpath, _CREDENTIALS):
        if path.is_dir():
            yield from ("--tmpfs", str(path))
        elif path.is_file():
            yield from ("--ro-bind", "/dev/null", str(path))
    for path in visible:
        if any(path.is_relative_to(private) and path != Path(private) for private in _PRIVATE):
            yield from ("--ro-bind-try", str(path), str(path))


def _installation(executable: str) -> tuple[Path, ...]:
    """Return the directory above that of an executable, such as a virtual environment, also of its link's target."""
    return tuple({Path(each).parent.parent for each in (executable, os.path.realpath(executable))})


def _absolute_paths(arguments: Sequence[str]) -> Iterator[Path]:
    """Yield the files and directories that arguments name."""
    for argument in arguments:
        with suppress(OSError, ValueError):
            if argument.startswith("/") and (path := Path(argument)).exists():
                yield path
