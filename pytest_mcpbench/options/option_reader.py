"""Values of options from the command line or the ini file, with errors that name the option."""

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_mcpbench.core.model_names import is_in_process, local_target
from pytest_mcpbench.options.worker_channel import worker_count

_NUMBERS = {"int": "a whole number", "float": "a number"}


@dataclass(frozen=True)
class Range:
    """Range of valid numbers; only finite numbers are valid."""

    least: float = -math.inf
    above: float = -math.inf
    most: float = math.inf

    def problem(self, value: float) -> str | None:
        """Return an error message for the value, ``None`` if it is valid."""
        if math.isfinite(value) and self.least <= value <= self.most and value > self.above:
            return None
        return f"must be {self}, not {value:g}"

    def __str__(self) -> str:
        if math.isfinite(self.above):
            limit = f" and at most {self.most:g}" if math.isfinite(self.most) else ""
            return f"more than {self.above:g}{limit}"
        if not math.isfinite(self.least):
            return "a finite number"
        return f"at least {self.least:g}" if math.isinf(self.most) else f"from {self.least:g} to {self.most:g}"


ANY = Range()


@dataclass(frozen=True)
class OptionReader:
    """Reader of the options of one run; names are without prefix (``top-k``)."""

    config: pytest.Config

    def value(self, name: str, *, kind: str = "string", within: Range = ANY) -> Any:
        """Return the value of the command line, else that of the ini file, else ``None``."""
        value = self._on_command_line(name)
        if value is None:
            value = self._in_ini_file(name, kind)
        problem = within.problem(value) if value is not None and kind in _NUMBERS else None
        if problem:
            raise pytest.UsageError(f"{self.place(name)} {problem}")
        return value

    def place(self, name: str) -> str:
        """Return the option as the user wrote it: on the command line, or with the name of the ini file."""
        if self._on_command_line(name) is not None or self.config.inipath is None:
            return f"--mcpbench-{name}"
        return f"{_dest(name)} in {self.config.inipath.name}"

    def _on_command_line(self, name: str) -> Any:
        return self.config.getoption(_dest(name))

    def _in_ini_file(self, name: str, kind: str) -> Any:
        try:
            return self.config.getini(_dest(name))
        except (pytest.UsageError, TypeError, ValueError) as error:
            expected = _NUMBERS.get(kind, "as documented")
            raise pytest.UsageError(f"{self.place(name)} must be {expected}: {error}") from None


def _dest(name: str) -> str:
    return "mcpbench_" + name.replace("-", "_")


# Default number of attempts that a process runs at once, and of items whose attempts it starts ahead.

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
