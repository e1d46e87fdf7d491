"""How many attempts a process makes at once where nobody says."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

REMOTE = 8
"""Attempts that mostly wait for a model elsewhere."""
_LEAST_IN_A_WORKER = 2
_FEW_CORES = 4
_IN_PROCESS = ("lexical", "noop", "oracle")
_IN_PROCESS_PREFIXES = ("replay:", "scripted:")


def default(config: pytest.Config, models: Iterable[str], aliases: Mapping[str, Any]) -> int:
    """For models elsewhere a fixed number; where all are in this process its share of the processors."""
    if not all(_is_in_process(model, aliases) for model in models):
        return REMOTE
    cores = os.cpu_count() or 1
    workers = workers_of(config)
    return cores if workers == 1 else max(_LEAST_IN_A_WORKER, cores // workers)


def _is_in_process(model: str, aliases: Mapping[str, Any]) -> bool:
    """An alias that is a table always means a model elsewhere."""
    meant = aliases.get(model, model)
    return isinstance(meant, str) and (meant in _IN_PROCESS or meant.startswith(_IN_PROCESS_PREFIXES))


def is_crowded(config: pytest.Config) -> bool:
    """Whether there are more workers than processors, and these are so few that one process does about as much."""
    cores = os.cpu_count() or 1
    return cores <= _FEW_CORES and workers_of(config) > cores


def workers_of(config: pytest.Config) -> int:
    """The same in xdist's controller and in its workers: what the one gives the others must fit their windows."""
    workerinput: dict[str, Any] | None = getattr(config, "workerinput", None)
    if workerinput is not None:
        return int(workerinput["workercount"])
    return max(1, len(config.getoption("tx", None) or ()))
