"""Texts of the tables and figures of a paper, in each format."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from pytest_mcpbench.reporting import csv, latex, markdown, terminal
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.grid import CellForm, Grid, as_table
from pytest_mcpbench.reporting.page.document import page
from pytest_mcpbench.reporting.page.section import Section, table_markup
from pytest_mcpbench.reporting.papers.item import Item, Paper
from pytest_mcpbench.reporting.table import Table

SUFFIXES = {"terminal": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv", "html": ".html"}
"""Format -> end of the names of files."""


@dataclass(frozen=True)
class BuiltItem:
    """A table or figure with its numbers; some figures have a grid for each of their parts."""

    paper: Paper
    item: Item
    grids: tuple[Grid, ...]

    @property
    def captioned(self) -> tuple[tuple[str, Grid], ...]:
        """Return each grid with a caption that names paper and table."""
        name = f"{self.paper.name}, {self.item.name}"
        return tuple((f"{name}: {grid.title}", grid) for grid in self.grids)

    def tables(self, form: CellForm) -> tuple[Table, ...]:
        """Return the grids as tables of text."""
        return tuple(replace(as_table(grid, form), title=caption) for caption, grid in self.captioned)

    def pictures(self) -> tuple[Figure, ...]:
        """Return the charts of a figure; a table has none, and some figures have none."""
        draw = self.item.draw
        return tuple(map(draw, self.grids)) if draw else ()


def terminal_text(items: Sequence[BuiltItem], form: CellForm) -> str:
    """Return the tables for a terminal."""
    tables = (table for item in items for table in item.tables(form))
    return "\n\n".join("\n".join(terminal.render_table(table)) for table in tables) + "\n"


def markdown_text(items: Sequence[BuiltItem], form: CellForm) -> str:
    """Return the tables as Markdown, each below a heading."""
    tables = (table for item in items for table in item.tables(form))
    return "\n\n".join(f"### {markdown.escape(each.title)}\n\n{markdown.render_table(each)}" for each in tables) + "\n"


def latex_text(items: Sequence[BuiltItem], form: CellForm) -> str:
    """Return the tables as floats of LaTeX."""
    parts = [
        latex.text(grid, caption=caption, label=_label(item, number), form=form)
        for item in items
        for number, (caption, grid) in enumerate(item.captioned, 1)
    ]
    return latex.PREAMBLE + "\n".join(parts)


def csv_text(items: Sequence[BuiltItem], _form: CellForm) -> str:
    """Return all cells of all tables below one line of headings."""
    return csv.text([each for item in items for each in item.captioned])


def html_text(items: Sequence[BuiltItem], form: CellForm) -> str:
    """Return a page with the tables and charts, which needs no other file."""
    title = f"{items[0].paper.name}: tables and figures" if items else "mcpbench"
    sections = [
        Section(item.item.slug, f"{item.item.name}: {item.item.title}", Markup().join(_parts(item, form)))
        for item in items
    ]
    return "".join(page(title=title, sections=sections))


Write = Callable[[Sequence[BuiltItem], CellForm], str]
FORMS: Mapping[str, Write] = {
    "terminal": terminal_text,
    "markdown": markdown_text,
    "latex": latex_text,
    "csv": csv_text,
    "html": html_text,
}


def picture_files(items: Iterable[BuiltItem]) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of an SVG file for each chart."""
    for item in items:
        pictures = item.pictures()
        for number, picture in enumerate(pictures, 1):
            part = f"-{number}" if len(pictures) > 1 else ""
            yield f"{item.paper.suite}-{item.item.slug}{part}.svg", picture.file()


def listing(paper: Paper) -> str:
    """Return a line for each table and figure of a paper: what it is computed from, or why records do not have it."""
    lines = [f"{paper.name} ({paper.reference})"]
    lines += [f"  {item.name}: {item.title} – {_origin(item)}" for item in paper.items]
    return "\n".join(lines) + "\n"


def _origin(item: Item) -> str:
    return f"not in records: {item.computed}" if item.build is None else f"from {item.computed}"


def _parts(item: BuiltItem, form: CellForm) -> Iterator[Markup]:
    for picture in item.pictures():
        yield picture.html()
    for table in item.tables(form):
        yield table_markup(table)


def _label(item: BuiltItem, number: int) -> str:
    part = f"-{number}" if len(item.grids) > 1 else ""
    return f"{item.item.kind[:3]}:{item.paper.suite}-{item.item.number}{part}"
