"""The sandbox of an attempt on disk: its directory, seeded with files, and what changed in it."""

import hashlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.context import Collection, ContextTree, Shape
from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import Sandbox, clock
from pytest_mcpbench.core.task import Task

TEXT_LIMIT_BYTES = 16_384
"""Size up to which the text of a file is part of the snapshot."""

DATABASE_SUFFIXES = (".sqlite", ".sqlite3", ".db")
_SQLITE_MAGIC = b"SQLite format 3\x00"

SHAPE = Shape(
    (
        Collection("files"),
        Collection("databases"),
        Collection("databases[*].tables"),
        Collection("databases[*].tables[*].rows"),
    )
)
"""Files by relative path; databases by relative path, their tables by name, the rows by primary key or rowid."""


@contextmanager
def open_sandbox(task: Task, suite_directory: Path | str, root: Path | str | None = None) -> Iterator[Sandbox]:
    """A fresh sandbox for one attempt at a task; its directory is made under ``root`` and removed on leaving.

    The directory that ``context.files`` names, relative to the suite's, is copied into it.
    """
    if root is not None:
        Path(root).mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix=f"{task.id[:40]}-", dir=root)).resolve()
    try:
        _copy_seed(task, Path(suite_directory), directory)
        yield sandbox_in(directory, task)
    finally:
        _remove(directory)


def sandbox_in(directory: Path, task: Task) -> Sandbox:
    """The sandbox of an attempt at a task, in a directory as it is."""
    return Sandbox(
        path=directory,
        now=clock(task.context.now),
        identity=task.id,
        seeds=task.context.seeds,
        checks=task.expected.state,
        files=DirectoryFiles(directory),
    )


class DirectoryFiles:
    """A directory as a tree, as it was when this was made and as it is now."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.before = snapshot(directory)

    def after(self) -> ContextTree:
        """The directory as it is now."""
        return snapshot(self._directory)


def snapshot(directory: Path) -> ContextTree:
    """A directory as a tree: ``{files: {path: file}, databases: {path: {tables: {name: {rows}}}}}``.

    A file is ``{size, sha256, text}``, the text only up to ``TEXT_LIMIT_BYTES`` and where it is UTF-8; a directory
    without entries is ``{directory: true}``; a symbolic link is ``{link: target}`` and not followed. A SQLite database
    is not among the files: its bytes change without its rows.
    """
    files: dict[str, Any] = {}
    databases: dict[str, Any] = {}
    for path in _entries(directory):
        name = path.relative_to(directory).as_posix()
        if (tables := _tables_of(path)) is not None:
            databases[name] = {"tables": tables}
        elif entry := _entry(path):
            files[name] = entry
    return ContextTree.of({"files": files, "databases": databases}, SHAPE)


def _entries(directory: Path) -> list[Path]:
    """Everything below a directory, in order of path."""
    with os.scandir(directory) as top:
        is_empty = next(top, None) is None
    return [] if is_empty else sorted(directory.rglob("*"))


def _remove(directory: Path) -> None:
    """Remove a directory and what is in it. Most attempts leave theirs empty, for which one system call will do."""
    try:
        directory.rmdir()
    except OSError:
        shutil.rmtree(directory, ignore_errors=True)


def _copy_seed(task: Task, suite_directory: Path, directory: Path) -> None:
    if task.context.files is None:
        return
    source = suite_directory / task.context.files
    if not source.is_dir():
        raise SandboxError(f"task {task.id!r}: context.files names {source}, which is no directory.")
    shutil.copytree(source, directory, dirs_exist_ok=True, symlinks=True)


def _entry(path: Path) -> dict[str, Any] | None:
    if path.is_symlink():
        return {"link": str(path.readlink())}
    if path.is_dir():
        return None if any(path.iterdir()) else {"directory": True}
    if path.is_file() and not _belongs_to_a_database(path):
        return _file(path)
    return None


def _file(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = path.stat().st_size
        return {"size": size, "sha256": digest} | (_text_of(path) if size <= TEXT_LIMIT_BYTES else {})
    except PermissionError:
        return {"readable": False}


def _text_of(path: Path) -> dict[str, str]:
    try:
        return {"text": path.read_bytes().decode()}
    except UnicodeDecodeError:
        return {}


def _is_database(path: Path) -> bool:
    if path.suffix not in DATABASE_SUFFIXES or not path.is_file() or not os.access(path, os.R_OK):
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC


def _belongs_to_a_database(path: Path) -> bool:
    """Whether it is the journal, the log or the index that SQLite keeps beside an open database."""
    for tail in ("-journal", "-wal", "-shm"):
        if path.name.endswith(tail) and _is_database(path.with_name(path.name.removesuffix(tail))):
            return True
    return False


def _tables_of(path: Path) -> dict[str, Any] | None:
    """The tables of a SQLite database; ``None`` where the file is none, or a broken one, which counts as a file."""
    if path.is_symlink() or not _is_database(path):
        return None
    try:
        with closing(sqlite3.connect(path.as_uri() + "?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = _text
            return {table: {"rows": _rows(connection, table)} for table in _tables(connection)}
    except sqlite3.OperationalError as error:
        raise SandboxError(f"the SQLite database {path.name} cannot be read: {error}") from error
    except sqlite3.DatabaseError:
        return None


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    return [row["name"] for row in found]


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
    """A column's value as JSON; a blob is its size and digest."""
    if not isinstance(value, bytes):
        return value
    return {"size": len(value), "sha256": hashlib.sha256(value).hexdigest()}


def _text(content: bytes) -> str:
    return content.decode(errors="replace")
