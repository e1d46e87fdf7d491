"""Line chart: a value over a number such as the limit of rounds, one curve a model, with bands of uncertainty."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pytest_mcpbench.reporting.charts.axis import Axis, Scale, scale_of, with_ticks
from pytest_mcpbench.reporting.charts.figure import Drawing, Figure
from pytest_mcpbench.reporting.charts.labels import fitted_text, spread, text_width
from pytest_mcpbench.reporting.charts.palette import series_class
from pytest_mcpbench.reporting.charts.shapes import (
    WIDTH,
    horizontal_axis,
    marker,
    points,
    polyline,
    text,
    tick_space,
    vertical_axis,
)
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.element import Element, element
from pytest_mcpbench.reporting.tables.table import Table, filled_table
from pytest_mcpbench.statistics.intervals import Interval

_TOP = 30.0
_HEIGHT = 210.0
_WIDEST_LABEL = 120.0
_MOST_TICKS = 8


@dataclass(frozen=True)
class CurvePoint:
    """Value at one place, with its interval and the number of tasks or attempts behind it."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    words: str = ""
    """Text in place of that of ``y``, as of a range that is drawn at its middle."""
    is_apart: bool = False
    """True for a value of another kind, which has a hollow marker and is not joined with the others."""


@dataclass(frozen=True)
class Curve:
    """Values of one model, by ascending ``x``."""

    name: str
    points: tuple[CurvePoint, ...]


def line_chart(title: str, curves: Sequence[Curve], *, x: Axis, y: Axis, note: str = "") -> Figure:
    """Return curves with their names at their ends; an unknown value interrupts a curve."""
    every = [point for curve in curves for point in curve.points]
    places = sorted({point.x for point in every})
    if x.ticks is None and len(places) <= _MOST_TICKS:
        x = with_ticks(x, places)
    values = [value for point in every for value in (point.y, point.low, point.high)]
    upright = scale_of(y, values, start=_TOP + _HEIGHT, end=_TOP)
    left = tick_space(y, upright)
    names = [fitted_text(curve.name, _WIDEST_LABEL) for curve in curves]
    right = max((text_width(name) for name in names), default=0) + 28
    across = scale_of(x, places, start=left + 8, end=WIDTH - right)
    shapes = [
        *vertical_axis(y, upright, left, WIDTH - right),
        *horizontal_axis(x, across, upright.start, upright.start + 4),
    ]
    # The bands of all curves lie below the curves.
    for index, curve in enumerate(curves):
        known = [each for each in curve.points if each.low is not None and not each.is_apart]
        lower = [(across(each.x), upright(each.low)) for each in known if each.low is not None]
        upper = [(across(each.x), upright(each.high)) for each in known if each.high is not None]
        if len(lower) > 1:
            band = points([*lower, *reversed(upper)])
            shapes.append(element("polygon", points=band, class_=f"{series_class(index)} area"))
    shapes += [shape for index, curve in enumerate(curves) for shape in _curve(index, curve, across, upright, (x, y))]
    shapes += _end_labels(curves, across, upright)
    return Figure(
        title,
        f"Curves of {y.label} over {x.label} for {', '.join(curve.name for curve in curves)}.",
        Drawing(WIDTH, upright.start + 44, tuple(shapes)),
        _table(title, curves, x, y),
        note,
    )


def _table(title: str, curves: Sequence[Curve], x: Axis, y: Axis) -> Table:
    rows = tuple(
        (
            curve.name,
            x.text(point.x),
            point.words or y.print_value(point.y),
            y.print_interval(None if point.low is None or point.high is None else Interval(point.low, point.high)),
            "" if point.n is None else number_formats.count(point.n),
        )
        for curve in curves
        for point in curve.points
    )
    return filled_table(title, ("", x.label, y.label, "95 % interval", "n"), rows, 1)


def _curve(index: int, curve: Curve, across: Scale, upright: Scale, axes: tuple[Axis, Axis]) -> Iterator[Element]:
    # An unknown value interrupts the line; points apart are not connected.
    connected = (each for each in curve.points if not each.is_apart)
    for _, run in groupby(connected, key=lambda each: each.y is not None):
        places = [(across(point.x), upright(point.y)) for point in run if point.y is not None]
        if len(places) > 1:
            yield polyline(places, f"{series_class(index)} stroke")
    for point in curve.points:
        if point.y is not None:
            about = (
                f"{curve.name}, {axes[0].label} {axes[0].text(point.x)}: {point.words or axes[1].print_value(point.y)}"
            )
            yield marker(index, across(point.x), upright(point.y), about, size=4, is_hollow=point.is_apart)


def _end_labels(curves: Sequence[Curve], across: Scale, upright: Scale) -> Iterator[Element]:
    """Yield the markers and names of the curves beside their last known values, moved apart where they would overlap.

    A line leads from a label that was moved to its point, unless that is at an earlier place.
    """
    ends = ((index, [point for point in curve.points if point.y is not None]) for index, curve in enumerate(curves))
    last = [(index, known[-1]) for index, known in ends if known]
    wanted = [upright(point.y) for _, point in last if point.y is not None]
    for (index, point), y, place in zip(last, wanted, spread(wanted, 16, upright.end, upright.start), strict=True):
        if abs(place - y) > 4 and across(point.x) > across.end - 10:
            yield polyline([(across(point.x) + 5, y), (across.end + 10, place)], "neutral leader")
        yield marker(index, across.end + 16, place, "", size=4)
        yield text(curves[index].name, across.end + 24, place + 4.5, space=_WIDEST_LABEL)
