"""Database server: four tools of the reference server ``mcp-server-sqlite``, with its results and errors.

A failure sets ``isError``, where the real server returns only text. The limits on the kind and duration of a query are
specific to the simulation.

The data are a SQLite file in the attempt's directory. A task's seed is ``{table: {columns: ["id INTEGER PRIMARY KEY",
…], rows: [[…], …]}}``. The first request creates the file; a file that exists already, for example because the task
provides it, is used unchanged. Each request opens a new connection, so that no handle stays open and the task's other
servers see the same file.
"""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.database.seed import SeedTable, tables
from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure, file_inside, resolve_inside

FILE = "studio.sqlite"
MAX_SECONDS = 2.0
MAX_ROWS = 2000
_MAX_BYTES = 200_000
"""Limit on the size of a single value and of a query's complete result."""
_STEPS_BETWEEN_TIME_CHECKS = 20_000
_READ_ACTIONS = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
_WRITE_ACTIONS = _READ_ACTIONS | {
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_DELETE,
    sqlite3.SQLITE_TRANSACTION,
}
_FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "fts3_tokenizer"})

Row = dict[str, Any]


class Database:
    """The database of one attempt. Each method is a request; :class:`ToolFailure` carries SQLite's error message."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._seed: dict[str, SeedTable] | None = None
        if world.seed is not None:
            try:
                self._seed = {
                    name: SeedTable(tuple(each["columns"]), tuple(map(tuple, each["rows"])))
                    for name, each in world.seed.items()
                }
            except (AttributeError, KeyError, TypeError):
                raise SandboxError("the seed of a database is {table: {columns: [...], rows: [[...], ...]}}.") from None
        file = resolve_inside(self._world, FILE)
        if file is not None and not file.exists():
            file.write_bytes(_seed_bytes() if self._seed is None else _database_bytes(self._seed))

    def tables(self) -> list[Row]:
        """Return the names of the tables."""
        with self._connection() as connection:
            return _rows(connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))

    def columns(self, table: str) -> list[Row]:
        """Return SQLite's description of a table's columns; empty if the table does not exist."""
        with self._connection() as connection:
            return _rows(connection.execute("SELECT * FROM pragma_table_info(?)", (table,)))

    def select(self, query: str) -> list[Row]:
        """Run a query that must not change anything and return its rows."""
        with self._connection() as connection:
            connection.set_authorizer(_authorizer(_READ_ACTIONS))
            return _rows(connection.execute(query))

    def change(self, statement: str) -> int:
        """Run an INSERT, UPDATE or DELETE and return the number of changed rows."""
        with self._connection() as connection:
            connection.set_authorizer(_authorizer(_WRITE_ACTIONS))
            row_count = connection.execute(statement).rowcount
            connection.set_authorizer(None)
            connection.commit()
            return row_count

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        file = file_inside(self._world, FILE)
        if file is None:
            raise ToolFailure("unable to open database file")
        try:
            with closing(sqlite3.connect(file)) as connection:
                end = time.monotonic() + MAX_SECONDS
                connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS_BETWEEN_TIME_CHECKS)
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_BYTES)
                connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
                yield connection
        except (sqlite3.Error, sqlite3.Warning) as error:
            if str(error) == "interrupted":
                message = f"the query took longer than {MAX_SECONDS:g} seconds and was interrupted"
            else:
                message = str(error)
            raise ToolFailure(message) from error


def _authorizer(actions: frozenset[int]) -> Any:
    """Return a SQLite authorizer that permits only ``actions`` and no functions that access files or extensions."""

    def decide(action: int, _first: str | None, second: str | None, *_: str | None) -> int:
        forbidden = action not in actions or second in _FORBIDDEN_FUNCTIONS
        return sqlite3.SQLITE_DENY if forbidden else sqlite3.SQLITE_OK

    return decide


def _rows(cursor: sqlite3.Cursor) -> list[Row]:
    names = [column[0] for column in cursor.description or ()]
    rows: list[Row] = []
    size = 0
    for row in cursor:
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(rows) == MAX_ROWS:
            raise ToolFailure(f"the result has more than {MAX_ROWS} rows; add a LIMIT or aggregate")
        if size > _MAX_BYTES:
            raise ToolFailure(f"the result has more than {_MAX_BYTES} characters; select fewer columns or rows")
        rows.append(dict(zip(names, row, strict=True)))
    return rows


@cache
def _seed_bytes() -> bytes:
    return _database_bytes(tables())


def _database_bytes(tables: Mapping[str, SeedTable]) -> bytes:
    """Return the contents of a database file with the tables."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, table in tables.items():
            connection.execute(f'CREATE TABLE "{name}" ({", ".join(table.columns)})')
            placeholders = ", ".join("?" * len(table.columns))
            connection.executemany(f'INSERT INTO "{name}" VALUES ({placeholders})', table.rows)
        connection.commit()
        return connection.serialize()


def list_tables(database: Database) -> str:
    """List all tables in the SQLite database"""
    return str(database.tables())


def describe_table(
    database: Database, table_name: Annotated[str, Field(description="Name of the table to describe")]
) -> str:
    """Get the schema of one table: its columns with their types and keys"""
    return str(database.columns(table_name))


def read_query(database: Database, query: Annotated[str, Field(description="SELECT statement to run")]) -> str:
    """Run a SELECT query on the SQLite database"""
    if not query.strip().upper().startswith(("SELECT", "WITH")):
        raise ToolFailure("Error: Only SELECT queries are allowed for read_query", verbatim=True)
    return str(database.select(query))


def write_query(
    database: Database, query: Annotated[str, Field(description="INSERT, UPDATE or DELETE statement to run")]
) -> str:
    """Run an INSERT, UPDATE or DELETE query on the SQLite database"""
    if query.strip().upper().startswith("SELECT"):
        raise ToolFailure("Error: SELECT queries are not allowed for write_query", verbatim=True)
    return str([{"affected_rows": database.change(query)}])


SIMULATION = Simulation(
    name="sqlite",
    state=Database,
    tools=(read_query, write_query, list_tables, describe_table),
    dialect=PYTHON_SDK,
    version="0.1.0",
    failure="Database error: {message}",
)
server = SIMULATION.server
"""Factory of a server over the world of one attempt."""
