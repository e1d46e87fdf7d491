"""Table of numbers with their denominators, as papers print them: groups of columns, rows with one or more labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pytest_mcpbench.reporting.aggregates.measures import MeasuredNumber
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.table import Table

NO_VALUE = "–"
_REASONS_SHOWN = 4
_LONGEST_REASON = 160
_SAME_START = 40
"""Characters by which reasons are told apart: the same reason names another checkpoint in each attempt."""

Cell = MeasuredNumber | str


@dataclass(frozen=True)
class GridColumn:
    """Heading of a column, below the heading of its group."""

    heading: str
    group: str = ""

    @property
    def name(self) -> str:
        """Return the heading with that of the group."""
        return f"{self.group} {self.heading}".strip()


@dataclass(frozen=True)
class GridRow:
    """Labels and cells of a row."""

    labels: tuple[str, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Grid:
    """A table of numbers and texts."""

    title: str
    stubs: tuple[str, ...]
    """Headings of the labels of rows."""
    columns: tuple[GridColumn, ...]
    rows: tuple[GridRow, ...]
    notes: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """Return the headings of groups with their number of columns, in order."""
        return tuple((group, sum(1 for _ in those)) for group, those in groupby(self.columns, lambda each: each.group))

    @property
    def numbers(self) -> tuple[MeasuredNumber, ...]:
        """Return every cell that is a number."""
        return tuple(cell for row in self.rows for cell in row.cells if isinstance(cell, MeasuredNumber))

    @property
    def all_notes(self) -> tuple[str, ...]:
        """Return the notes, followed by the reasons for missing values and by what the numbers leave out."""
        return (*self.notes, *_missing(self.numbers), *_left_out(self.numbers))


@dataclass(frozen=True)
class CellForm:
    """Parts of a number that the text of a cell shows."""

    counts: bool = False
    intervals: bool = False

    def text(self, cell: Cell) -> str:
        """Return the text of a cell."""
        if isinstance(cell, str):
            return one_line(cell)
        details: list[str] = []
        interval = cell.interval if self.intervals else None
        if interval:
            details.append(f"[{cell.form(interval.low)}, {cell.form(interval.high)}]")
        if self.counts and cell.value is not None:
            details.append(f"(n={cell.n})")
        return " ".join([cell.text or NO_VALUE, *details])


PLAIN = CellForm()


def as_table(grid: Grid, form: CellForm = PLAIN) -> Table:
    """Return the grid as a table of text, with the headings of groups before those of columns."""
    rows = tuple((*map(one_line, row.labels), *map(form.text, row.cells)) for row in grid.rows)
    headings = (*grid.stubs, *(one_line(column.name, 80) for column in grid.columns))
    # The number of columns that are aligned as text: all, if a column of text follows numbers.
    is_text = [is_text_column(grid, index) for index in range(len(grid.columns))]
    numbers = is_text.index(False) if False in is_text else len(is_text)
    words = len(grid.stubs) + (len(is_text) if any(is_text[numbers:]) else numbers)
    return Table(grid.title, headings, rows, words, "; ".join(grid.all_notes))


def is_text_column(grid: Grid, index: int) -> bool:
    """Return whether a column has no number."""
    return all(isinstance(row.cells[index], str) for row in grid.rows)


def _missing(numbers: Sequence[MeasuredNumber]) -> Iterator[str]:
    found = (number.reason for number in numbers if number.value is None and number.reason and not number.bounds)
    by_start: dict[str, str] = {}
    for reason in found:
        by_start.setdefault(reason[:_SAME_START], reason)
    reasons = list(by_start.values())
    more = f", and {len(reasons) - _REASONS_SHOWN} more reasons" if len(reasons) > _REASONS_SHOWN else ""
    if reasons:
        yield (
            f"{NO_VALUE} no value: "
            + " · ".join(one_line(each, _LONGEST_REASON) for each in reasons[:_REASONS_SHOWN])
            + more
        )


def _left_out(numbers: Sequence[MeasuredNumber]) -> Iterator[str]:
    errors = max((number.errors for number in numbers), default=0)
    unscored = max((number.unscored for number in numbers if number.value is not None), default=0)
    if errors:
        yield f"attempts that ended with an error are left out, at most {errors} of a cell"
    if unscored:
        yield f"unscored attempts are left out, at most {unscored} of a cell"
    reasons = dict.fromkeys(number.reason for number in numbers if number.bounds)
    if reasons:
        yield (
            f"a range: from all unscored attempts at 0 to all at 1 ({one_line(next(iter(reasons)), _LONGEST_REASON)}); "
            "mcpbench rescore RUN --judge=MODEL decides those that only a model can"
        )
