"""Grids as CSV: one line for each cell, with all digits and denominators."""

import csv
import io
from collections.abc import Iterator, Sequence

from pytest_mcpbench.reporting.display_text import one_line, spreadsheet_safe
from pytest_mcpbench.reporting.grid import Cell, Grid
from pytest_mcpbench.reporting.measures import Number

CELL_COLUMNS = ("group", "column", "value", "low", "high", "n", "tasks", "errors", "unscored", "reason")
"""Columns behind the labels of the row: a cell's column, its value with both ends of the 95 % interval, its counts."""


def text(grids: Sequence[tuple[str, Grid]]) -> str:
    """Return the cells of all grids, each with its name, below one line of headings.

    These are ``table``, the headings of the labels of rows, and :data:`CELL_COLUMNS`.
    """
    stubs = list(dict.fromkeys(stub for _, grid in grids for stub in grid.stubs))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("table", *stubs, *CELL_COLUMNS))
    for name, grid in grids:
        writer.writerows(_lines(name, grid, stubs))
    return buffer.getvalue()


def _lines(name: str, grid: Grid, stubs: Sequence[str]) -> Iterator[tuple[str | int, ...]]:
    for row in grid.rows:
        labels = dict(zip(grid.stubs, row.labels, strict=True))
        for column, cell in zip(grid.columns, row.cells, strict=True):
            labelled = (_safe(labels.get(stub, "")) for stub in stubs)
            yield (_safe(name), *labelled, _safe(column.group), _safe(column.heading), *_cell(cell))


def _cell(cell: Cell) -> tuple[str | int, ...]:
    if isinstance(cell, str):
        return (_safe(cell), "", "", "", "", "", "", "")
    interval = cell.interval
    low, high = (repr(interval.low), repr(interval.high)) if interval else ("", "")
    return (_digits(cell), low, high, cell.n, cell.tasks, cell.errors, cell.unscored, _safe(cell.reason))


def _digits(number: Number) -> str:
    return "" if number.value is None else repr(number.value)


def _safe(text: str) -> str:
    """Return the text on one line, which no spreadsheet runs as a formula."""
    return spreadsheet_safe(one_line(text, 2000))
