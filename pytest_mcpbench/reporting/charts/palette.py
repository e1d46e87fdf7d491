"""Colours and text sizes of charts, as CSS for a page that defines the colours or for a file of its own."""

from collections.abc import Callable

SERIES = 8
"""Number of colours for series; further series use them again."""

LIGHT = {
    "ink": "#1c1f21",
    "paper": "#fcfcfa",
    "muted": "#5a6066",
    "line": "#d8dadb",
    "raised": "#ffffff",
    "soft": "#f1f2f0",
    "edge": "#85898d",
    "accent": "#0b5cad",
    "pass": "#17703a",
    "fail": "#b3261e",
    "error": "#7a3db8",
    "unscored": "#7d5a00",
    "series-1": "#00279f",
    "series-2": "#b32900",
    "series-3": "#016d65",
    "series-4": "#cb76a7",
    "series-5": "#3392ff",
    "series-6": "#929416",
    "series-7": "#7d21e0",
    "series-8": "#332b2b",
}
DARK = {
    "ink": "#e8e8e5",
    "paper": "#16181a",
    "muted": "#a5abb1",
    "line": "#373c41",
    "raised": "#1d2023",
    "soft": "#212529",
    "edge": "#787e85",
    "accent": "#7db7f5",
    "pass": "#6fcb8f",
    "fail": "#ff948b",
    "error": "#cfa6ff",
    "unscored": "#e2bb55",
    "series-1": "#0064fe",
    "series-2": "#ff6d11",
    "series-3": "#00b37d",
    "series-4": "#95617e",
    "series-5": "#58daff",
    "series-6": "#c7d800",
    "series-7": "#aa8eff",
    "series-8": "#fff1d9",
}


def page_colours() -> str:
    """Return the colours as custom properties of a page (``--ink``), for light screens and paper, and dark screens."""
    light, dark = (":root{" + "".join(f"--{name}:{each[name]};" for name in each) + "}" for each in (LIGHT, DARK))
    return f"{light}\n@media screen and (prefers-color-scheme:dark){{{dark}}}\n"


def chart_style() -> str:
    """Return the CSS of charts within a page that defines the colours as custom properties (``--ink``)."""
    return "".join(_rules(".chart ", lambda name: f"var(--{name},{LIGHT[name]})"))


def file_style() -> str:
    """Return the CSS of a chart that is a file of its own: literal colours, and those for a dark screen."""
    light, dark = ("".join(_rules("", colours.__getitem__)) for colours in (LIGHT, DARK))
    return f"{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"


def series_class(index: int) -> str:
    """Return the class of the series with this index."""
    return f"s{index % SERIES + 1}"


def _rules(scope: str, colour: Callable[[str], str]) -> list[str]:
    series = [
        f"{scope}.s{index}{{fill:{colour(f'series-{index}')};stroke:{colour(f'series-{index}')}}}"
        for index in range(1, SERIES + 1)
    ]
    outcomes = [
        f"{scope}.{name}{{fill:{colour(name)};stroke:{colour(name)}}}"
        for name in ("pass", "fail", "error", "unscored", "accent")
    ]
    return [
        *series,
        *outcomes,
        f"{scope}.neutral{{fill:{colour('muted')};stroke:{colour('muted')}}}",
        f"{scope}text[class],{scope}text{{font:13px system-ui,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"
        f"fill:{colour('ink')};stroke:none;font-variant-numeric:tabular-nums}}",
        f"{scope}.paper{{fill:{colour('paper')};stroke:none}}",
        f"{scope}.ring{{stroke:{colour('paper')};stroke-width:1.5}}",
        f"{scope}.grid{{stroke:{colour('line')};stroke-width:1;fill:none}}",
        f"{scope}.axis{{stroke:{colour('muted')};stroke-width:1;fill:none}}",
        f"{scope}.dashed{{stroke-dasharray:5 4}}",
        f"{scope}.stroke{{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}}",
        f"{scope}.area{{stroke:none;fill-opacity:.16}}",
        f"{scope}.tint{{fill-opacity:.3}}",
        f"{scope}.hollow{{fill-opacity:0;stroke-width:1.5}}",
        f"{scope}.leader{{fill:none;stroke-width:1;stroke-dasharray:1 3}}",
        f"{scope}.bar{{stroke:none}}",
        f"{scope}rect.cell{{fill:{colour('accent')};stroke:{colour('paper')};stroke-width:2}}",
        f"{scope}text.cell{{text-anchor:middle}}",
        f"{scope}text.muted{{fill:{colour('muted')}}}",
        f"{scope}text.small{{font-size:12px}}",
        f"{scope}text.strong{{font-weight:600}}",
        f"{scope}text.on{{fill:{colour('paper')}}}",
        f"{scope}text.halo{{paint-order:stroke;stroke:{colour('paper')};stroke-width:3px;stroke-linejoin:round}}",
    ]
