"""Parts that several charts share: text, markers, legends and grids."""

from collections.abc import Iterable, Sequence

from pytest_mcpbench.reporting.charts.axis import Axis, Scale, ticks_of
from pytest_mcpbench.reporting.charts.labels import fitted_text, text_width
from pytest_mcpbench.reporting.charts.palette import SERIES, series_class
from pytest_mcpbench.reporting.forms.element import Element, element, number

WIDTH = 440.0
"""Width of most charts: at 13 pixels, text stays readable on a screen of 400 pixels."""
LINE = 18.0
"""Distance of two lines of text."""

_OVERHANG = 16.0
"""Space on the right of a horizontal axis that the text of its last tick may use."""

Point = tuple[float, float]


def text(  # noqa: PLR0913 (each is an attribute of the text)
    words: str, x: float, y: float, *, anchor: str | None = None, kind: str | None = None, space: float | None = None
) -> Element:
    """Return a text; if it does not fit into the space, it is cut and its whole is shown on hovering."""
    shown = words if space is None else fitted_text(words, space)
    whole = element("title", words) if shown != words else None
    return element("text", shown, whole, x=x, y=y, text_anchor=anchor, class_=kind)


def marker(  # noqa: PLR0913 (each is an attribute of the marker)
    index: int, x: float, y: float, about: str, *, size: float = 4.5, kind: str | None = None, is_hollow: bool = False
) -> Element:
    """Return the marker of a series, whose shape differs as its colour does, with a text that is shown on hovering."""
    kind = f"{kind or series_class(index)} {'hollow' if is_hollow else 'ring'}"
    title = element("title", about) if about else None
    # Where colours are used again, they have other shapes.
    form = (index + index // SERIES) % 4
    if form == 0:
        return element("circle", title, cx=x, cy=y, r=size, class_=kind)
    reach = size * 1.15
    corners: tuple[Point, ...]
    if form == 1:
        half = reach * 0.85
        corners = (x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)
    elif form == 2:
        corners = (x, y - reach * 1.1), (x + reach, y + reach * 0.8), (x - reach, y + reach * 0.8)
    else:
        corners = (x, y - reach * 1.2), (x + reach * 1.2, y), (x, y + reach * 1.2), (x - reach * 1.2, y)
    return element("polygon", title, points=points(corners), class_=kind)


def points(places: Iterable[Point]) -> str:
    """Return coordinates as the attribute ``points`` has them."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in places)


def polyline(places: Sequence[Point], kind: str) -> Element:
    """Return a line through the places."""
    return element("polyline", points=points(places), class_=kind)


def legend(names: Sequence[str], y: float, width: float) -> tuple[tuple[Element, ...], float]:
    """Return a legend of series, wrapped to the width, and the height that it needs."""
    shapes: list[Element] = []
    x, line = 0.0, 0
    for index, name in enumerate(names):
        shown = fitted_text(name, width - 24)
        space = 18 + text_width(shown) + 14
        if x and x + space - 14 > width:
            x, line = 0.0, line + 1
        base = y + LINE * line + 13
        shapes += [marker(index, x + 6, base - 4.5, ""), text(name, x + 17, base, space=width - 24)]
        x += space
    return tuple(shapes), LINE * (line + 1) + 6 if names else 0.0


def horizontal_axis(axis: Axis, scale: Scale, top: float, bottom: float, *, dashes: str | None = None) -> list[Element]:
    """Return vertical grid lines with their values below, and the axis's label below them.

    ``dashes`` are lengths of lines and gaps, so that no line runs through text.
    """
    shapes: list[Element] = []
    last = float("-inf")
    for value, words in ticks_of(axis, scale):
        x = scale(value)
        shapes.append(element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid", stroke_dasharray=dashes))
        half = text_width(words, 12) / 2
        if x - half > last + 4:
            centre = min(max(x, half), scale.end + _OVERHANG - half)
            shapes.append(text(words, centre, bottom + 16, anchor="middle", kind="muted small"))
            last = centre + half
    if axis.label:
        middle = (scale.start + scale.end) / 2
        # Tables have the label too, and plain values below it.
        label = f"{axis.label}, logarithmic" if scale.is_logarithmic else axis.label
        shapes.append(text(label, middle, bottom + 34, anchor="middle", kind="muted small"))
    return shapes


def vertical_axis(axis: Axis, scale: Scale, left: float, right: float) -> list[Element]:
    """Return horizontal grid lines with their values on the left, and the axis's label above them."""
    shapes: list[Element] = []
    for value, words in ticks_of(axis, scale):
        y = scale(value)
        shapes.append(element("line", x1=left, x2=right, y1=y, y2=y, class_="grid"))
        shapes.append(text(words, left - 6, y + 4, anchor="end", kind="muted small"))
    if axis.label:
        shapes.append(text(axis.label, 0, scale.end - 12, kind="muted small"))
    return shapes


def tick_space(axis: Axis, scale: Scale) -> float:
    """Return the width of the values on the left of a vertical axis."""
    return max((text_width(words, 12) for _, words in ticks_of(axis, scale)), default=0.0) + 10
