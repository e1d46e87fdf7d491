"""Kills the servers' process groups when this process is gone, however it ended."""

import subprocess
from contextlib import suppress

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

    def guard(self, group: int) -> None:
        """Kill this process group if we die before :meth:`release`."""
        self._tell("guard", group)

    def release(self, group: int) -> None:
        """The group is gone; its number may be given to others."""
        self._tell("release", group)

    def close(self) -> None:
        """End the shell; groups that are still guarded are killed."""
        if self._shell is None:
            return
        with suppress(OSError):
            self._shell.communicate(timeout=5)
        self._shell = None

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
