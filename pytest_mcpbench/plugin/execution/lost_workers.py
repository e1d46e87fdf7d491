"""Names of the workers of a run that have crashed, for those which get their items."""

import os
from pathlib import Path

_NAME = ".lost-workers"


def note_lost_worker(directory: Path, worker: str) -> None:
    """Tell the other workers of a run that a worker has crashed."""
    with (directory / _NAME).open("a", encoding="utf-8") as file:
        file.write(f"{worker}\n")


def forget_lost_workers(directory: Path) -> None:
    """Remove what :func:`note_lost_worker` wrote."""
    (directory / _NAME).unlink(missing_ok=True)


class LostWorkers:
    """Workers of a run that have crashed."""

    def __init__(self, directory: Path) -> None:
        self._file = os.fspath(directory / _NAME)

    @property
    def size(self) -> int:
        """Return a number that grows with each worker that crashes; 0 before the first."""
        try:
            return os.stat(self._file).st_size  # noqa: PTH116 (every attempt asks)
        except OSError:
            return 0
