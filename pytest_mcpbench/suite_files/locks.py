"""Lock files on disk: the one of a server, and where a new one belongs."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_mcpbench.definitions.lock import LOCK_ENDING, Lock, lock_text, read_lock, server_of_conflicted_lock
from pytest_mcpbench.loaders.manifest import enclosing_directories
from pytest_mcpbench.suite_files.configured_servers import ConfiguredServer, project_directories


def read_lock_file(file: Path, shown: str | None = None) -> Lock:
    """Return the lock in a file, which messages call ``shown``."""
    return read_lock(file.read_text(encoding="utf-8", errors="surrogateescape"), shown or str(file))


def write_lock_file(file: Path, lock: Lock) -> None:
    """Write a lock; a character that UTF-8 cannot encode becomes its JSON escape."""
    file.write_text(lock_text(lock), encoding="utf-8", errors="backslashreplace", newline="\n")


def lock_of(server: ConfiguredServer) -> tuple[Path, Lock] | None:
    """Return the lock of a server with its file, whatever the file is called; raise TaskError if a lock is broken."""
    locks = ((file, read_lock_file(file)) for file in _lock_files_beside(server))
    return next(((file, lock) for file, lock in locks if lock.server == server.id_in(file.parent)), None)


def conflicted_lock_of(server: ConfiguredServer) -> Path | None:
    """Return the lock file of a server that has conflicts of a merge."""
    texts = ((file, file.read_text(encoding="utf-8", errors="replace")) for file in _lock_files_beside(server))
    return next((file for file, text in texts if server_of_conflicted_lock(text) == server.id_in(file.parent)), None)


def _lock_files_beside(server: ConfiguredServer) -> Iterator[Path]:
    directories = dict.fromkeys(file.parent for file in server.files)
    return (file for directory in directories for file in sorted(directory.glob(f"*{LOCK_ENDING}")))


def locks_without_server(servers: Iterable[ConfiguredServer], root: Path) -> dict[Path, str]:
    """Return the lock files below a directory that are of none of its servers, with the server that each names."""
    known = {(directory, name) for server in servers for directory, name in server.ids.items()}
    files = (file for directory in project_directories(root) for file in sorted(directory.glob(f"*{LOCK_ENDING}")))
    locks = {file: read_lock_file(file).server for file in files}
    return {
        file: name
        for file, name in locks.items()
        if known.isdisjoint((directory, name) for directory in enclosing_directories(file.parent, root))
    }


def new_lock_file(server: ConfiguredServer, *, is_only: bool) -> Path:
    """Return the file of a new lock: ``tools.lock.json`` for the only server of a directory.

    A file keeps its name when further servers appear, because locks are found by the server that they hold.
    """
    plain = server.directory / LOCK_ENDING
    return (
        plain
        if is_only and not plain.exists()
        else server.directory / f"{server.id_in(server.directory)}.{LOCK_ENDING}"
    )
