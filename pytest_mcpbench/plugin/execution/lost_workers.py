"""Names of the workers of a run that have crashed, for those which get their items."""

from pathlib import Path


def notes_file(directory: Path) -> Path:
    """Return the file of the notes of a run."""
    return directory / ".lost-workers"


def note_lost_worker(directory: Path, worker: str) -> None:
    """Tell the other workers of a run that a worker has crashed."""
    with notes_file(directory).open("a", encoding="utf-8") as file:
        file.write(f"{worker}\n")


def forget_lost_workers(directory: Path) -> None:
    """Remove what :func:`note_lost_worker` wrote."""
    notes_file(directory).unlink(missing_ok=True)


def size_of_notes(file: Path) -> int:
    """Return a number that grows with each worker that crashes; 0 before the first."""
    try:
        return file.stat().st_size
    except OSError:
        return 0
