"""End of a worker of pytest-xdist whose controller was killed."""

import os
import threading
import time

import pytest

_SECONDS = 0.25
"""Time between two looks at the parent process."""


def end_with_parent() -> None:
    """Start a thread that ends this process when its parent process has ended.

    execnet lets a worker go on for 15 s. In that time it would ask models for attempts that the next run makes too.
    Whatever has finished is on disk.
    """
    threading.Thread(target=_wait, args=(os.getppid(),), name="mcpbench parent", daemon=True).start()


def _wait(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(pytest.ExitCode.INTERRUPTED)
