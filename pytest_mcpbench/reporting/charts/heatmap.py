"""Heatmap: a value for each row and column, printed in its cell, whose colour is stronger the higher the value is."""

from collections.abc import Iterator, Sequence

from pytest_mcpbench.reporting.charts.axis import Axis, scale_of
from pytest_mcpbench.reporting.charts.figure import Drawing, Figure
from pytest_mcpbench.reporting.charts.labels import text_width
from pytest_mcpbench.reporting.charts.shapes import text
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.element import Element, element
from pytest_mcpbench.reporting.tables.table import Table

_NARROWEST_LABELS, _WIDEST_LABELS = 132.0, 260.0
_LONGEST_HEADING = 150.0
_CELL_HEIGHT = 26.0
_NARROWEST, _WIDEST = 58.0, 96.0
_SLANTED_FROM = 5
"""Number of columns from which their names are slanted."""
STRONGEST = 0.5
"""Opacity of the highest value: text in the colour of ink is readable on it, on light and on dark paper."""

Cells = Sequence[Sequence[float | None]]


def heatmap(  # noqa: PLR0913 (each is a part of the chart)
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Cells,
    *,
    axis: Axis,
    counts: Sequence[Sequence[int]] | None = None,
    note: str = "",
) -> Figure:
    """Return a heatmap with one row of ``values`` for each of ``rows``; ``counts`` are their denominators."""
    labels = min(_WIDEST_LABELS, max([_NARROWEST_LABELS, *(text_width(name) + 12 for name in rows)]))
    wide = min(_WIDEST, max(_NARROWEST, (440 - labels) / max(1, len(columns))))
    is_slanted = len(columns) >= _SLANTED_FROM
    longest = max(map(text_width, columns), default=0.0)
    # Slanted by 40 degrees, a name rises by two thirds of its length.
    top = 18 + min(_LONGEST_HEADING, longest) * 0.65 if is_slanted else 26.0
    overhang = min(_LONGEST_HEADING, longest) * 0.77 if is_slanted else 0.0
    width = labels + wide * len(columns) + max(0.0, overhang - wide / 2)
    scale = scale_of(axis, [value for row in values for value in row], start=0, end=STRONGEST)
    shapes = list(_headings(columns, labels, wide, top, is_slanted=is_slanted))
    table_rows: list[tuple[str, ...]] = []
    for index, name in enumerate(rows):
        y = top + _CELL_HEIGHT * index
        shapes.append(text(name, labels - 8, y + 17.5, anchor="end", space=labels - 10))
        numbers: list[str] = []
        for number, value in enumerate(values[index]):
            # Cells have little markup: reports have thousands of them.
            x = labels + wide * number
            shade = 0.0 if value is None else scale(value)
            words = "–" if value is None else axis.text(value)
            if shade:
                opacity = f"{shade:.2f}"
                shapes.append(
                    element("rect", x=x, y=y, width=wide, height=_CELL_HEIGHT, class_="cell", fill_opacity=opacity)
                )
            size = "cell small" if text_width(words) > wide - 4 else "cell"
            shapes.append(text(words, x + wide / 2, y + 17.5, kind=size))
            numbers.append(axis.print_value(value))
            if counts:
                numbers.append(number_formats.count(counts[index][number]))
        table_rows.append((name, *numbers))
    table = Table(
        title,
        ("", *(heading for column in columns for heading in ((column, "n") if counts else (column,)))),
        tuple(table_rows),
    )
    description = f"Heatmap of {axis.label or title} with rows {', '.join(rows)} and columns {', '.join(columns)}."
    return Figure(title, description, Drawing(width, top + _CELL_HEIGHT * len(rows) + 4, tuple(shapes)), table, note)


def _headings(columns: Sequence[str], labels: float, wide: float, top: float, *, is_slanted: bool) -> Iterator[Element]:
    for index, name in enumerate(columns):
        x = labels + wide * (index + 0.5)
        if is_slanted:
            turned = element(
                "g",
                text(name, 0, 0, kind="muted", space=_LONGEST_HEADING),
                transform=f"translate({x:.1f} {top - 8:.1f}) rotate(-40)",
            )
            yield turned
        else:
            yield text(name, x, top - 9, anchor="middle", kind="muted", space=wide - 4)
