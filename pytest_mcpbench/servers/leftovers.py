"""Processes that killed runs left behind: each is marked with its owner, and the next run kills the ownerless."""

import os
import signal
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

# Processes that a server has started, also those that left its process group.
#
# A daemon leaves the session of its server and its parent (``setsid``, double fork). What remains is the environment
# that it has inherited, in which each server has a mark of its own. On systems without ``/proc`` only the group is
# ended.

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


_PROCESSES = Path("/proc")


@dataclass(frozen=True)
class Owner:
    """Process that marks the processes it starts; its start time and namespace tell it from others with its id."""

    pid: int
    start_time: str
    namespace: str

    @classmethod
    def this_process(cls) -> "Owner":
        """Return this process."""
        return cls(os.getpid(), start_time(os.getpid()), _namespace())

    @classmethod
    def of_mark(cls, mark: str) -> "Owner | None":
        """Return the process that a mark names, if it names one."""
        parts = mark.partition("-")[0].split("_")
        has_owner = len(parts) == 4 and parts[0].isdigit() and all(parts)
        return cls(int(parts[0]), parts[1], parts[2]) if has_owner else None

    @property
    def is_gone(self) -> bool:
        """``True`` if the process has ended; one in another namespace cannot be seen, and counts as living."""
        return self.namespace == _namespace() and start_time(self.pid) != self.start_time

    def new_mark(self) -> str:
        """Return a unique mark for a group of processes, to which ``-`` and the name of a process may be added."""
        return f"{self.pid}_{self.start_time}_{self.namespace}_{uuid.uuid4().hex}"


@contextmanager
def marked_children() -> Iterator[None]:
    """Mark the processes that a library starts within this context."""
    # A process that changes its title with setproctitle would overwrite a part of its environment, as Ray's agents do.
    variables = {MARK: Owner.this_process().new_mark(), "SPT_NOENV": "1"}
    before = {name: os.environ[name] for name in variables if name in os.environ}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del os.environ[name]
        os.environ.update(before)


def end_leftovers() -> int:
    """Kill the processes of this user that are marked by a process which has ended; return their number."""
    # What this process has inherited, its workers have too.
    inherited = Owner.of_mark(os.environ.get(MARK, ""))
    prefix = f"{MARK}=".encode()
    left: list[tuple[int, str]] = []
    for pid in _own_processes():
        started = start_time(pid)
        marks = [entry.removeprefix(prefix) for entry in environment(_PROCESSES / str(pid)) if entry.startswith(prefix)]
        owner = Owner.of_mark(marks[0].decode(errors="replace")) if marks else None
        if started and owner is not None and owner != inherited and owner.is_gone:
            left.append((pid, started))
    for pid, started in left:
        if start_time(pid) == started:
            kill(pid)
    return len(left)


def _own_processes() -> Iterator[int]:
    try:
        entries = list(os.scandir(_PROCESSES))
    except OSError:
        return
    for entry in entries:
        try:
            is_own = entry.name.isdigit() and sys.platform != "win32" and entry.stat().st_uid == os.getuid()
        except OSError:  # the process has ended
            is_own = False
        if is_own:
            yield int(entry.name)


def _namespace() -> str:
    """Return the number of the PID namespace of this process; empty on systems without namespaces."""
    try:
        return str((_PROCESSES / "self/ns/pid").readlink()).strip("pid:[]")
    except OSError:
        return ""
