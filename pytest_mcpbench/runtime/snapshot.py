"""Snapshot of a directory: its files as values, its SQLite databases as tables of rows."""

import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.context import Collection, ContextTree, Shape
from pytest_mcpbench.core.errors import SandboxError

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
    directory without entries is ``{directory: true}``; a symbolic link is ``{link: target}`` and is not followed.
    """
    files: dict[str, Any] = {}
    databases: dict[str, Any] = {}
    for path in _entries(directory):
        name = path.relative_to(directory).as_posix()
        # A database is not also a file: its bytes change even if its rows do not.
        if (tables := _database_tables(path)) is not None:
            databases[name] = {"tables": tables}
        elif entry := _entry(path):
            files[name] = entry
    return ContextTree.of({"files": files, "databases": databases}, SHAPE)


def _entries(directory: Path) -> list[Path]:
    """Return everything below a directory, sorted by path."""
    # Each attempt is snapshotted twice, and most directories are empty: one scandir is cheaper than an rglob.
    with os.scandir(directory) as top:
        is_empty = next(top, None) is None
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
            connection.text_factory = _decode
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


def _decode(content: bytes) -> str:
    return content.decode(errors="replace")
