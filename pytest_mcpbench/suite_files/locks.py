"""Lock files on disk: the one of a server, where a new one belongs, and the placeholders for paths of this machine."""

import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from pytest_mcpbench.definitions.canonical import ServerDefinition
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


_PROJECT_MARKS = (".git", "pyproject.toml", "package.json")
_BEFORE = r"(?:(?<![\w./-])|(?<=://))"
"""Condition on the text before a path: `/projects/{project}` in a description names none."""


class LocalPaths:
    """Paths that differ from machine to machine, seen from the directory of a lock.

    The project is the nearest directory around it with ``.git``, ``pyproject.toml`` or ``package.json``.
    """

    def __init__(self, directory: Path) -> None:
        around = (directory.resolve(), *directory.resolve().parents)
        marked = (each for each in around if any((each / mark).exists() for mark in _PROJECT_MARKS))
        temporary = Path(tempfile.gettempdir())
        self._paths = {
            str(path): name
            for name, paths in {
                "{tmp}": (PurePosixPath("/tmp"), temporary, temporary.resolve()),
                "{home}": (Path.home(), Path.home().resolve()),
                "{project}": (next(marked, around[0]),),
            }.items()
            for path in paths
            if path != Path(path.anchor)
        }

    def without(self, definition: ServerDefinition) -> ServerDefinition:
        """Return what a client sees of a server with placeholders for the paths."""
        longest_first = sorted(self._paths, key=len, reverse=True)
        known = re.compile(rf"{_BEFORE}({'|'.join(map(re.escape, longest_first))})(?![\w-]|\.\w)")
        return definition.with_texts(lambda text: known.sub(lambda found: self._paths[found[1]], text))

    def filled(self, definition: ServerDefinition) -> ServerDefinition:
        """Return what a client sees of a server with the paths of this machine, as the server would say them."""
        paths: dict[str, str] = {}
        for path, name in self._paths.items():
            paths.setdefault(name, path)
        placeholder = re.compile(rf"{_BEFORE}(?:{'|'.join(map(re.escape, paths))})")
        return definition.with_texts(lambda text: placeholder.sub(lambda found: paths[found[0]], text))
