"""Facts about the processes of pytest-xdist."""

import re
from typing import Any

import pytest

_FURTHER_WORKER = re.compile(r"gw[1-9]\d*")


def is_worker(config: pytest.Config) -> bool:
    """Return whether this process is a worker of pytest-xdist."""
    return hasattr(config, "workerinput")


def worker_count(config: pytest.Config) -> int:
    """Return the number of workers, 1 in a run without pytest-xdist.

    The controller and its workers get the same number: both derive the look-ahead window from it, and the controller
    has to send as many items as fill the window of a worker.
    """
    if is_worker(config):
        return int(workerinput(config)["workercount"])
    return max(1, len(config.getoption("tx", None) or ()))


def is_further_worker(config: pytest.Config) -> bool:
    """Return whether this process is a local worker other than the first one."""
    return _FURTHER_WORKER.fullmatch(workerinput(config).get("workerid", "")) is not None


def workerinput(config: pytest.Config) -> dict[str, Any]:
    """Return what the controller sent to this worker when it started; empty in any other process."""
    sent: dict[str, Any] = getattr(config, "workerinput", {})
    return sent
