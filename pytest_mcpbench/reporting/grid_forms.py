"""Texts of grids in each format that has tables only."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from textwrap import wrap

from pytest_mcpbench.reporting import csv, latex, markdown, terminal
from pytest_mcpbench.reporting.display_text import width
from pytest_mcpbench.reporting.grid import CellForm, Column, Grid, Row, as_table
from pytest_mcpbench.reporting.table import Table

_COLUMNS = 80
"""Width of a terminal."""


@dataclass(frozen=True)
class NamedGrid:
    """A grid as a document shows it."""

    caption: str
    label: str
    """Name for references of LaTeX, such as ``tab:finmcp-2``."""
    grid: Grid

    def table(self, form: CellForm) -> Table:
        """Return the grid as a table of text."""
        return replace(as_table(self.grid, form), title=self.caption)


def terminal_text(grids: Sequence[NamedGrid], form: CellForm) -> str:
    """Return the tables for a terminal; one that is too wide is divided into its groups of columns."""
    return "\n\n".join("\n".join(_terminal_lines(each, form)) for each in grids) + "\n"


def _terminal_lines(named: NamedGrid, form: CellForm) -> Iterator[str]:
    for index, (suffix, part) in enumerate(_parts(named.grid, form)):
        yield from [""] if index else []
        yield from terminal.render_table(replace(as_table(part, form), title=f"{named.caption}{suffix}", note=""))
    notes = named.table(form).note
    yield from wrap(f"({notes})", _COLUMNS) if notes else []


def _parts(grid: Grid, form: CellForm) -> list[tuple[str, Grid]]:
    """Return the grid or, if it is too wide, its groups of columns and as many columns of these as fit."""
    if _width(grid, form) <= _COLUMNS:
        return [("", grid)]
    parts: list[tuple[str, Grid]] = []
    for group, indexes in groupby(range(len(grid.columns)), key=lambda index: grid.columns[index].group):
        suffix = f" – {group}" if group else ""
        parts += [(suffix, part) for part in _fitting_parts(grid, list(indexes), form)]
    return parts


def _fitting_parts(grid: Grid, indexes: Sequence[int], form: CellForm) -> Iterator[Grid]:
    """Yield parts of the columns, without the heading of their group, each with as many columns as fit."""
    first = 0
    for end in range(1, len(indexes) + 1):
        if end == len(indexes) or _width(_some_columns(grid, indexes[first : end + 1]), form) > _COLUMNS:
            yield _some_columns(grid, indexes[first:end])
            first = end


def _some_columns(grid: Grid, indexes: Sequence[int]) -> Grid:
    rows = (Row(row.labels, tuple(row.cells[index] for index in indexes)) for row in grid.rows)
    return replace(grid, columns=tuple(Column(grid.columns[index].heading) for index in indexes), rows=tuple(rows))


def _width(grid: Grid, form: CellForm) -> int:
    return max(map(width, terminal.render_table(replace(as_table(grid, form), title="", note=""))))


def markdown_text(grids: Sequence[NamedGrid], form: CellForm) -> str:
    """Return the tables as Markdown, each below a heading."""
    parts = (f"### {markdown.escape(each.caption)}\n\n{markdown.render_table(each.table(form))}" for each in grids)
    return "\n\n".join(parts) + "\n"


def latex_text(grids: Sequence[NamedGrid], form: CellForm) -> str:
    """Return the tables as floats of LaTeX."""
    parts = (latex.text(each.grid, caption=each.caption, label=each.label, form=form) for each in grids)
    return latex.PREAMBLE + "\n".join(parts)


def csv_text(grids: Sequence[NamedGrid], _form: CellForm) -> str:
    """Return all cells of all tables below one line of headings."""
    return csv.text([(each.caption, each.grid) for each in grids])


FORMS: Mapping[str, Callable[[Sequence[NamedGrid], CellForm], str]] = {
    "terminal": terminal_text,
    "markdown": markdown_text,
    "latex": latex_text,
    "csv": csv_text,
}
