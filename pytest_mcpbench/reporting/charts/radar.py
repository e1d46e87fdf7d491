"""Radar chart: several values from 0 to a maximum, one axis each, one polygon a series (MCP-RADAR, Figure 4)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_mcpbench.reporting.charts.axis import Axis, score_axis
from pytest_mcpbench.reporting.charts.figure import Drawing, Figure
from pytest_mcpbench.reporting.charts.labels import text_width, wrapped_lines
from pytest_mcpbench.reporting.charts.palette import series_class
from pytest_mcpbench.reporting.charts.shapes import LINE, WIDTH, Point, legend, marker, points, polyline, text
from pytest_mcpbench.reporting.forms.element import Element, element
from pytest_mcpbench.reporting.tables.table import Table

FEWEST_AXES = 3
_RINGS = 4


@dataclass(frozen=True)
class Series:
    """Values of one model, in the order of the axes or categories; ``None`` is unknown."""

    name: str
    values: tuple[float | None, ...]


def radar_chart(
    title: str, axes: Sequence[str], series: Sequence[Series], *, axis: Axis | None = None, note: str = ""
) -> Figure:
    """Return a radar chart; every axis goes from 0 in the centre to the axis's highest value.

    Where a value is unknown, the polygon is open.

    Args:
        title: Subject of the chart.
        axes: At least three names, clockwise from the top.
        series: One polygon each, with one value per axis.
        axis: Format and highest value of all axes; scores from 0 to 1 by default.
        note: Sentence below the chart.
    """
    if len(axes) < FEWEST_AXES:
        raise ValueError(f"a radar chart has at least {FEWEST_AXES} axes, not {len(axes)}; draw bars instead")
    for each in series:
        if len(each.values) != len(axes):
            raise ValueError(f"{each.name} has {len(each.values)} values for {len(axes)} axes")
    common = axis or score_axis("")
    web = _Web(axes, common.high or 1.0)
    key, height = legend([each.name for each in series], web.bottom + 8, WIDTH)
    shapes = [*web.shapes(common), *(shape for index, each in enumerate(series) for shape in web.area(index, each))]
    shapes += [shape for index, each in enumerate(series) for shape in web.markers(index, each, common)]
    table = Table(
        title,
        ("", *(each.name for each in series)),
        tuple((name, *(common.print_value(each.values[index]) for each in series)) for index, name in enumerate(axes)),
    )
    description = (
        f"Radar chart with the axes {', '.join(axes)}, from 0 in the centre to {common.text(web.maximum)} at the rim; "
        f"one polygon each for {', '.join(each.name for each in series)}."
    )
    return Figure(title, description, Drawing(WIDTH, web.bottom + 8 + height, (*shapes, *key)), table, note)


class _Web:
    """Geometry of the axes around a centre."""

    def __init__(self, axes: Sequence[str], maximum: float) -> None:
        self.maximum = maximum
        self._axes = axes
        self._labels = [wrapped_lines(name, 112, lines=3) for name in axes]
        self._radius = 116.0
        self._centre = (WIDTH / 2, self._radius + LINE * len(self._labels[0]) + 8)
        lowest = self._labels[len(axes) // 2 : (len(axes) + 1) // 2 + 1]
        rim = self._centre[1] - math.cos(2 * math.pi * (len(axes) // 2) / len(axes)) * self._radius
        self.bottom = rim + LINE * max(len(lines) for lines in lowest) + 8

    def place(self, index: int, share: float) -> Point:
        """Return the place on an axis at this share of the radius."""
        angle = 2 * math.pi * index / len(self._axes)
        x, y = self._centre
        return x + math.sin(angle) * self._radius * share, y - math.cos(angle) * self._radius * share

    def shapes(self, axis: Axis) -> Iterator[Element]:
        """Yield rings, spokes, the values of the rings and the names of the axes."""
        every = range(len(self._axes))
        for ring in range(1, _RINGS + 1):
            rim = points(self.place(index, ring / _RINGS) for index in every)
            yield element("polygon", points=rim, class_="grid")
        for index in every:
            x, y = self.place(index, 1)
            yield element("line", x1=self._centre[0], y1=self._centre[1], x2=x, y2=y, class_="grid")
            yield from self._label(index)
        for ring in range(1, _RINGS + 1):
            x, y = self.place(0, ring / _RINGS)
            yield text(axis.tick_text(self.maximum * ring / _RINGS), x + 4, y + 12, kind="muted small halo")

    def area(self, index: int, series: Series) -> Iterator[Element]:
        """Yield the polygon of a series, open where a value is unknown."""
        places = self._places(series)
        kind = series_class(index)
        if all(place is not None for place in places):
            closed = [place for place in places if place is not None]
            yield element("polygon", points=points(closed), class_=f"{kind} area")
            yield polyline([*closed, closed[0]], f"{kind} stroke")
            return
        for start, end in zip(places, [*places[1:], places[0]], strict=True):
            if start is not None and end is not None:
                yield polyline([start, end], f"{kind} stroke")

    def markers(self, index: int, series: Series, axis: Axis) -> Iterator[Element]:
        """Yield a marker for each known value."""
        for name, value, place in zip(self._axes, series.values, self._places(series), strict=True):
            if place is not None:
                yield marker(index, *place, f"{series.name}, {name}: {axis.print_value(value)}", size=3.5)

    def _places(self, series: Series) -> list[Point | None]:
        return [
            None if value is None else self.place(index, min(max(value / self.maximum, 0), 1))
            for index, value in enumerate(series.values)
        ]

    def _label(self, index: int) -> Iterator[Element]:
        lines = self._labels[index]
        x, y = self.place(index, 1.1)
        side = x - self._centre[0]
        anchor = "middle" if abs(side) < 12 else "start" if side > 0 else "end"
        is_above = y < self._centre[1] - self._radius * 0.9
        is_below = y > self._centre[1] + self._radius * 0.9
        first = (
            y - LINE * (len(lines) - 1) - 2 if is_above else y + 12 if is_below else y + 4 - LINE * (len(lines) - 1) / 2
        )
        longest = max(text_width(line) for line in lines)
        x = min(max(x, longest if anchor == "end" else 0), WIDTH - longest if anchor == "start" else WIDTH)
        for number, line in enumerate(lines):
            yield text(line, x, first + LINE * number, anchor=anchor)
