"""Commands by which the agent of a container reaches the servers of its attempt.

The agent starts each server by a command of its own, ``mcpbench harbor connect NAME``. The first of them starts the
process that holds the world, and all connect to its proxies. Little is imported here, as an attempt may have many.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.servers.leftovers import MARK
from pytest_mcpbench.servers.process_groups import OWN_GROUP

ROOT = "MCPBENCH_HARBOR_ROOT"
"""Variable with the directory that stands for the root of the container, for attempts without one."""
ATTEMPT = "mcpbench/attempt"
"""Directory of what the commands of an attempt tell each other."""
SERVERS = "servers.json"
"""Addresses of the proxies."""
RESULT = "result.json"
PROCESS_ID = "pid"
_LOG = "log.txt"
_START_SECONDS = 120.0
_POLL_SECONDS = 0.05


def root() -> Path:
    """Return the root of the container."""
    return Path(os.environ.get(ROOT, "/"))


def ensure_served() -> None:
    """Start the process that holds the world, unless another command has done so, and wait until it is ready."""
    directory = root() / ATTEMPT
    directory.mkdir(parents=True, exist_ok=True)
    try:
        log = (directory / _LOG).open("xb")
    except FileExistsError:
        pass
    else:
        # Its parent is a shell that ends: the client that starts its servers first may kill all that they have started.
        shell = ("sh", "-c", '"$@" & echo $! > "$0"', PROCESS_ID)
        command = (*shell, sys.executable, "-m", "pytest_mcpbench.cli", "harbor", "serve")
        variables = {name: value for name, value in os.environ.items() if name != MARK}
        with log:
            subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=directory,
                env=variables,
                check=True,
                **OWN_GROUP,
            )
    wait_for([directory / SERVERS, directory / RESULT], _START_SECONDS, "started")


def wait_for(files: Sequence[Path], seconds: float, what: str) -> None:
    """Wait until one of the files exists. Raises UsageError if none does in time."""
    end = time.monotonic() + seconds
    while not any(file.exists() for file in files):
        if time.monotonic() > end:
            log = root() / ATTEMPT / _LOG
            raise UsageError(f"the servers of the task have not {what} within {seconds:g} s; see {log}")
        time.sleep(_POLL_SECONDS)


def connect(name: str) -> None:
    """Connect stdin and stdout to a server of the attempt, which takes the place of this process."""
    ensure_served()
    directory = root() / ATTEMPT
    if (directory / RESULT).exists():
        raise UsageError(f"the attempt has ended; {directory / RESULT} says how")
    servers = json.loads((directory / SERVERS).read_bytes())
    if name not in servers:
        raise UsageError(f"the task has no server {name!r}; there are: {', '.join(servers)}")
    server = servers[name]
    os.execve(server["command"], [server["command"], *server["args"]], {**os.environ, **server["env"]})
