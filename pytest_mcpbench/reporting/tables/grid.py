"""Table of numbers with their denominators, as papers print them: groups of columns, rows with one or more labels."""

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
        numbers, notes = self.numbers, [*self.notes]
        by_start: dict[str, str] = {}
        for number in numbers:
            if number.value is None and number.reason and not number.bounds:
                by_start.setdefault(number.reason[:_SAME_START], number.reason)
        reasons = list(by_start.values())
        if reasons:
            shown = " · ".join(one_line(each, _LONGEST_REASON) for each in reasons[:_REASONS_SHOWN])
            more = f", and {len(reasons) - _REASONS_SHOWN} more reasons" if len(reasons) > _REASONS_SHOWN else ""
            notes.append(f"{NO_VALUE} no value: {shown}{more}")
        errors = max((number.errors for number in numbers), default=0)
        if errors:
            notes.append(f"attempts that ended with an error are left out, at most {errors} of a cell")
        unscored = max((number.unscored for number in numbers if number.value is not None), default=0)
        if unscored:
            notes.append(f"unscored attempts are left out, at most {unscored} of a cell")
        of_range = next((number.reason for number in numbers if number.bounds), None)
        if of_range is not None:
            notes.append(
                f"a range: from all unscored attempts at 0 to all at 1 ({one_line(of_range, _LONGEST_REASON)}); "
                "mcpbench rescore RUN --judge=MODEL decides those that only a model can"
            )
        return tuple(notes)


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
