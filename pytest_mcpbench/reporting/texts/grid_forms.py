"""Texts of grids in each format that has tables only."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from pytest_mcpbench.reporting.forms.display_text import one_line, spreadsheet_safe, visible
from pytest_mcpbench.reporting.tables import markdown
from pytest_mcpbench.reporting.tables.grid import (
    PLAIN,
    Cell,
    CellForm,
    Grid,
    as_table,
    is_text_column,
)
from pytest_mcpbench.reporting.tables.table import Table
from pytest_mcpbench.reporting.texts import terminal

# Grids as CSV: one line for each cell, with all digits and denominators.

CELL_COLUMNS = (
    *("group", "column", "value", "least", "greatest", "low", "high"),
    *("n", "tasks", "errors", "unscored", "reason"),
)
"""Columns behind the labels of the row: a cell's column, its value and what unscored attempts leave possible of it,
both ends of the 95 % interval, its counts."""


def grid_csv(grids: Sequence[tuple[str, Grid]]) -> str:
    """Return the cells of all grids, each with its name, below one line of headings.

    These are ``table``, the headings of the labels of rows, and :data:`CELL_COLUMNS`.
    """
    stubs = list(dict.fromkeys(stub for _, grid in grids for stub in grid.stubs))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("table", *stubs, *CELL_COLUMNS))
    for name, grid in grids:
        for row in grid.rows:
            labels = dict(zip(grid.stubs, row.labels, strict=True))
            start = [_safe(name), *(_safe(labels.get(stub, "")) for stub in stubs)]
            for column, cell in zip(grid.columns, row.cells, strict=True):
                writer.writerow((*start, _safe(column.group), _safe(column.heading), *_cell(cell)))
    return buffer.getvalue()


def _cell(cell: Cell) -> tuple[str | float, ...]:
    if isinstance(cell, str):
        return (_safe(cell), *[""] * 9)
    value = "" if cell.value is None else cell.value
    ends = [end for interval in (cell.extent, cell.interval) for end in interval or ("", "")]
    return (value, *ends, cell.n, cell.tasks, cell.errors, cell.unscored, _safe(cell.reason))


def _safe(text: str) -> str:
    """Return the text on one line, which no spreadsheet runs as a formula."""
    return spreadsheet_safe(one_line(text, 2000))


# Grids as LaTeX tables of the package booktabs.

PREAMBLE = "% needs \\usepackage{booktabs}; texts in other scripts need XeLaTeX or LuaLaTeX with a suitable font\n"
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "%": r"\%",
        "#": r"\#",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "–": "--",
        "—": "---",
        "…": r"\dots{}",
        "·": r"\(\cdot\)",
        "×": r"\(\times\)",
        "≥": r"\(\geq\)",
        "≤": r"\(\leq\)",
        "→": r"\(\to\)",
        "−": r"\(-\)",
        "Δ": r"\(\Delta\)",
    }
)


def escape(text: str) -> str:
    """Return the text on one line, with all that LaTeX would interpret escaped."""
    return one_line(visible(text), 2000).translate(_ESCAPES)


def grid_latex(grid: Grid, *, caption: str, label: str, form: CellForm = PLAIN) -> str:
    """Return a floating table with caption and label; numbers are right-aligned, notes stand below."""
    stub = len(grid.stubs)
    alignment = "".join("l" if is_text_column(grid, index) else "r" for index in range(len(grid.columns)))
    rows: list[str] = []
    above: tuple[str, ...] = ()
    for row in grid.rows:
        # A first label that repeats the row above is left blank, and another one begins after a rule.
        is_same = len(row.labels) > 1 and above[:1] == row.labels[:1]
        if above and len(row.labels) > 1 and not is_same:
            rows.append(r"\addlinespace")
        labels = ("", *row.labels[1:]) if is_same else row.labels
        rows.append(_line([*labels, *map(form.text, row.cells)]))
        above = row.labels
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(caption)}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{'l' * stub}{alignment}}}",
        r"\toprule",
        *_group_lines(grid),
        _line([*grid.stubs, *(column.heading for column in grid.columns)]),
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\footnotesize {escape(note)}." for note in grid.all_notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _group_lines(grid: Grid) -> Iterator[str]:
    """Yield the headings of groups with a rule below each, if there are groups."""
    if not any(group for group, _ in grid.groups):
        return
    stub = len(grid.stubs)
    cells = [rf"\multicolumn{{{columns}}}{{c}}{{{escape(group)}}}" for group, columns in grid.groups]
    yield " & ".join([""] * stub + cells).strip() + r" \\"
    first = stub + 1
    rules = []
    for group, columns in grid.groups:
        if group:
            rules.append(rf"\cmidrule(lr){{{first}-{first + columns - 1}}}")
        first += columns
    yield " ".join(rules)


def _line(cells: Sequence[str]) -> str:
    return " & ".join(map(escape, cells)) + r" \\"


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


def terminal_text(grids: Sequence[NamedGrid], form: CellForm, columns: int | None = None) -> str:
    """Return the tables for a terminal of this width; ``None``: as wide as they are."""
    texts: list[str] = []
    for named in grids:
        grid, table = named.grid, named.table(form)
        headings = (*grid.stubs, *(one_line(column.heading, 80) for column in grid.columns))
        groups = (*("" for _ in grid.stubs), *(one_line(column.group, 80) for column in grid.columns))
        lines = terminal.render_table(replace(table, headings=headings, note=""), columns, groups)
        note = wrap(f"({table.note})", columns or _COLUMNS_OF_NOTES) if table.note else []
        texts.append("\n".join([*lines, *note]))
    return "\n\n".join(texts) + "\n"


_COLUMNS_OF_NOTES = 120
"""Width of notes in a file or a pipe."""


def markdown_text(grids: Sequence[NamedGrid], form: CellForm) -> str:
    """Return the tables as Markdown, each below a heading."""
    parts = (f"### {markdown.escape(each.caption)}\n\n{markdown.render_table(each.table(form))}" for each in grids)
    return "\n\n".join(parts) + "\n"


def latex_text(grids: Sequence[NamedGrid], form: CellForm) -> str:
    """Return the tables as floats of LaTeX."""
    parts = (grid_latex(each.grid, caption=each.caption, label=each.label, form=form) for each in grids)
    return PREAMBLE + "\n".join(parts)


def csv_text(grids: Sequence[NamedGrid], _form: CellForm) -> str:
    """Return all cells of all tables below one line of headings."""
    return grid_csv([(each.caption, each.grid) for each in grids])


_FORMS_OF_FILES: Mapping[str, Callable[[Sequence[NamedGrid], CellForm], str]] = {
    "markdown": markdown_text,
    "latex": latex_text,
    "csv": csv_text,
}
FORMATS = ("terminal", *_FORMS_OF_FILES)


def grids_text(grids: Sequence[NamedGrid], form: CellForm, format_name: str, columns: int | None = None) -> str:
    """Return the tables in one of :data:`FORMATS`; ``columns`` is the width of a terminal, ``None`` for a file."""
    if format_name == "terminal":
        return terminal_text(grids, form, columns)
    return _FORMS_OF_FILES[format_name](grids, form)
