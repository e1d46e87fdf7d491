"""Forest plot: estimates with their intervals on one scale, a row each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_mcpbench.reporting.charts.axis import Axis, Scale, scale_of
from pytest_mcpbench.reporting.charts.figure import Drawing, Figure
from pytest_mcpbench.reporting.charts.labels import text_width
from pytest_mcpbench.reporting.charts.palette import series_class
from pytest_mcpbench.reporting.charts.shapes import horizontal_axis, marker, text
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.element import Element, element
from pytest_mcpbench.reporting.tables.table import filled_table
from pytest_mcpbench.statistics.intervals import Interval

_WIDTH = 340.0
_STEP = 40.0
_MARGIN = 16.0
_TEXT = 20.0
"""Height of the line of text in a row, which grid lines leave out."""
_DASHES = f"{_STEP - _TEXT:g} {_TEXT:g}"


@dataclass(frozen=True)
class ForestEstimate:
    """Value of one model, or one difference, with its interval."""

    name: str
    value: float | None
    """``None`` if it is unknown."""
    interval: Interval | None = None
    n: int | None = None
    """Denominator: attempts, or tasks, that the value is about."""
    kind: str | None = None
    """Colour class, such as ``fail``; the colour of the series by default."""
    series: int | None = None
    """Number of the series, from 0, whose colour and marker it has; by default that of the row."""
    known: str = ""
    """Text of what is known without a value, such as ``0 – 62 %``."""


def forest_plot(
    title: str, rows: Sequence[ForestEstimate], *, axis: Axis, reference: float | None = None, note: str = ""
) -> Figure:
    """Return a forest plot; the name of a row stands above its interval, with value and interval as text.

    Args:
        title: Subject of the chart.
        rows: Estimates from top to bottom.
        axis: Scale that all rows share.
        reference: Value with a line of its own, such as 0 for differences.
        note: Sentence below the title.
    """
    values = [value for row in rows for value in (row.value, *(row.interval or ()), reference)]
    scale = scale_of(axis, values, start=_MARGIN, end=_WIDTH - _MARGIN)
    bottom = _STEP * len(rows) + 4
    shapes = horizontal_axis(axis, scale, 4 + _TEXT, bottom, dashes=_DASHES)
    if reference is not None:
        x = scale(reference)
        shapes.append(element("line", x1=x, x2=x, y1=4 + _TEXT, y2=bottom, class_="axis", stroke_dasharray=_DASHES))
    for index, row in enumerate(rows):
        shapes += _row(index, row, _STEP * index + 4, axis, scale)
    table = filled_table(
        title,
        ("", axis.label or "value", "95 % interval", "n"),
        [
            (
                row.name,
                row.known or axis.print_value(row.value),
                axis.print_interval(row.interval),
                "" if row.n is None else number_formats.count(row.n),
            )
            for row in rows
        ],
        1,
    )
    names = ", ".join(row.name for row in rows)
    description = f"{len(rows)} estimates of {axis.label or title} with 95 % intervals: {names}."
    drawing = Drawing(_WIDTH, bottom + (40 if axis.label else 22), tuple(shapes))
    return Figure(title, description, drawing, table, note)


def _row(index: int, row: ForestEstimate, top: float, axis: Axis, scale: Scale) -> Iterator[Element]:
    words = row.known or axis.print_value(row.value)
    interval = axis.print_interval(row.interval)
    numbers = " · ".join(filter(None, (interval, f"n {row.n:,}" if row.n is not None else "")))
    about = f"{row.name}: {words} {numbers}".strip()
    wide, more = text_width(words) * 1.08, text_width(numbers, 12)
    yield text(row.name, 0, top + 15, kind="halo", space=_WIDTH - wide - more - 18)
    yield text(
        words,
        _WIDTH - more - 6,
        top + 15,
        anchor="end",
        kind="strong halo" if row.value is not None or row.known else "muted",
    )
    yield text(numbers, _WIDTH, top + 15, anchor="end", kind="muted small halo")
    y = top + 27
    series = index if row.series is None else row.series
    kind = row.kind or series_class(series)
    if row.interval is not None:
        low, high = map(scale, row.interval)
        yield element("line", x1=low, x2=high, y1=y, y2=y, class_=f"{kind} stroke")
        for x in (low, high):
            yield element("line", x1=x, x2=x, y1=y - 4, y2=y + 4, class_=f"{kind} stroke")
    if row.value is not None:
        yield marker(0 if row.kind else series, scale(row.value), y, about, kind=kind)
