"""Scatter plot of a value that should be high against one that should be low, with the Pareto front."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pytest_mcpbench.reporting.charts.axis import Axis, Scale, scale_of
from pytest_mcpbench.reporting.charts.figure import Drawing, Figure
from pytest_mcpbench.reporting.charts.labels import fitted_text, text_width
from pytest_mcpbench.reporting.charts.palette import series_class
from pytest_mcpbench.reporting.charts.shapes import (
    WIDTH,
    Point,
    horizontal_axis,
    marker,
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
_HEIGHT = 220.0
_LONGEST_NAME = 150.0
_STEPS = (0.0, 20.0, 40.0, 60.0)
"""Distances at which names are tried that have no room beside their points."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class ScatterPoint:
    """Model with its price and its quality; a point without one of them is in the table only."""

    name: str
    x: float | None
    """Value that should be low, such as cost or time."""
    y: float | None
    """Value that should be high, such as the pass rate."""
    interval: Interval | None = None
    """Interval of ``y``."""
    n: int | None = None


def pareto_front(points: Sequence[ScatterPoint]) -> tuple[ScatterPoint, ...]:
    """Return the points that no other one beats in one value without losing in the other, by ascending ``x``."""
    known = [each for each in points if each.x is not None and each.y is not None]
    ordered = sorted(known, key=lambda each: (each.x or 0, -(each.y or 0)))
    front: list[ScatterPoint] = []
    for each in ordered:
        if not front or (each.y or 0) > (front[-1].y or 0) or (each.x, each.y) == (front[-1].x, front[-1].y):
            front.append(each)
    return tuple(front)


def scatter_plot(title: str, points: Sequence[ScatterPoint], *, x: Axis, y: Axis, note: str = "") -> Figure:
    """Return a scatter plot with intervals of ``y``, names beside the points, and the Pareto front as a dashed line."""
    drawn = [(index, each) for index, each in enumerate(points) if each.x is not None and each.y is not None]
    front = pareto_front(points)
    values = [value for _, each in drawn for value in (each.y, *(each.interval or ()))]
    upright = scale_of(y, values, start=_TOP + _HEIGHT, end=_TOP)
    left = tick_space(y, upright)
    across = scale_of(x, [each.x for _, each in drawn], start=left + 6, end=WIDTH - 16)
    shapes = [
        *vertical_axis(y, upright, left, WIDTH - 8),
        *horizontal_axis(x, across, upright.start, upright.start + 4),
    ]
    # The front is drawn as steps: from a point to the right until a better one.
    best_places = [(across(each.x), upright(each.y)) for each in front if each.x is not None and each.y is not None]
    corners = best_places[:1]
    for (_, before), place in pairwise(best_places):
        corners += [(place[0], before), place]
    if corners:
        corners.append((across.end + 8, best_places[-1][1]))
        shapes.append(polyline(corners, "axis dashed"))
    for index, each in drawn:
        shapes += _point(index, each, (x, y), (across, upright))
    shapes += _names([each for _, each in drawn], corners, across, upright)
    missing = [each.name for each in points if each.x is None or each.y is None]
    if missing:
        note = " ".join(filter(None, (note, f"Not drawn, because a value is unknown: {', '.join(missing)}.")))
    if not drawn:
        middle = (left + WIDTH) / 2
        shapes.append(text("no model has both values", middle, _TOP + _HEIGHT / 2, anchor="middle", kind="muted"))
    best = ", ".join(each.name for each in front) or "no point"
    description = f"Scatter plot of {y.label} over {x.label}; on the Pareto front: {best}."
    return Figure(
        title, description, Drawing(WIDTH, upright.start + 44, tuple(shapes)), _table(title, points, x, y), note
    )


def _table(title: str, points: Sequence[ScatterPoint], x: Axis, y: Axis) -> Table:
    front = {id(each) for each in pareto_front(points)}
    rows = tuple(
        (
            each.name,
            x.print_value(each.x),
            y.print_value(each.y),
            y.print_interval(each.interval),
            "" if each.n is None else number_formats.count(each.n),
            "yes" if id(each) in front else "no" if each.x is not None and each.y is not None else "unknown",
        )
        for each in points
    )
    return filled_table(title, ("", x.label, y.label, "95 % interval", "n", "on the front"), rows, 1)


def _point(index: int, each: ScatterPoint, axes: tuple[Axis, Axis], scales: tuple[Scale, Scale]) -> Iterator[Element]:
    if each.x is None or each.y is None:
        return
    across, upright = scales
    x, y = across(each.x), upright(each.y)
    if each.interval is not None:
        low, high = map(upright, each.interval)
        yield element("line", x1=x, x2=x, y1=low, y2=high, class_=f"{series_class(index)} stroke")
    yield marker(index, x, y, f"{each.name}: {axes[1].print_value(each.y)}, {axes[0].print_value(each.x)}", size=5.5)


def _names(drawn: Sequence[ScatterPoint], corners: Sequence[Point], across: Scale, upright: Scale) -> Iterator[Element]:
    """Yield each name beside its point, at the first place where it covers no point, name or part of the front."""
    centres = [(across(each.x or 0), upright(each.y or 0)) for each in drawn]
    taken: list[Box] = [(x - 7, y - 7, x + 7, y + 7) for x, y in centres]
    taken += [(min(x, u), min(y, v), max(x, u), max(y, v)) for (x, y), (u, v) in pairwise(corners)]
    for each, (x, y) in zip(drawn, centres, strict=True):
        name = fitted_text(each.name, _LONGEST_NAME)
        boxes = list(_places(x, y, text_width(name)))
        free = [
            box
            for box in boxes
            if _is_inside(box, across, upright) and not any(_overlap(box, other) for other in taken)
        ]
        box = free[0] if free else next((box for box in boxes if _is_inside(box, across, upright)), boxes[0])
        taken.append(box)
        if free and free[0] not in boxes[:4]:
            yield polyline([(x, y), (min(max(x, box[0]), box[2]), box[3] if box[3] < y else box[1])], "grid")
        yield text(each.name, box[0], box[3] - 4, kind="halo", space=_LONGEST_NAME)


def _places(x: float, y: float, wide: float) -> Iterator[Box]:
    """Yield places for a name: beside its point, above and below it, and then farther and farther away."""
    beside, above, below = y - 9, y - 30, y + 12
    lefts = (x + 10, x - 10 - wide)
    for left, top in (
        *((left, beside) for left in lefts),
        (x - wide / 2, y - 28),
        (x - wide / 2, y + 10),
        *((left, above - step) for step in _STEPS for left in lefts),
        *((left, below + step) for step in _STEPS for left in lefts),
        *((lefts[1] - 2 * step, beside + step) for step in _STEPS[1:]),
        *((lefts[1] - 2 * step, beside - step) for step in _STEPS[1:]),
    ):
        yield left, top, left + wide, top + 18


def _is_inside(box: Box, across: Scale, upright: Scale) -> bool:
    return box[0] >= across.start and box[2] <= WIDTH and box[1] >= 0 and box[3] <= upright.start + 2


def _overlap(box: Box, other: Box) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
