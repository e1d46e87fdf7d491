"""CSV of a table."""

import csv
from collections.abc import Iterator
from datetime import datetime
from typing import cast

from pytest_mcpbench.reporting.data.table import DataTable, Value


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
