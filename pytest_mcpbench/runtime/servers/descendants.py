"""Processes that a server has started, also those that left its process group.

A daemon leaves the session of its server and its parent (``setsid``, double fork). What remains is the environment that
it has inherited, in which each server has a mark of its own. On systems without ``/proc`` only the group is ended.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MARK = "MCPBENCH_PROCESS"
"""Variable with the mark of the run and of the server."""
_ROUNDS = 3
"""Number of searches: a process may start another while it is searched."""

ProcessKey = tuple[int, str]
"""Id of a process with the time of its start; ids are used again."""


def descendants(pid: int) -> list[ProcessKey]:
    """Return the processes below a running one, whatever their sessions are."""
    return [(child, start_time(child)) for child in _below(pid)]


def kill_descendants(mark: str, known: list[ProcessKey]) -> None:
    """Kill the processes that have a mark in their environment, and those among the known ones that still run."""
    for pid, started in known:
        if started and start_time(pid) == started:
            kill(pid)
    for _ in range(_ROUNDS):
        marked = list(_marked(f"{MARK}={mark}".encode()))
        for pid in marked:
            kill(pid)
        if not marked:
            return


def _below(pid: int) -> Iterator[int]:
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield int(child)
                yield from _below(int(child))


def _marked(entry: bytes) -> Iterator[int]:
    with suppress(OSError):
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and int(process.name) != os.getpid() and entry in environment(process):
                yield int(process.name)


def environment(process: Path) -> list[bytes]:
    """Return the entries of a process's environment, by its directory in ``/proc``; none if they cannot be read."""
    try:
        return (process / "environ").read_bytes().split(b"\0")
    except OSError:  # another user's process, or one that has ended
        return []


def start_time(pid: int) -> str:
    """Return the time of a process's start in ticks; empty if it has ended."""
    try:
        state, *_, started = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:20]
    except (OSError, ValueError):
        return ""
    return "" if state == "Z" else started


def kill(pid: int) -> None:
    """Kill a process of a system with ``/proc`` if it still runs."""
    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
