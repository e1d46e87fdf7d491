"""Default number of attempts that a process runs at once, and of items whose attempts it starts ahead."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from pytest_mcpbench.core.model_names import is_in_process, local_target
from pytest_mcpbench.options.workers import worker_count

REMOTE = 8
"""Default for attempts that mostly wait for a remote model."""
_MINIMUM_PER_WORKER = 2
_FEW_CORES = 4
_WINDOW_FACTOR = 4


def default_concurrency(config: pytest.Config, models: Iterable[str], aliases: Mapping[str, Any]) -> int:
    """Return a fixed number for remote models; this process's share of the processors if no model is asked.

    A model on this machine computes one reply at a time: more attempts would use up each other's time.
    """
    if any(local_target(model, aliases) for model in models):
        return 1
    if not all(is_in_process(model, aliases) for model in models):
        return REMOTE
    cores = os.cpu_count() or 1
    workers = worker_count(config)
    return cores if workers == 1 else max(_MINIMUM_PER_WORKER, cores // workers)


def window_size(config: pytest.Config, places: int, *, is_limited: bool = False) -> int:
    """Return the number of items to look ahead when ``places`` attempts can run at once.

    The window is wider than the number of places, so that a slow attempt at its head does not leave the others idle.
    With ``-x``, ``--maxfail`` and a budget it is not: attempts that were started have to be paid for.
    """
    return places if config.getoption("maxfail") or is_limited else _WINDOW_FACTOR * places


def is_crowded(config: pytest.Config) -> bool:
    """Return whether there are more workers than processors, and one process can do the work of all of them.

    On a machine with more processors one process, which uses only one of them, would hold up the workers.
    """
    cores = os.cpu_count() or 1
    return cores <= _FEW_CORES and worker_count(config) > cores
