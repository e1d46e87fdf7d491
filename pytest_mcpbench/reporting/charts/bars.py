"""Bar charts: one bar a row, groups of bars, stacked bars, and histograms."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pytest_mcpbench.reporting.charts.axis import UNKNOWN, Axis, Scale, number_axis, scale_of
from pytest_mcpbench.reporting.charts.figure import Drawing, Figure
from pytest_mcpbench.reporting.charts.labels import text_width
from pytest_mcpbench.reporting.charts.palette import series_class
from pytest_mcpbench.reporting.charts.radar import Series
from pytest_mcpbench.reporting.charts.shapes import (
    LINE,
    WIDTH,
    horizontal_axis,
    legend,
    text,
    tick_space,
    vertical_axis,
)
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.element import Element, element
from pytest_mcpbench.reporting.tables.table import Table

_BAR = 13.0
_PLOT_HEIGHT = 190.0


def bar_chart(title: str, categories: Sequence[str], series: Sequence[Series], *, axis: Axis, note: str = "") -> Figure:
    """Return horizontal bars that begin at 0: for each category its name and below it a bar of each series.

    With one series there is no legend. A value of 0 is a number without a bar; an unknown value is
    the word ``unknown`` or, for scores, ``n/a``.
    """
    top = 4.0
    key, key_height = legend([each.name for each in series], top, WIDTH) if len(series) > 1 else ((), 0.0)
    every = [value for each in series for value in each.values]
    widest = max((text_width(axis.print_value(value)) for value in every), default=0.0)
    scale = scale_of(axis, every, start=2, end=WIDTH - widest - 10)
    step = LINE + len(series) * (_BAR + 3) + 6
    shapes: list[Element] = []
    for row, category in enumerate(categories):
        y = top + key_height + step * row
        shapes.append(text(category, 2, y + 13, space=WIDTH - 4))
        for index, each in enumerate(series):
            shapes += _bar(
                index, each.values[row], y + LINE + index * (_BAR + 3), axis, scale, f"{each.name}, {category}"
            )
        # Beside the bars only: a line through all rows would cut the first letter of each name.
        shapes.append(element("line", x1=2, x2=2, y1=y + LINE - 2, y2=y + step - 6, class_="axis"))
    bottom = top + key_height + step * len(categories)
    if axis.label:
        shapes.append(text(axis.label, 2, bottom + 14, kind="muted small"))
    rows = tuple(
        (name, *(axis.print_value(each.values[row]) for each in series)) for row, name in enumerate(categories)
    )
    return Figure(
        title,
        f"Bars of {axis.label or 'values'} by {', '.join(categories)} for {', '.join(each.name for each in series)}.",
        Drawing(WIDTH, bottom + (20 if axis.label else 4), (*key, *shapes)),
        Table(title, ("", *(each.name for each in series)), rows),
        note,
    )


def stacked_bars(title: str, parts: Sequence[str], rows: Sequence[Series], *, note: str = "") -> Figure:
    """Return one horizontal bar a row that is divided into parts by their counts; the whole bar is 100 %.

    Args:
        title: Subject of the chart.
        parts: Names of the parts, from left to right.
        rows: Count of each part; unknown counts take no space.
        note: Sentence below the chart.
    """
    kinds = tuple(series_class(index) for index in range(len(parts)))
    key, key_height = _swatches(parts, kinds, 4)
    shapes: list[Element] = []
    step = LINE + 22 + 8
    for number, row in enumerate(rows):
        y = 4 + key_height + step * number
        total = sum(value or 0 for value in row.values)
        shapes.append(text(row.name, 0, y + 13, space=WIDTH - 80))
        shapes.append(text(f"n {total:g}", WIDTH, y + 13, anchor="end", kind="muted small"))
        shapes += _stack(row, parts, kinds, total, y + LINE)
    table_rows = tuple(
        (
            row.name,
            *(UNKNOWN if value is None else f"{value:g}" for value in row.values),
            f"{sum(value or 0 for value in row.values):g}",
        )
        for row in rows
    )
    return Figure(
        title,
        f"Bars divided into {', '.join(parts)} for {', '.join(row.name for row in rows)}.",
        Drawing(WIDTH, 4 + key_height + step * len(rows), (*key, *shapes)),
        Table(title, ("", *parts, "n"), table_rows),
        note,
    )


@dataclass(frozen=True)
class Bin:
    """Range of values and the number of them; ``low`` belongs to it, ``high`` only to the last bin."""

    low: float
    high: float
    count: int
    name: str = ""
    """Text for the range; its bounds by default."""

    def text(self, axis: Axis) -> str:
        """Return the range as words."""
        return self.name or f"{axis.text(self.low)} – {axis.text(self.high)}"


def bins_of(values: Sequence[float], edges: Sequence[float]) -> tuple[Bin, ...]:
    """Return the number of values between each two of the edges; values beyond the edges are an error."""
    if any(value < edges[0] or value > edges[-1] for value in values):
        raise ValueError(f"there are values beyond {edges[0]:g} to {edges[-1]:g}")
    last = len(edges) - 2
    return tuple(
        Bin(low, high, sum(low <= value < high or (index == last and value == high) for value in values))
        for index, (low, high) in enumerate(pairwise(edges))
    )


def whole_number_bins(values: Sequence[int], largest: int) -> tuple[Bin, ...]:
    """Return a bin for each whole number from 0 to the largest, in the middle of which the number is."""
    return tuple(Bin(number - 0.5, number + 0.5, values.count(number), str(number)) for number in range(largest + 1))


def histogram(title: str, bins: Sequence[Bin], *, axis: Axis, counted: str, note: str = "") -> Figure:
    """Return a histogram with the count above each bar.

    Args:
        title: Subject of the chart.
        bins: Adjacent ranges of values.
        axis: Meaning and format of the values.
        counted: Plural of what is counted.
        note: Sentence below the chart.
    """
    counts = number_axis(counted)
    upright = scale_of(counts, [each.count for each in bins], start=36 + _PLOT_HEIGHT, end=36)
    left = tick_space(counts, upright)
    axis = replace(axis, low=bins[0].low, high=bins[-1].high)
    across = scale_of(axis, [edge for each in bins for edge in (each.low, each.high)], start=left, end=WIDTH - 14)
    shapes = [
        *vertical_axis(counts, upright, left, WIDTH - 14),
        *horizontal_axis(axis, across, upright.start, upright.start),
    ]
    for each in bins:
        x, y, wide = across(each.low), upright(each.count), across(each.high) - across(each.low)
        about = element("title", f"{each.text(axis)}: {each.count}")
        shapes.append(
            element("rect", about, x=x + 0.5, y=y, width=max(wide - 1, 0.5), height=upright.start - y, class_="s1 bar")
        )
        if each.count and text_width(number_formats.count(each.count), 12) < wide:
            shapes.append(text(number_formats.count(each.count), x + wide / 2, y - 4, anchor="middle", kind="small"))
    shapes.append(element("line", x1=left, x2=WIDTH - 14, y1=upright.start, y2=upright.start, class_="axis"))
    rows = tuple((each.text(axis), number_formats.count(each.count)) for each in bins)
    total = sum(each.count for each in bins)
    return Figure(
        title,
        f"Histogram of {axis.label or title} with {len(bins)} bins; {total} {counted} in all.",
        Drawing(WIDTH, upright.start + 42, tuple(shapes)),
        Table(title, (axis.label or "range", counted), rows),
        note,
    )


def _bar(  # noqa: PLR0913 (each is a part of the bar)
    index: int, value: float | None, y: float, axis: Axis, scale: Scale, about: str
) -> Iterator[Element]:
    words = axis.print_value(value)
    end = scale.start
    if value:
        end = scale(value)
        hover = element("title", f"{about}: {words}")
        width = max(end - scale.start, 1)
        yield element(
            "rect", hover, x=scale.start, y=y, width=width, height=_BAR, rx=2, class_=f"{series_class(index)} bar"
        )
    yield text(words, end + 6, y + 11, kind=None if value else "muted")


def _stack(row: Series, parts: Sequence[str], kinds: Sequence[str], total: float, y: float) -> Iterator[Element]:
    x = 0.0
    for part, kind, value in zip(parts, kinds, row.values, strict=True):
        if not value:
            continue
        wide = WIDTH * value / total
        share = f"{value / total * 100:.0f} %"
        about = element("title", f"{row.name}, {part}: {value:g} of {total:g}, {share}")
        # Text must be readable on each colour of the series, of which some are bright and some are dark.
        is_series = kind.startswith("s")
        look = f"{kind} tint" if is_series else f"{kind} bar"
        yield element("rect", about, x=x + 0.5, y=y, width=max(wide - 1.5, 0.5), height=22, class_=look)
        if text_width(share) + 6 < wide:
            yield text(share, x + wide / 2, y + 15.5, anchor="middle", kind=None if is_series else "on")
        x += wide


def _swatches(names: Sequence[str], kinds: Sequence[str], y: float) -> tuple[tuple[Element, ...], float]:
    shapes: list[Element] = []
    x, line = 0.0, 0
    for name, kind in zip(names, kinds, strict=True):
        space = 18 + text_width(name) + 12
        if x and x + space - 12 > WIDTH:
            x, line = 0.0, line + 1
        base = y + LINE * line + 13
        shapes += [element("rect", x=x, y=base - 10, width=11, height=11, rx=2, class_=f"{kind} bar")]
        shapes += [text(name, x + 16, base, space=WIDTH - 24)]
        x += space
    return tuple(shapes), LINE * (line + 1) + 6 if names else 0.0
