"""Kills the servers' process groups when this process is gone, however it ended."""

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

_CLOSE_SECONDS = 1.0

_SCRIPT = """
groups=""
while read -r verb group; do
  kept=""
  for known in $groups; do [ "$known" = "$group" ] || kept="$kept $known"; done
  groups="$kept"
  [ "$verb" = guard ] && groups="$groups $group"
done
for group in $groups; do kill -s KILL -- "-$group"; done
"""


class Watchdog:
    """A tiny shell in a session of its own that waits for the end of its input.

    The kernel's parent death signal reaches a server but not the processes that it started (``npx`` starts node);
    and where there is none (macOS) this is all there is. Begun with the first server.
    """

    def __init__(self) -> None:
        self._shell: subprocess.Popen[bytes] | None = None
        self._guarded: set[int] = set()

    def guard(self, group: int) -> None:
        """Kill this process group if we die before :meth:`release`."""
        self._guarded.add(group)
        self._tell("guard", group)

    def release(self, group: int) -> None:
        """The group is gone; its number may be given to others."""
        self._guarded.discard(group)
        self._tell("release", group)

    def kill(self) -> None:
        """Kill the groups that are still guarded, from any thread; then as :meth:`close`."""
        for group in tuple(self._guarded):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        self.close()

    def close(self) -> None:
        """End the shell; groups that are still guarded are killed."""
        shell, self._shell = self._shell, None
        if shell is None:
            return
        with suppress(OSError, subprocess.TimeoutExpired):
            shell.communicate(timeout=_CLOSE_SECONDS)
        shell.kill()

    def _tell(self, verb: str, group: int) -> None:
        shell = self._shell = self._shell or _begin()
        assert shell.stdin is not None
        with suppress(OSError):
            shell.stdin.write(f"{verb} {group}\n".encode())


def _begin() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        ["/bin/sh", "-c", _SCRIPT],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def with_parent_death_signal(command: Sequence[str]) -> tuple[str, ...]:
    """The command with the parent death signal set, where there is ``setpriv`` (Linux).

    Not through ``preexec_fn``: Python code between fork and exec can deadlock in a process with threads.
    """
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL", "--", *command) if setpriv else tuple(command)
