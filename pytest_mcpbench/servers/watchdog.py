"""Watchdog process that kills the servers' process groups when this process ends, however it ends."""

import itertools
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from pytest_mcpbench.servers.leftovers import MARK, Owner
from pytest_mcpbench.servers.process_groups import OWN_GROUP, kill_group

_CLOSE_SECONDS = 1.0

# Plain sh, so that it starts in a millisecond everywhere. At the end of its input it kills the groups that are left,
# and the processes that have the mark of this run, its first argument, in their environment.
_SCRIPT = """
groups=""
while read -r verb group; do
  kept=""
  for known in $groups; do [ "$known" = "$group" ] || kept="$kept $known"; done
  groups="$kept"
  [ "$verb" = guard ] && groups="$groups $group"
done
for group in $groups; do kill -s KILL -- "-$group"; done
for round in 1 2 3; do
  for file in $(grep -las -- "$0" /proc/[0-9]*/environ); do
    pid="${file#/proc/}"
    kill -s KILL "${pid%/environ}"
  done
done
"""


class Watchdog:
    """Shell process that waits for the end of its input and then kills the guarded process groups.

    It complements the kernel's parent death signal, which reaches a server but not the processes that the server
    started (``npx`` starts node), and which does not exist on macOS. The shell is started with the first server; there
    is none on Windows.
    """

    def __init__(self) -> None:
        self.mark = Owner.this_process().new_mark()
        """Text that the environment of every server contains, in the variable ``MCPBENCH_PROCESS``."""
        self._servers = itertools.count(1)
        self._shell: subprocess.Popen[bytes] | None = None
        self._guarded: set[int] = set()

    def new_mark(self) -> str:
        """Return the mark of a server."""
        return f"{self.mark}-{next(self._servers)}"

    def guard(self, group: int) -> None:
        """Kill this process group if this process ends before :meth:`release`."""
        self._guarded.add(group)
        self._send("guard", group)

    def release(self, group: int) -> None:
        """Stop guarding a group that has ended; the system may give its number to unrelated processes."""
        self._guarded.discard(group)
        self._send("release", group)

    def kill(self) -> None:
        """Kill the guarded groups at once, from any thread, and end the shell."""
        for group in tuple(self._guarded):
            kill_group(group)
        self.close()

    def close(self) -> None:
        """End the shell, which kills the groups that are still guarded."""
        shell, self._shell = self._shell, None
        if shell is None:
            return
        with suppress(OSError, subprocess.TimeoutExpired):
            shell.communicate(timeout=_CLOSE_SECONDS)
        shell.kill()

    def _send(self, verb: str, group: int) -> None:
        if sys.platform == "win32":  # no sh, and no groups
            return
        # A local variable: `kill` may take the attribute away at any time, from another thread.
        shell = self._shell
        if shell is None:
            shell = self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, f"{MARK}={self.mark}-"],
                bufsize=0,  # each line must reach the shell before this process can be killed
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                **OWN_GROUP,  # a Ctrl-C in the terminal must not end it before the servers
            )
        assert shell.stdin is not None
        # Somebody may have killed the shell; then servers still end with this process wherever the signal reaches them.
        with suppress(OSError):
            shell.stdin.write(f"{verb} {group}\n".encode())


def with_parent_death_signal(command: Sequence[str]) -> tuple[str, ...]:
    """Return the command, wrapped so that the kernel kills it when this process ends; unchanged without ``setpriv``."""
    # Not through preexec_fn: Python code between fork and exec can deadlock in a process with threads.
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL", "--", *command) if setpriv else tuple(command)
