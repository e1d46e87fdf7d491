"""Search for runs on disk, and for the attempts of a task in one of them."""

import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.runs.lock import is_locked
from pytest_mcpbench.runs.records import files_of_run, has_records, read_records, require_known_version, require_records
from pytest_mcpbench.text.natural_order import NaturalKey, natural_key

LAST = "last"
"""Name of the latest run, in place of a directory."""
_HOME = ".mcpbench"


def remember_run(directory: Path, root: Path) -> None:
    """Store a run as the last one of a project, wherever its records are; a project that cannot be written stays.

    The directory for that is not part of the project's repository: it has a ``.gitignore`` for all of its files.
    """
    with contextlib.suppress(OSError):
        home = root / _HOME
        home.mkdir(exist_ok=True)
        if not (home / ".gitignore").exists():
            (home / ".gitignore").write_text("*\n", encoding="utf-8")
        scratch = home / f".last-{os.getpid()}"
        # The names of directories need not be texts.
        scratch.write_bytes(os.fsencode(directory.resolve()) + b"\n")
        scratch.replace(home / LAST)


def find_run(name: str, start: Path | None = None) -> Path:
    """Return the directory of a run with records: a path, or ``last`` for the latest run of the project.

    The project is the nearest directory with a ``.mcpbench``, from ``start`` (the working directory) upwards.
    """
    directory = run_path(name, start)
    require_records(directory)
    return directory


def run_path(name: str, start: Path | None = None) -> Path:
    """Return the directory of :func:`find_run`; a path need not have records, or exist."""
    return _last_run(start or Path.cwd(), has_records) if _is_last(name) else Path(name)


def find_viewable_run(name: str) -> Path:
    """Return the directory of a run with records, or of one that goes on and has no record yet."""
    directory = _last_run(Path.cwd(), _is_viewable) if _is_last(name) else Path(name)
    if not _is_viewable(directory):
        require_records(directory)
    require_known_version(directory)
    return directory


def find_runs(names: Iterable[str], find: Callable[[str], Path] = find_run) -> tuple[Path, ...]:
    """Return the directories of several runs; one that is named twice is returned once."""
    distinct: dict[Path, Path] = {}
    for directory in map(find, names):
        distinct.setdefault(directory.resolve(), directory)
    return tuple(distinct.values())


def runs_of_project(root: Path, *further: Path) -> list[Path]:
    """Return the remembered run, those in ``.mcpbench/runs`` and further ones that have records; the latest first."""
    return _known_runs(root, has_records, further)


def attempts_of_task(directory: Path, task_id: str) -> tuple[RunRecord, ...]:
    """Return the records of a task's attempts in the order of models and trials; of several of one attempt the last.

    Only lines with the task's id are parsed, so that a long run is searched in seconds.
    """
    latest = {}
    for _, record in read_records(directory, containing=json.dumps(task_id, ensure_ascii=False).encode()):
        if record.task_id == task_id:
            latest[record.attempt] = record
    return tuple(sorted(latest.values(), key=_order))


def _order(record: RunRecord) -> tuple[NaturalKey, NaturalKey, str, int]:
    return natural_key(record.suite), natural_key(record.model), record.arm, record.trial


def run_names(directories: Iterable[Path]) -> dict[Path, str]:
    """Return a name for each directory: its own or, if several have the same one, its path."""
    distinct = list(dict.fromkeys(directories))
    names = Counter(directory.resolve().name for directory in distinct)
    return {
        directory: name if names[name := directory.resolve().name] == 1 else str(directory) for directory in distinct
    }


def _is_last(name: str) -> bool:
    return name == LAST and not Path(name).is_dir()


def _is_viewable(directory: Path) -> bool:
    return has_records(directory) or is_locked(directory)


def _known_runs(root: Path, is_wanted: Callable[[Path], bool], further: Iterable[Path] = ()) -> list[Path]:
    home = root / _HOME
    remembered = []
    with contextlib.suppress(OSError, UnicodeDecodeError):
        remembered.append(Path(os.fsdecode((home / LAST).read_bytes().strip())))
    known = {run.resolve(): run for run in (*remembered, *home.glob("runs/*"), *further) if is_wanted(run)}
    return sorted(known.values(), key=_time_of_last_record, reverse=True)


def _last_run(start: Path, is_wanted: Callable[[Path], bool]) -> Path:
    """Return the latest of the remembered run and those in ``.mcpbench/runs``."""
    for parent in (start, *start.resolve().parents):
        runs = _known_runs(parent, is_wanted)
        if runs:
            return runs[0]
    raise UsageError(
        f"no run is stored in {_HOME} of {start} or of a directory above it; "
        "name the directory of a run, as it was passed to --mcpbench-out."
    )


def _time_of_last_record(run: Path) -> float:
    """Return the time of the last record; of a run without one, that of its directory."""
    return max(path.stat().st_mtime for path in files_of_run(run) or (run,))
