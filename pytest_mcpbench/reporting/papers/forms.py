"""Texts of the tables and figures of a paper, in each format."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pytest_mcpbench.reporting import grid_forms
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.grid import CellForm, Grid
from pytest_mcpbench.reporting.grid_forms import NamedGrid
from pytest_mcpbench.reporting.page.document import page
from pytest_mcpbench.reporting.page.section import Section, table_markup
from pytest_mcpbench.reporting.papers.item import Item, Paper

SUFFIXES = {"terminal": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv", "html": ".html"}
"""Format -> end of the names of files."""
_HTML = "html"


@dataclass(frozen=True)
class BuiltItem:
    """A table or figure with its numbers; some figures have a grid for each of their parts."""

    paper: Paper
    item: Item
    grids: tuple[Grid, ...]

    @property
    def named(self) -> tuple[NamedGrid, ...]:
        """Return each grid with a caption that names paper and table."""
        name = f"{self.paper.name}, {self.item.name}"
        return tuple(
            NamedGrid(f"{name}: {grid.title}", self._label(number), grid) for number, grid in enumerate(self.grids, 1)
        )

    def pictures(self) -> tuple[Figure, ...]:
        """Return the charts of a figure; a table has none, and some figures have none."""
        draw = self.item.draw
        return tuple(picture for grid in self.grids for picture in draw(grid)) if draw else ()

    def _label(self, number: int) -> str:
        part = f"-{number}" if len(self.grids) > 1 else ""
        return f"{self.item.kind[:3]}:{self.paper.suite}-{self.item.number}{part}"


def text(items: Sequence[BuiltItem], form: CellForm, format_name: str) -> str:
    """Return the tables and figures in one of the formats of :data:`SUFFIXES`."""
    if format_name == _HTML:
        return _page(items, form)
    return grid_forms.FORMS[format_name]([each for item in items for each in item.named], form)


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


def _page(items: Sequence[BuiltItem], form: CellForm) -> str:
    """Return a page with the tables and charts, which needs no other file."""
    sections = [
        Section(item.item.slug, f"{item.item.name}: {item.item.title}", Markup().join(_parts(item, form)))
        for item in items
    ]
    title = f"{items[0].paper.name}: tables and figures" if items else "mcpbench"
    return "".join(page(title=title, sections=sections))


def _parts(item: BuiltItem, form: CellForm) -> Iterator[Markup]:
    for picture in item.pictures():
        yield picture.html()
    for each in item.named:
        yield table_markup(each.table(form))


def _origin(item: Item) -> str:
    return f"not in records: {item.computed}" if item.build is None else f"from {item.computed}"
