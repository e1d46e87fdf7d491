"""Sandbox of an attempt: a temporary directory, seeded with the task's files and removed afterwards."""

import functools
import hashlib
import json
import os
import secrets
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from pytest_mcpbench.core.context import Collection, ContextTree, Shape
from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import DEFAULT_NOW, Ids, Sandbox, World, parse_clock, with_directory
from pytest_mcpbench.core.task import Context, Task
from pytest_mcpbench.core.world import WorldRecord
from pytest_mcpbench.text.paths import SANDBOX

# Snapshot of a directory: its files as values, its SQLite databases as tables of rows.

TEXT_LIMIT_BYTES = 16_384
"""Maximum size of a file whose text is part of the snapshot."""

DATABASE_SUFFIXES = (".sqlite", ".sqlite3", ".db")
_SQLITE_MAGIC = b"SQLite format 3\x00"
_SQLITE_COMPANIONS = ("-journal", "-wal", "-shm")

SHAPE = Shape(
    (
        Collection("files"),
        Collection("databases"),
        Collection("databases[*].tables"),
        Collection("databases[*].tables[*].rows"),
    )
)
"""Files and databases by relative path, tables by name, rows by primary key or rowid."""


def snapshot(directory: Path) -> ContextTree:
    """Return a directory as a tree: ``{files: {path: file}, databases: {path: {tables: {name: {rows}}}}}``.

    A file is ``{size, sha256, text}``; the text is left out if it is larger than ``TEXT_LIMIT_BYTES`` or not UTF-8. A
    directory without entries is ``{directory: true}``; a symbolic link is ``{link: target}`` and is not followed. What
    git keeps of a repository, in its directory ``.git``, is left out: even ``git status`` changes it.
    """
    files: dict[str, Any] = {}
    databases: dict[str, Any] = {}
    for path in _entries(directory):
        place = path.relative_to(directory)
        if ".git" in place.parts[:-1]:
            continue
        name = place.as_posix()
        # A server that goes on may remove a file at any time.
        with suppress(FileNotFoundError):
            # A database is not also a file: its bytes change even if its rows do not.
            if (tables := _database_tables(path)) is not None:
                databases[name] = {"tables": tables}
            elif entry := _entry(path):
                files[name] = entry
    return ContextTree.of({"files": files, "databases": databases}, SHAPE)


def _entries(directory: Path) -> list[Path]:
    """Return everything below a directory, sorted by path; nothing if a server has removed the directory itself."""
    # Each attempt is snapshotted twice, and most directories are empty: one scandir is cheaper than an rglob.
    try:
        with os.scandir(directory) as top:
            is_empty = next(top, None) is None
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [] if is_empty else sorted(directory.rglob("*"))


def _entry(path: Path) -> dict[str, Any] | None:
    if path.is_symlink():
        return {"link": str(path.readlink())}
    if path.is_dir():
        return None if any(path.iterdir()) else {"directory": True}
    if path.is_file() and not _is_database_companion(path):
        return _file(path)
    return None


def _file(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = path.stat().st_size
        return {"size": size, "sha256": digest} | (_file_text(path) if size <= TEXT_LIMIT_BYTES else {})
    except PermissionError:
        return {"readable": False}


def _file_text(path: Path) -> dict[str, str]:
    try:
        return {"text": path.read_bytes().decode()}
    except UnicodeDecodeError:
        return {}


def _is_database(path: Path) -> bool:
    if path.suffix not in DATABASE_SUFFIXES or not path.is_file() or not os.access(path, os.R_OK):
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC


def _is_database_companion(path: Path) -> bool:
    """Return whether the file is a journal, log or index that SQLite keeps next to an open database."""
    for tail in _SQLITE_COMPANIONS:
        if path.name.endswith(tail) and _is_database(path.with_name(path.name.removesuffix(tail))):
            return True
    return False


def _database_tables(path: Path) -> dict[str, Any] | None:
    """Return the tables of a SQLite database; ``None`` if the file is not a database, or a corrupt one."""
    if path.is_symlink() or not _is_database(path):
        return None
    try:
        # Read-only: a server may still have the database open, and a snapshot must not create or change any file.
        with closing(sqlite3.connect(path.as_uri() + "?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = functools.partial(str, encoding="utf-8", errors="replace")
            return {table: {"rows": _rows(connection, table)} for table in _table_names(connection)}
    # OperationalError (locked, no permission) is a subclass of DatabaseError, which stands for a corrupt file.
    except sqlite3.OperationalError as error:
        raise SandboxError(f"the SQLite database {path.name} cannot be read: {error}") from error
    except sqlite3.DatabaseError:
        return None


def _table_names(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    return [row["name"] for row in rows]


def _rows(connection: sqlite3.Connection, table: str) -> dict[str, Any]:
    name = '"' + table.replace('"', '""') + '"'
    columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
    keys = [column["name"] for column in sorted(columns, key=lambda column: column["pk"]) if column["pk"]]
    select = "*" if keys else "rowid AS _rowid, *"
    rows: dict[str, Any] = {}
    for row in connection.execute(f"SELECT {select} FROM {name}"):
        values = {column: _value(row[column]) for column in row.keys()}  # noqa: SIM118 (iterating a Row gives values)
        key = ",".join(str(values[key]) for key in keys) if keys else str(values.pop("_rowid"))
        rows[key] = values
    return rows


def _value(value: Any) -> Any:
    """Return a column's value as JSON; a blob becomes its size and digest."""
    if not isinstance(value, bytes):
        return value
    return {"size": len(value), "sha256": hashlib.sha256(value).hexdigest()}


AnySandbox = TypeVar("AnySandbox", bound=Sandbox)


@contextmanager
def open_sandbox(task: Task, suite_directory: Path | str, root: Path | str | None = None) -> Iterator[Sandbox]:
    """Create the sandbox of one attempt at a task, and remove its directory at the end.

    The directory is made at once for files, for a repository and for seeds that name it, and else when something asks
    for its path.

    Args:
        task: Task whose ``context.files``, a directory relative to the suite's, is copied into the sandbox.
        suite_directory: Directory of the suite.
        root: Parent of the sandbox directory; by default the system's directory for temporary files.
    """
    # The name says nothing of the task, because agents may read it. The path has no links, because servers compare
    # paths with the real path of their root, and on macOS /tmp is a link.
    directory = _real_path(root or tempfile.gettempdir()) / f"attempt-{secrets.token_hex(6)}"
    context = task.context
    if not (context.files or context.git or SANDBOX in json.dumps(context.seeds)):
        sandbox = _sandbox_of(task, directory, context.seeds, _LateSandbox)
        with _removed_at_end(directory):
            try:
                yield sandbox
            finally:
                sandbox.directory.settle()
        return
    _make(directory)
    with _removed_at_end(directory):
        try:
            seed_directory(context, Path(suite_directory), directory)
        except SandboxError as error:
            raise SandboxError(f"task {task.id!r}: {error}") from None
        yield sandbox_in(directory, task)


@contextmanager
def open_empty_sandbox(root: Path) -> Iterator[Sandbox]:
    """Create a sandbox directory below ``root`` that belongs to no attempt, and remove it at the end."""
    directory = Path(tempfile.mkdtemp(dir=root)).resolve()
    with _removed_at_end(directory):
        yield Sandbox(path=directory, files=DirectoryFiles(directory))


def sandbox_in(directory: Path, task: Task) -> Sandbox:
    """Return the sandbox of an attempt in an existing directory, which keeps its files."""
    seeds = task.context.seeds
    filled = with_directory(seeds, lambda: directory) if SANDBOX in json.dumps(seeds) else seeds
    return _sandbox_of(task, directory, filled, Sandbox)


def _sandbox_of(task: Task, directory: Path, seeds: Mapping[str, Any], kind: type[AnySandbox]) -> AnySandbox:
    return kind(
        path=directory,
        now=parse_clock(task.context.now),
        identity=task.id,
        seeds=seeds,
        has_public_seeds=task.context.is_public,
        checks=task.expected.state,
        files=DirectoryFiles(directory),
    )


def _make(directory: Path) -> None:
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise SandboxError(f"the attempt's directory {directory} cannot be made: {error.strerror}") from error


class _LateDirectory:
    """Directory that is made when something asks for its path first, in whichever thread."""

    def __init__(self, location: Path) -> None:
        self.location = location
        self.is_settled = False
        """Whether the directory stays as it is: it has been made, or the attempt has ended, after which none is."""
        self.error: SandboxError | None = None
        """Why it cannot be made."""
        self._lock = threading.Lock()

    def path(self) -> Path:
        """Return the path of the directory, which exists from now on. Raises SandboxError if it cannot be made."""
        if not self.is_settled:
            with self._lock:
                if not self.is_settled:
                    try:
                        _make(self.location)
                    except SandboxError as error:
                        self.error = error
                        raise
                    self.is_settled = True
        return self.location

    def settle(self) -> None:
        """Leave the directory as it is from now on."""
        with self._lock:
            self.is_settled = True


class _LateWorld(World):
    """World whose directory is made when its server asks for the path."""

    _directory: _LateDirectory

    def __init__(self, directory: _LateDirectory, sandbox: Sandbox, server: str, ids: Ids, seed: Any) -> None:
        object.__setattr__(self, "_directory", directory)
        super().__init__(server, directory.location, sandbox.now, ids, seed, sandbox.has_public_seeds)

    def __repr__(self) -> str:
        return f"World({self.name!r}, {self._directory.location})"

    @property
    def path(self) -> Path:
        """Return the path of the directory, which exists from now on."""
        return self._directory.path()

    @path.setter
    def path(self, _location: Path) -> None:
        pass


class _LateSandbox(Sandbox):
    """Sandbox whose directory is made when something asks for its path; that of most attempts never is."""

    directory: _LateDirectory
    """Worlds share it, and not this sandbox, which has them."""

    def __repr__(self) -> str:
        return f"Sandbox({self.location})"

    @property
    def is_made(self) -> bool:
        """Return whether something has asked for the path."""
        return self.directory.is_settled

    @property
    def location(self) -> Path:
        """Return the path without making the directory."""
        return self.directory.location

    @property
    def path(self) -> Path:
        """Return the path of the directory, which exists from now on."""
        return self.directory.path()

    @path.setter
    def path(self, path: Path) -> None:
        self.directory = _LateDirectory(path)

    def diff(self) -> tuple[WorldRecord, ...]:
        """Return the changes of the worlds. Raises SandboxError for a directory that could not be made.

        A tool of a server in this process may have met that error first, and have answered with it.
        """
        if self.directory.error is not None:
            raise self.directory.error
        return super().diff()

    def _new_world(self, server: str, ids: Ids, seed: Any) -> World:
        return _LateWorld(self.directory, self, server, ids, seed)


_SURE_SECONDS = 0.1
"""Age from which a file's time of change tells of every later change; clocks of file systems have coarse ticks."""

Stamps = dict[str, tuple[int, int, int, int]]


class DirectoryFiles:
    """Content of a directory as a tree: before the attempt and now.

    Reading every file is expensive, so the last tree is reused while size, inode and times of all files are unchanged.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._looked_at = time.time()
        self._stamps = _stamps(directory)
        self.before = snapshot(directory)

    def start(self) -> None:
        """Make the present content the state before the attempt, because servers may write files when they start."""
        looked_at, stamps = time.time(), _stamps(self._directory)
        if stamps != self._stamps:
            self.before = snapshot(self._directory)
        self._looked_at, self._stamps = looked_at, stamps

    def after(self) -> ContextTree:
        """Return the present content of the directory. Raises SandboxError if a server has made it unreadable."""
        try:
            stamps = _stamps(self._directory)
            newest = max((changed for *_, changed in stamps.values()), default=0) / 1e9
            # A change within the tick in which the stamps were taken would leave them as they are.
            is_unchanged = stamps == self._stamps and newest < self._looked_at - _SURE_SECONDS
            return self.before if is_unchanged else snapshot(self._directory)
        except OSError as error:  # such as paths that are too long
            raise SandboxError(f"the attempt's directory cannot be read: {error.strerror}") from error


def _stamps(directory: Path) -> Stamps:
    """Return size, inode and times of modification and change of everything below a directory, by path."""
    found: Stamps = {}
    for parent, directories, files in os.walk(directory):
        for name in (*directories, *files):
            path = f"{parent}{os.sep}{name}"
            with suppress(FileNotFoundError):
                status = os.lstat(path)
                found[path] = (status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
    return found


@functools.lru_cache(maxsize=8)
def _real_path(path: Path | str) -> Path:
    return Path(path).resolve()


def seed_directory(context: Context, suite_directory: Path, directory: Path) -> None:
    """Write the files of a context into a directory, and make it a repository if the context says so.

    Files are written over those of a history, as changes that are not committed.
    """
    if isinstance(context.git, str):
        _import_history(suite_directory / context.git, directory)
    if isinstance(context.files, str):
        source = suite_directory / context.files
        if not source.is_dir():
            raise SandboxError(f"context.files names {source}, which is not a directory.")
        shutil.copytree(source, directory, dirs_exist_ok=True, symlinks=True)
    for name, text in context.files.items() if isinstance(context.files, dict) else ():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    if context.git is True:
        _make_repository(directory)


_GIT_CONFIG = "[user]\n name = Ann\n email = ann@example.com\n[commit]\n gpgsign = false\n[gc]\n auto = 0\n"


def _make_repository(directory: Path) -> None:
    """Commit the content of a directory, with the same id in each attempt and whatever the user's settings are."""
    clock = DEFAULT_NOW.isoformat()
    _start_repository(directory)
    _git(directory, "add", "-A")
    dates = {"GIT_AUTHOR_DATE": clock, "GIT_COMMITTER_DATE": clock}
    _git(directory, "commit", "-q", "--allow-empty", "-m", "First version", variables=dates)


def _import_history(file: Path, directory: Path) -> None:
    """Make a directory a repository with the history of a file, and check its branch ``main`` out."""
    if not file.is_file():
        raise SandboxError(f"context.git names {file}, which is not a file.")
    _start_repository(directory)
    _git(directory, "fast-import", "--quiet", content=file.read_bytes())
    _git(directory, "reset", "-q", "--hard", "main")


def _start_repository(directory: Path) -> None:
    _git(directory, "init", "-q", "--template=", "-b", "main")
    with (directory / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write(_GIT_CONFIG)


def _git(
    directory: Path, *command: str, variables: Mapping[str, str] = MappingProxyType({}), content: bytes | None = None
) -> None:
    """Run git without the settings of the user and the machine. Raises SandboxError if it fails."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    try:
        done = subprocess.run(
            ["git", *command], cwd=directory, env={**own, **variables}, input=content, capture_output=True, check=False
        )
    except FileNotFoundError:
        raise SandboxError("context.git needs the program git, which was not found.") from None
    if done.returncode:
        problem = done.stderr.decode(errors="replace").strip()
        raise SandboxError(f"context.git: git {command[0]} failed: {problem}")


@contextmanager
def _removed_at_end(directory: Path) -> Iterator[None]:
    """Remove a directory with its content at the end of the context, if it exists then."""
    try:
        yield
    finally:
        # Most attempts leave no directory or an empty one; then one system call does, without listing it.
        try:
            directory.rmdir()
        except FileNotFoundError:
            pass
        except OSError:
            shutil.rmtree(directory, ignore_errors=True)
