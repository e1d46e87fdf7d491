"""Table of text cells, which terminal, Markdown and HTML render."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pytest_mcpbench.reporting.aggregates.summary import Summary
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line

_UNFILLED = ("", number_formats.NONE)


@dataclass(frozen=True)
class Table:
    """Table of cells without line breaks and control characters."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    """Number of columns on the left that contain text; the others contain numbers."""
    note: str = ""


Row = TypeVar("Row")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """Column of a table: its heading, and the text of each row's cell."""

    heading: str
    text: Callable[[Row], str]
    is_words: bool = False
    """True for text, which stands on the left and may be wrapped; false for numbers."""
    is_optional: bool = False
    """True if the column is left out where it has only zeros."""


def table_of(title: str, columns: Sequence[Column[Row]], rows: Iterable[Row], note: str = "") -> Table:
    """Return a table with a row for each of these values. Columns of words stand before all others.

    A column that no row fills is left out.
    """
    every = list(rows)
    cells = [[column.text(row) for row in every] for column in columns]
    kept = [
        (column, texts)
        for column, texts in zip(columns, cells, strict=True)
        if not all(text in _UNFILLED or (column.is_optional and text == "0") for text in texts)
    ]
    return Table(
        title,
        tuple(column.heading for column, _ in kept),
        tuple(zip(*(texts for _, texts in kept), strict=True)),
        sum(column.is_words for column, _ in kept),
        note,
    )


def filled_table(  # noqa: PLR0913 (each is a part of the table)
    title: str,
    headings: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    words: int,
    optional: tuple[str, ...] = (),
    note: str = "",
) -> Table:
    """Return the table without the columns that no row fills, and without optional ones that have only zeros."""
    dropped = {
        index
        for index, heading in enumerate(headings)
        if all(row[index] in _UNFILLED or (heading in optional and row[index] == "0") for row in rows)
    }

    def keep_columns(cells: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(cell for index, cell in enumerate(cells) if index not in dropped)

    words -= sum(index < words for index in dropped)
    return Table(title, keep_columns(headings), tuple(map(keep_columns, rows)), words, note)


def without_zeros(table: Table, *names: str) -> Table:
    """Return the table without those of the named columns in which every row has nothing or 0."""
    columns = dict(zip(table.headings, zip(*table.rows, strict=True), strict=True)) if table.rows else {}
    zeros = ("", "0", "0+0", "$0")
    return without_columns(table, *(name for name in names if all(cell in zeros for cell in columns.get(name, ()))))


def without_columns(table: Table, *names: str) -> Table:
    """Return the table without the named columns."""
    for index in reversed([index for index, heading in enumerate(table.headings) if heading in names]):
        table = replace(
            table,
            headings=without_cell(table.headings, index),
            rows=tuple(without_cell(row, index) for row in table.rows),
            words=table.words - (index < table.words),
        )
    return table


def without_cell(cells: tuple[str, ...], index: int) -> tuple[str, ...]:
    """Return the cells of a row without the one in a column."""
    return cells[:index] + cells[index + 1 :]


# Cells that several tables share.


SUITE: Column[Summary] = Column("suite", lambda summary: summary.suite, is_words=True)
MODEL: Column[Summary] = Column("model", lambda summary: model_name(summary.model), is_words=True)


def names(summary: Summary) -> tuple[str, str]:
    """Return suite and model of a summary."""
    return summary.suite, model_name(summary.model)


def model_name(name: str) -> str:
    """Return the name of a model, shortened for a cell."""
    return one_line(name, 60)
