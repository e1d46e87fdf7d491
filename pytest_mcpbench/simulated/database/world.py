"""The database: a SQLite file in the attempt's directory, read and changed within safe limits.

A task's seed is ``{table: {columns: ["id INTEGER PRIMARY KEY", …], rows: [[…], …]}}``. The file is made by the first
request; one that is there already, as a task's files may have it, is used as it is. Each request opens it anew, so that
nothing stays open and other servers of the task see the same file.
"""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.database.seed import Table, tables
from pytest_mcpbench.simulated.engine import ToolFailure, resolve_inside

FILE = "studio.sqlite"
MOST_SECONDS = 2.0
MOST_ROWS = 2000
_MOST_BYTES = 200_000
"""Of one value, and of all that a query gives."""
_STEPS_BETWEEN_LOOKS = 20_000
_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
_WRITING = _READING | {
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_DELETE,
    sqlite3.SQLITE_TRANSACTION,
}
_KEPT_FROM_QUERIES = frozenset({"load_extension", "readfile", "writefile", "fts3_tokenizer"})

Row = dict[str, Any]


class Database:
    """The database of one attempt. Each method is a request; :class:`ToolFailure` has SQLite's message."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._seed = None if world.seed is None else _tables_of(world.seed)
        self._is_made = False

    def tables(self) -> list[Row]:
        """The tables' names."""
        with self._connection() as connection:
            return _rows(connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))

    def columns(self, table: str) -> list[Row]:
        """What SQLite says of a table's columns; nothing of a table that does not exist."""
        with self._connection() as connection:
            return _rows(connection.execute("SELECT * FROM pragma_table_info(?)", (table,)))

    def select(self, query: str) -> list[Row]:
        """The rows of a query that changes nothing."""
        with self._connection() as connection:
            connection.set_authorizer(_allowing(_READING))
            return _rows(connection.execute(query))

    def change(self, statement: str) -> int:
        """How many rows an INSERT, UPDATE or DELETE has changed."""
        with self._connection() as connection:
            connection.set_authorizer(_allowing(_WRITING))
            changed = connection.execute(statement).rowcount
            connection.set_authorizer(None)
            connection.commit()
            return changed

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._file())) as connection:
                _limit(connection)
                yield connection
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise ToolFailure(_message(error)) from error

    def _file(self) -> Path:
        place = resolve_inside(self._world, FILE)
        if not self._is_made and place is not None and not place.exists():
            place.write_bytes(_seed_bytes() if self._seed is None else _content(self._seed))
        self._is_made = True
        if place is None or not place.is_file():
            raise ToolFailure("unable to open database file")
        return place


def _limit(connection: sqlite3.Connection) -> None:
    end = time.monotonic() + MOST_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS_BETWEEN_LOOKS)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)


def _allowing(actions: frozenset[int]) -> Any:
    """SQLite's question whether a statement may do something: read and write rows, but no files and no schema."""

    def decide(action: int, _first: str | None, second: str | None, *_: str | None) -> int:
        forbidden = action not in actions or second in _KEPT_FROM_QUERIES
        return sqlite3.SQLITE_DENY if forbidden else sqlite3.SQLITE_OK

    return decide


def _message(error: Exception) -> str:
    if str(error) == "interrupted":
        return f"the query took longer than {MOST_SECONDS:g} seconds and was interrupted"
    return str(error)


def _rows(cursor: sqlite3.Cursor) -> list[Row]:
    names = [column[0] for column in cursor.description or ()]
    found: list[Row] = []
    size = 0
    for row in cursor:
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(found) == MOST_ROWS:
            raise ToolFailure(f"the result has more than {MOST_ROWS} rows; add a LIMIT or aggregate")
        if size > _MOST_BYTES:
            raise ToolFailure(f"the result has more than {_MOST_BYTES} characters; select fewer columns or rows")
        found.append(dict(zip(names, row, strict=True)))
    return found


@cache
def _seed_bytes() -> bytes:
    return _content(tables())


def _content(made: Mapping[str, Table]) -> bytes:
    """The bytes of a database file with the tables."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, table in made.items():
            connection.execute(f'CREATE TABLE "{name}" ({", ".join(table.columns)})')
            marks = ", ".join("?" * len(table.columns))
            connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', table.rows)
        connection.commit()
        return connection.serialize()


def _tables_of(seed: Any) -> dict[str, Table]:
    try:
        return {name: Table(tuple(each["columns"]), tuple(map(tuple, each["rows"]))) for name, each in seed.items()}
    except (AttributeError, KeyError, TypeError):
        raise SandboxError("the seed of a database is {table: {columns: [...], rows: [[...], ...]}}.") from None
