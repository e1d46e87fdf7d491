"""Costs of the processes of a run, shared in small files so that each process knows the total."""

import time
from pathlib import Path

from pytest_mcpbench.files.atomic_file import create_file, replace_file

_UNKNOWN = "unknown"
_PREFIX = "spent-"
_START = "start"


class SharedSpending:
    """Directory with the cost of each process and the moment at which the run's first attempt began."""

    def __init__(self, directory: Path, process: str) -> None:
        self._directory = directory
        self._own = directory / f"{_PREFIX}{process}"
        directory.mkdir(parents=True, exist_ok=True)

    def write(self, cost_usd: float | None) -> None:
        """Replace this process's cost; ``None`` if it is unknown."""
        replace_file(self._own, (_UNKNOWN if cost_usd is None else repr(cost_usd)).encode())

    def cost_of_others(self) -> float | None:
        """Return what the other processes have spent; ``None`` if the cost of one of them is unknown."""
        texts = [file.read_text(encoding="ascii") for file in self._directory.glob(f"{_PREFIX}*") if file != self._own]
        return None if _UNKNOWN in texts else sum(map(float, texts))

    def start(self) -> None:
        """Store the moment of the first attempt, unless a process has done so."""
        create_file(self._directory / _START, repr(time.time()).encode())

    @property
    def seconds(self) -> float:
        """Seconds since the first attempt began; 0 if none has."""
        try:
            return time.time() - float((self._directory / _START).read_text(encoding="ascii"))
        except FileNotFoundError:
            return 0.0
