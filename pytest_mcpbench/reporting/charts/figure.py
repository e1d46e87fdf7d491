"""Figure of a report: a chart, its description, and the table of its numbers, which cannot be left out."""

import hashlib
from dataclasses import dataclass

from markupsafe import Markup

from pytest_mcpbench.reporting.charts.palette import file_style
from pytest_mcpbench.reporting.forms.element import Element, Node, element
from pytest_mcpbench.reporting.tables.section import table_markup
from pytest_mcpbench.reporting.tables.table import Table

LEAST_SCALE = 0.78
"""Smallest factor to which a page shrinks a chart, at which its text has 10 pixels; then its box scrolls."""

_HALF_OF_PAPER = 520.0
"""Width from which a chart is printed over the whole width of the paper."""


@dataclass(frozen=True)
class Drawing:
    """Shapes on a canvas."""

    width: float
    height: float
    shapes: tuple[Node, ...]


@dataclass(frozen=True)
class Figure:
    """Chart with its title, its description for those who do not see it, and the table behind it."""

    title: str
    description: str
    drawing: Drawing
    table: Table
    note: str = ""
    """Sentence below the chart, such as the meaning of intervals."""

    def svg(self, place: str = "") -> Element:
        """Return the chart as an element of a page that has :func:`~.palette.chart_style`."""
        size = f"width:100%;max-width:{self.drawing.width:g}px;min-width:{self.drawing.width * LEAST_SCALE:.0f}px"
        return self._svg(place, class_="chart", style=size)

    def file(self) -> str:
        """Return the chart as the content of an SVG file, with its own colours for light and dark screens."""
        background = element("rect", class_="paper", width="100%", height="100%")
        picture = self._svg(
            "",
            element("style", Markup(file_style())),
            background,
            xmlns="http://www.w3.org/2000/svg",
            width=self.drawing.width,
            height=self.drawing.height,
        )
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{picture}\n'

    def html(self, place: str = "", *, is_alone: bool = False) -> Markup:
        """Return the chart with its title and its table, for a page.

        ``place`` is the id of the section: with it, equal charts of two sections have different ids. A figure that is
        alone in its row or tab has its numbers open beside it, if it leaves room for them.
        """
        title = element("figcaption", element("strong", self.title), element("span", self.note) if self.note else None)
        numbers = element(
            "details",
            element("summary", "Numbers"),
            table_markup(self.table),
            class_="numbers",
            open="" if is_alone and not self._is_wide else None,
        )
        chart = element("div", self.svg(place), class_="scroll", tabindex="0", role="group", aria_label=self.title)
        return element("figure", title, chart, numbers, class_=f"chart-figure{' wide' * self._is_wide}").markup

    @property
    def _is_wide(self) -> bool:
        return self.drawing.width > _HALF_OF_PAPER

    def _svg(self, place: str, *before: Node, **attributes: str | float) -> Element:
        # A prefix of ids that follows from place and content, so that no id is twice in a page.
        content = repr((place, self.title, self.description, self.table))
        key = "c" + hashlib.sha256(content.encode()).hexdigest()[:8]
        return element(
            "svg",
            element("title", self.title, id=f"{key}t"),
            element("desc", self.description, id=f"{key}d"),
            *before,
            *self.drawing.shapes,
            viewBox=f"0 0 {self.drawing.width:g} {self.drawing.height:g}",
            role="img",
            aria_labelledby=f"{key}t {key}d",
            **attributes,
        )
