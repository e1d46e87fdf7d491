"""Processes with a group of their own, which ends as a whole."""

import subprocess
import sys
from contextlib import suppress
from typing import Any

OWN_GROUP: dict[str, Any]
"""Arguments of ``subprocess.Popen`` and its like that give a new process a group of its own."""

if sys.platform == "win32":
    # A Ctrl-C does not reach it.
    OWN_GROUP = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}

    def terminate_group(leader: int) -> None:
        """Do nothing: Windows has no signal by which another process could end in order."""

    def kill_group(leader: int) -> None:
        """Kill a process that runs, with all that it has started."""
        with suppress(OSError):
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(leader)], capture_output=True, check=False)

else:
    import os
    import signal

    # In its own session: a Ctrl-C does not reach it, and its group contains what it starts.
    OWN_GROUP = {"start_new_session": True}

    def terminate_group(leader: int) -> None:
        """Ask the processes of a group to end, even if its leader has ended."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGTERM)

    def kill_group(leader: int) -> None:
        """Kill the processes of a group, even if its leader has ended."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
