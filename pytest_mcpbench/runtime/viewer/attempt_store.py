"""Rows of attempts in a temporary database, with the place of each record on disk."""

import json
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.natural_order import natural_key
from pytest_mcpbench.core.report import Entry, RecordRef
from pytest_mcpbench.runtime.viewer.tail import Rank

_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE attempt (
    number INTEGER PRIMARY KEY, version INTEGER, attempt TEXT UNIQUE, run INTEGER, file TEXT, offset INTEGER,
    rank_kind TEXT, rank_start TEXT, suite INTEGER, task TEXT, model INTEGER, trial INTEGER, row TEXT, entry BLOB
);
CREATE INDEX by_version ON attempt (version);
"""
_PAGE_ORDER = "ORDER BY suite, task, model, trial, number"


@dataclass(frozen=True)
class StoredAttempt:
    """An attempt as the database has it."""

    key: str
    """Identity of the attempt among all runs."""
    run: int
    ref: RecordRef
    rank: Rank
    order: tuple[int, str, int, int]
    """Position in the page: suite, task, model, trial."""
    row: str
    """JSON of the row in the index, without number and notes."""
    entry: Entry


@dataclass(frozen=True)
class Place:
    """Place of a record."""

    run: int
    ref: RecordRef


class AttemptStore:
    """Database of attempts, which one thread writes and others read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, check_same_thread=False)
        self._connection.executescript(_SCHEMA)
        self.version = 0
        """Number of the last change; each :meth:`commit` is one."""

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()

    def put(self, attempt: StoredAttempt) -> int | None:
        """Store an attempt and return its number, from 1 on; :meth:`commit` shows it to readers.

        Nothing is stored, and ``None`` returned, if a record that counts more is there already.
        """
        found = self._connection.execute(
            "SELECT number, rank_kind, rank_start, file FROM attempt WHERE attempt = ?", (attempt.key,)
        ).fetchone()
        if found is not None and not attempt.rank.outranks(Rank(*found[1:])):
            return None
        cursor = self._connection.execute(
            f"INSERT OR REPLACE INTO attempt VALUES ({', '.join('?' * 14)})",
            (
                None if found is None else found[0],
                self.version + 1,
                attempt.key,
                attempt.run,
                attempt.ref.file,
                attempt.ref.offset,
                attempt.rank.kind,
                attempt.rank.start,
                *attempt.order,
                attempt.row,
                zlib.compress(attempt.entry.model_dump_json().encode(), 1),
            ),
        )
        return cursor.lastrowid

    def touch(self, keys: set[str]) -> None:
        """Mark attempts as changed, as with new notes."""
        changed = [(self.version + 1, key) for key in keys]
        self._connection.executemany("UPDATE attempt SET version = ? WHERE attempt = ?", changed)

    def commit(self) -> None:
        """Show everything that was stored to readers."""
        self._connection.commit()
        self.version += 1

    def count(self) -> int:
        """Return the number of attempts."""
        with closing(self._reader()) as reader:
            (count,) = reader.execute("SELECT count(*) FROM attempt").fetchone()
        return int(count)

    def rows(self, since: int = 0) -> Iterator[tuple[int, str, str]]:
        """Yield number, key and row of the attempts that changed after a version, in the order of the page."""
        query = f"SELECT number, attempt, row FROM attempt WHERE version > ? {_PAGE_ORDER}"
        with closing(self._reader()) as reader:
            yield from reader.execute(query, (since,))

    def place(self, number: int) -> Place | None:
        """Return the place of an attempt's record; ``None`` if there is no such attempt."""
        with closing(self._reader()) as reader:
            found = reader.execute("SELECT run, file, offset FROM attempt WHERE number = ?", (number,)).fetchone()
        return None if found is None else Place(found[0], RecordRef(file=found[1], offset=found[2]))

    def entries(self, run: int | None = None) -> Iterator[Entry]:
        """Yield the entries of all attempts, or of one run, in the order of the page."""
        where, values = ("", ()) if run is None else ("WHERE run = ?", (run,))
        with closing(self._reader()) as reader:
            for (content,) in reader.execute(f"SELECT entry FROM attempt {where} {_PAGE_ORDER}", values):
                yield Entry.model_validate_json(zlib.decompress(content))

    def _reader(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)


def sort_text(task_id: str) -> str:
    """Return a text that sorts like the natural order of task ids: numbers are filled with zeros."""
    parts, name = natural_key(task_id)
    return json.dumps([f"{part:020}" if isinstance(part, int) else part for part in parts]) + name
