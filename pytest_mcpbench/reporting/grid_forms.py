"""Texts of grids in each format that has tables only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_mcpbench.reporting import csv, latex, markdown, terminal
from pytest_mcpbench.reporting.grid import CellForm, Grid, as_table
from pytest_mcpbench.reporting.table import Table


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
    """Return the tables for a terminal."""
    return "\n\n".join("\n".join(terminal.render_table(each.table(form))) for each in grids) + "\n"


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
