"""Tables with typed columns, in which a value that is not known is ``None``."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.reporting.aggregates.conditions import conditions_of
from pytest_mcpbench.text.natural_order import natural_key

ColumnType = Literal["text", "integer", "number", "truth", "time"]
Value = str | int | float | bool | datetime | None
Row = Mapping[str, Value]


@dataclass(frozen=True)
class AttemptRow:
    """One attempt of a run, as the tables see it."""

    run: str
    """Name of the run, which tells runs apart that were loaded together."""
    record: RunRecord
    facts: Mapping[str, object]
    """Content of ``run.json``."""

    @property
    def conditions(self) -> Mapping[str, Value]:
        """Return the conditions of the attempt; only those that were swept if the run did not store them."""
        return conditions_of(self.facts, self.record.suite, self.record.file, self.record.swept)


@dataclass(frozen=True)
class DataColumn:
    """One column of a table."""

    name: str
    type: ColumnType


@dataclass(frozen=True)
class TableKind:
    """A kind of table: its columns, and the rows of an attempt in it."""

    name: str
    columns: tuple[DataColumn, ...]
    """The columns that every table of the kind has, in this order."""
    rows: Callable[[AttemptRow], Iterable[Row]]
    families: Mapping[str, ColumnType]
    """Types of further columns by their prefix: one column for each metric, tag or taxonomy that an attempt has."""


@dataclass(frozen=True)
class DataTable:
    """Rows of several attempts under all columns that any of them has."""

    columns: tuple[DataColumn, ...]
    rows: Sequence[Row]

    def values(self, column: DataColumn) -> Iterator[Value]:
        """Yield the values of a column; ``None`` where a row has none."""
        return (row.get(column.name) for row in self.rows)


def table_of(kind: TableKind, rows: Sequence[Row]) -> DataTable:
    """Return a table with the columns of its kind, followed by those that only some rows have, sorted by name."""
    fixed = {column.name for column in kind.columns}
    names = {name for row in rows for name in row if name not in fixed}
    order = list(kind.families)
    further = sorted(names, key=lambda name: (order.index(_prefix(name)), natural_key(name)))
    return DataTable((*kind.columns, *(DataColumn(name, kind.families[_prefix(name)]) for name in further)), rows)


def _prefix(name: str) -> str:
    return name.partition(".")[0]


# CSV of a table.


class _Echo:
    """File that returns each text instead of writing it."""

    def write(self, text: str) -> str:
        return text


def csv_lines(table: DataTable) -> Iterator[str]:
    """Yield the lines of a table: unknown values are empty, truths ``true`` or ``false``, times ISO 8601."""
    writer = csv.writer(_Echo(), lineterminator="\n")
    names = [column.name for column in table.columns]
    # writerow returns what write() of its file returns.
    yield cast("str", writer.writerow(names))
    for row in table.rows:
        yield cast("str", writer.writerow([_cell(row.get(name)) for name in names]))


def _cell(value: Value) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, datetime) else value
