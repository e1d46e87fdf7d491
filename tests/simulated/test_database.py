"""The database server: SQLite's answers, within the attempt's directory and within limits."""

import ast
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import SandboxError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.simulated.database import seed
from pytest_mcpbench.simulated.database.server import FILE, SIMULATION, Database
from pytest_mcpbench.simulated.engine import ToolFailure

BIRDS = {
    "birds": {
        "columns": ["id INTEGER PRIMARY KEY", "name TEXT NOT NULL", "eggs INTEGER"],
        "rows": [[1, "wren", 6], [2, "gull", 3], [3, "tern", None]],
    }
}


def a_database(directory: Path, tree: Any = BIRDS) -> Database:
    return Database(Sandbox(path=directory, seeds={"database": tree}).world("database"))


def answer(database: Database, tool: str, **arguments: Any) -> str:
    try:
        return str(SIMULATION.call(database, tool, arguments))
    except ToolFailure as failure:
        return str(failure)


def test_tables_and_columns_are_described_as_sqlite_does(tmp_path: Path) -> None:
    database = a_database(tmp_path)
    assert answer(database, "list_tables") == "[{'name': 'birds'}]"
    described = ast.literal_eval(answer(database, "describe_table", table_name="birds"))
    assert described[1] == {"cid": 1, "name": "name", "type": "TEXT", "notnull": 1, "dflt_value": None, "pk": 0}
    assert answer(database, "describe_table", table_name="fish") == "[]"


def test_rows_are_read_and_written(tmp_path: Path) -> None:
    database = a_database(tmp_path)
    assert answer(database, "read_query", query="SELECT name FROM birds WHERE eggs > 2 ORDER BY eggs") == (
        "[{'name': 'gull'}, {'name': 'wren'}]"
    )
    assert (
        answer(database, "write_query", query="UPDATE birds SET eggs = 2 WHERE eggs IS NULL")
        == "[{'affected_rows': 1}]"
    )
    assert answer(
        database, "read_query", query="WITH few AS (SELECT * FROM birds WHERE eggs < 3) SELECT id FROM few"
    ) == ("[{'id': 3}]")
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        assert connection.execute("SELECT SUM(eggs) FROM birds").fetchone() == (11,)


@pytest.mark.parametrize(
    ("tool", "query", "message"),
    [
        ("read_query", "DELETE FROM birds", "Error: Only SELECT queries are allowed for read_query"),
        ("write_query", "SELECT 1", "Error: SELECT queries are not allowed for write_query"),
        ("read_query", "SELECT wings FROM birds", "Database error: no such column: wings"),
        ("read_query", "WITH x AS (SELECT 1) DELETE FROM birds", "Database error: not authorized"),
        ("read_query", "SELECT 1; DELETE FROM birds", "Database error: You can only execute one statement at a time."),
        ("write_query", "DROP TABLE birds", "Database error: not authorized"),
        ("write_query", "CREATE TABLE fish (id)", "Database error: not authorized"),
        ("write_query", "ATTACH 'other.db' AS other", "Database error: not authorized"),
        ("write_query", "PRAGMA writable_schema = 1", "Database error: not authorized"),
        ("write_query", "VACUUM INTO 'copy.db'", "Database error: authorization denied"),
        ("write_query", "INSERT INTO birds VALUES (1, 'owl', 4)", "Database error: UNIQUE constraint failed: birds.id"),
        ("read_query", "SELECT load_extension('x')", "Database error: not authorized to use function: load_extension"),
        ("read_query", "SELECT zeroblob(900000000)", "Database error: string or blob too big"),
    ],
)
def test_what_is_refused_changes_nothing(tmp_path: Path, tool: str, query: str, message: str) -> None:
    database = a_database(tmp_path)
    before = answer(database, "read_query", query="SELECT * FROM birds")
    assert answer(database, tool, query=query) == message
    assert answer(database, "read_query", query="SELECT * FROM birds") == before
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_query_without_end_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_mcpbench.simulated.database.server.MAX_SECONDS", 0.05)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n"
    assert answer(a_database(tmp_path), "read_query", query=endless) == (
        "Database error: the query took longer than 0.05 seconds and was interrupted"
    )


def test_too_many_rows_are_refused(tmp_path: Path) -> None:
    many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 2001) SELECT x FROM n"
    assert answer(a_database(tmp_path), "read_query", query=many) == (
        "Database error: the result has more than 2000 rows; add a LIMIT or aggregate"
    )


def test_too_much_text_is_refused(tmp_path: Path) -> None:
    much = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3) SELECT hex(zeroblob(40000)) FROM n"
    assert answer(a_database(tmp_path), "read_query", query=much) == (
        "Database error: the result has more than 200000 characters; select fewer columns or rows"
    )


def test_a_link_that_leads_outside_is_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside.sqlite", tmp_path / "attempt"
    inside.mkdir()
    with closing(sqlite3.connect(outside)) as connection:
        connection.execute("CREATE TABLE secret (id)")
    (inside / FILE).symlink_to(outside)
    assert answer(a_database(inside), "list_tables") == "Database error: unable to open database file"


def test_a_file_that_an_agent_has_spoilt_is_sqlites_error(tmp_path: Path) -> None:
    database = a_database(tmp_path)
    answer(database, "list_tables")
    (tmp_path / FILE).write_text("not any more", encoding="utf-8")
    assert answer(database, "list_tables") == "Database error: file is not a database"
    (tmp_path / FILE).unlink()
    assert answer(database, "list_tables") == "Database error: unable to open database file"


def test_a_file_of_the_task_is_used_as_it_is(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("CREATE TABLE own (id)")
    assert answer(a_database(tmp_path, None), "list_tables") == "[{'name': 'own'}]"


def test_a_seed_of_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="the seed of a database is"):
        a_database(tmp_path, {"birds": ["wren"]})


def test_the_books_fit_together(tmp_path: Path) -> None:
    database = a_database(tmp_path, None)
    assert [table["name"] for table in database.tables()] == list(seed.tables())
    loose = (
        "SELECT number FROM invoices WHERE project_code NOT IN (SELECT code FROM projects) "
        "UNION SELECT number FROM orders WHERE project_code NOT IN (SELECT code FROM projects) "
        "OR supplier_id NOT IN (SELECT id FROM suppliers) OR promised_on < ordered_on"
    )
    assert database.select(loose) == []
    assert database.select("SELECT COUNT(*) AS n FROM orders WHERE delivered_on >= '2026-03-02'") == [{"n": 0}]
