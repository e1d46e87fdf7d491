"""Tables and figures of a paper: how each is computed, or why records do not have it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.page.document import page
from pytest_mcpbench.reporting.papers.experiment import Experiment
from pytest_mcpbench.reporting.tables.grid import CellForm, Grid
from pytest_mcpbench.reporting.tables.section import Section, table_markup
from pytest_mcpbench.reporting.texts import grid_forms
from pytest_mcpbench.reporting.texts.grid_forms import NamedGrid

Kind = Literal["table", "figure"]
Draw = Callable[[Grid], Sequence[Figure]]
"""Function that draws the numbers of a grid, in one chart or several."""


@dataclass(frozen=True)
class PaperItem:
    """A table or figure of a paper."""

    kind: Kind
    number: str
    title: str
    computed: str
    """What it is computed from; where records do not have it, why."""
    build: Callable[[Experiment], Sequence[Grid]] | None = None
    """``None``: records do not have it."""
    draw: Draw | None = None
    """``None``: there is no picture of it."""
    uses_labels: bool = False
    """Whether labels of people change it."""

    @property
    def name(self) -> str:
        """Return the name in messages, such as ``Table 2``."""
        return f"{self.kind.capitalize()} {self.number}"

    @property
    def slug(self) -> str:
        """Return the name in files, such as ``table-2``."""
        return f"{self.kind}-{self.number}"


@dataclass(frozen=True)
class Paper:
    """A paper with its tables and figures, in its order."""

    suite: str
    name: str
    reference: str
    items: tuple[PaperItem, ...]


def table(
    number: str,
    title: str,
    computed: str,
    build: Callable[[Experiment], Sequence[Grid]],
    *,
    uses_labels: bool = False,
) -> PaperItem:
    """Return a table that records have."""
    return PaperItem("table", number, title, computed, build, uses_labels=uses_labels)


def figure(
    number: str, title: str, computed: str, build: Callable[[Experiment], Sequence[Grid]], draw: Draw | None = None
) -> PaperItem:
    """Return a figure that records have."""
    return PaperItem("figure", number, title, computed, build, draw)


def missing(kind: Kind, number: str, title: str, reason: str) -> PaperItem:
    """Return a table or figure that records do not have."""
    return PaperItem(kind, number, title, reason)


# Texts of the tables and figures of a paper, in each format.

SUFFIXES = {"terminal": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv", "html": ".html"}
"""Format -> end of the names of files."""
_HTML = "html"


@dataclass(frozen=True)
class BuiltItem:
    """A table or figure with its numbers; some figures have a grid for each of their parts."""

    paper: Paper
    item: PaperItem
    grids: tuple[Grid, ...]

    @property
    def named(self) -> tuple[NamedGrid, ...]:
        """Return each grid with a caption that names paper and table."""
        name = f"{self.paper.name}, {self.item.name}"
        label = f"{self.item.kind[:3]}:{self.paper.suite}-{self.item.number}"
        return tuple(
            NamedGrid(f"{name}: {grid.title}", f"{label}-{number}" if len(self.grids) > 1 else label, grid)
            for number, grid in enumerate(self.grids, 1)
        )

    def pictures(self) -> tuple[Figure, ...]:
        """Return the charts of a figure; a table has none, and some figures have none."""
        draw = self.item.draw
        return tuple(picture for grid in self.grids for picture in draw(grid)) if draw else ()


def text(items: Sequence[BuiltItem], form: CellForm, format_name: str, columns: int | None = None) -> str:
    """Return the tables and figures in one of the formats of :data:`SUFFIXES`; ``columns`` is a terminal's width."""
    if format_name == _HTML:
        sections: list[Section] = []
        for item in items:
            pictures = [picture.html() for picture in item.pictures()]
            tables = [table_markup(each.table(form)) for each in item.named]
            heading = f"{item.item.name}: {item.item.title}"
            sections.append(Section(item.item.slug, heading, Markup().join([*pictures, *tables])))
        title = f"{items[0].paper.name}: tables and figures" if items else "mcpbench"
        return "".join(page(title=title, sections=sections))
    return grid_forms.grids_text([each for item in items for each in item.named], form, format_name, columns)


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
    for item in paper.items:
        origin = f"not in records: {item.computed}" if item.build is None else f"from {item.computed}"
        lines.append(f"  {item.name}: {item.title} – {origin}")
    return "\n".join(lines) + "\n"
