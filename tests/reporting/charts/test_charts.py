"""Geometry of charts, the tables behind them, and text that means harm."""

import re
from collections.abc import Callable
from importlib.resources import files
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from pytest_mcpbench.reporting.charts import palette
from pytest_mcpbench.reporting.charts.axis import number_axis, percent_axis, scale_of, ticks_of
from pytest_mcpbench.reporting.charts.bars import bar_chart, bins_of, histogram, stacked_bars
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.charts.forest import ForestEstimate, forest_plot
from pytest_mcpbench.reporting.charts.heatmap import STRONGEST, heatmap
from pytest_mcpbench.reporting.charts.labels import fitted_text, spread, text_width, wrapped_lines
from pytest_mcpbench.reporting.charts.lines import Curve, CurvePoint, line_chart
from pytest_mcpbench.reporting.charts.radar import Series, radar_chart
from pytest_mcpbench.reporting.charts.scatter import ScatterPoint, pareto_front, scatter_plot
from pytest_mcpbench.reporting.charts.shapes import marker
from pytest_mcpbench.reporting.page.document import stylesheet
from pytest_mcpbench.statistics.intervals import Interval
from tests.reporting.samples import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"


def parsed(figure: Figure) -> ElementTree.Element:
    return ElementTree.fromstring(figure.file())


def shapes(figure: Figure, name: str, kind: str = "") -> list[dict[str, str]]:
    """The attributes of all shapes of a kind."""
    return [
        each.attrib for each in parsed(figure).iter(SVG + name) if kind in each.get("class", "").split() or not kind
    ]


def words(figure: Figure) -> list[str]:
    return [each.text or "" for each in parsed(figure).iter(SVG + "text")]


HOSTILE_CHARTS: dict[str, Callable[[], Figure]] = {
    "radar": lambda: radar_chart(HOSTILE, [HOSTILE, "b", "c"], [Series(HOSTILE, (1, 0.5, None))], note=HOSTILE),
    "bars": lambda: bar_chart(
        HOSTILE, [HOSTILE], [Series(HOSTILE, (1,)), Series("x", (None,))], axis=percent_axis(HOSTILE)
    ),
    "stacked": lambda: stacked_bars(HOSTILE, [HOSTILE, "b"], [Series(HOSTILE, (1, 2))]),
    "histogram": lambda: histogram(HOSTILE, bins_of([1, 2], [1, 2, 3]), axis=number_axis(HOSTILE), counted=HOSTILE),
    "forest": lambda: forest_plot(
        HOSTILE, [ForestEstimate(HOSTILE, 0.5, Interval(0.4, 0.6), 3)], axis=percent_axis(HOSTILE)
    ),
    "scatter": lambda: scatter_plot(
        HOSTILE,
        [ScatterPoint(HOSTILE, 1, 0.5), ScatterPoint(HOSTILE, None, 1)],
        x=number_axis(HOSTILE),
        y=percent_axis(""),
    ),
    "heatmap": lambda: heatmap(HOSTILE, [HOSTILE], [HOSTILE] * 6, [[0.5, None, 1, 0, 0, 0]], axis=percent_axis("")),
    "lines": lambda: line_chart(
        HOSTILE,
        [Curve(HOSTILE, (CurvePoint(1, 0.5), CurvePoint(2, None)))],
        x=number_axis(HOSTILE),
        y=percent_axis(HOSTILE),
    ),
}


@pytest.mark.parametrize("chart", HOSTILE_CHARTS.values(), ids=HOSTILE_CHARTS)
def test_text_of_models_and_tags_never_becomes_markup(chart: Callable[[], Figure]) -> None:
    figure = chart()

    assert {each.tag for each in parsed(figure).iter()} <= {
        SVG + name
        for name in ("svg", "g", "title", "desc", "style", "rect", "text", "line", "polyline", "polygon", "circle")
    }
    assert "<script" not in figure.html()
    assert "<img" not in figure.html()


@pytest.mark.parametrize("chart", HOSTILE_CHARTS.values(), ids=HOSTILE_CHARTS)
def test_a_chart_has_a_name_a_description_and_its_numbers(chart: Callable[[], Figure]) -> None:
    figure = chart()
    root = parsed(figure)
    ids = {each.get("id"): each for each in root.iter() if each.get("id")}

    assert root.get("role") == "img"
    assert [ids[name].tag for name in (root.get("aria-labelledby") or "").split()] == [SVG + "title", SVG + "desc"]
    assert figure.table.rows
    assert "<details" in figure.html()


def test_a_radar_chart_puts_a_value_at_its_share_of_the_radius() -> None:
    figure = radar_chart("r", ["up", "right", "down", "left"], [Series("m", (1.0, 0.5, 0.0, 0.25))])

    (area,) = shapes(figure, "polygon", "area")
    places = [tuple(map(float, place.split(","))) for place in area["points"].split()]
    (x, top), (right, y), (_, centre), (left, _) = places
    radius = centre - top
    assert y == pytest.approx(centre)
    assert (right - x, x - left) == pytest.approx((radius * 0.5, radius * 0.25), abs=0.1)


def test_an_unknown_value_opens_the_polygon_and_is_not_drawn_as_zero() -> None:
    figure = radar_chart("r", ["a", "b", "c"], [Series("m", (1.0, None, 0.5))])

    assert shapes(figure, "polygon", "area") == []
    assert len(shapes(figure, "circle")) == 2 + 1  # one in the legend
    assert figure.table.rows == (("a", "1.000"), ("b", "n/a"), ("c", "0.500"))


def test_a_radar_chart_refuses_fewer_than_three_axes() -> None:
    with pytest.raises(ValueError, match="at least 3 axes, not 2"):
        radar_chart("r", ["a", "b"], [Series("m", (1.0, 0.5))])


def test_a_radar_chart_refuses_a_series_that_lacks_a_value() -> None:
    with pytest.raises(ValueError, match="m has 2 values for 3 axes"):
        radar_chart("r", ["a", "b", "c"], [Series("m", (1.0, 0.5))])


def test_bars_are_as_long_as_their_values_and_an_unknown_one_says_so() -> None:
    figure = bar_chart("b", ["x", "y"], [Series("m", (0.8, 0.4)), Series("n", (None, 0.0))], axis=percent_axis("rate"))

    first, second = (float(bar["width"]) for bar in shapes(figure, "rect", "s1"))
    assert second == pytest.approx(first / 2, abs=0.1)
    assert len(shapes(figure, "rect", "s2")) == 0  # neither unknown nor 0 has a bar
    assert "0.0 %" in words(figure)
    assert "n/a" in words(figure)
    assert figure.table.rows == (("x", "80.0 %", "n/a"), ("y", "40.0 %", "0.0 %"))


def test_the_axis_of_bars_does_not_cut_the_names_of_their_rows() -> None:
    figure = bar_chart("b", ["x", "y"], [Series("m", (0.8, 0.4))], axis=percent_axis("rate"))
    names = [float(each["y"]) for each, word in zip(shapes(figure, "text"), words(figure), strict=True) if word in "xy"]
    lines = [(float(each["y1"]), float(each["y2"])) for each in shapes(figure, "line", "axis")]
    assert names
    assert lines
    assert not any(top < name and name - 11 < bottom for name in names for top, bottom in lines)


def test_parts_of_a_stacked_bar_share_its_width_by_their_counts() -> None:
    figure = stacked_bars("s", ["passed", "failed"], [Series("m", (30, 10)), Series("none", (0, 0))])

    passed, failed = (float(shapes(figure, "rect", kind)[-1]["width"]) for kind in ("s1", "s2"))
    assert passed + 1.5 == pytest.approx(3 * (failed + 1.5), abs=0.3)
    assert figure.table.rows == (("m", "30", "10", "40"), ("none", "0", "0", "0"))


def test_a_histogram_counts_each_value_once() -> None:
    bins = bins_of([1, 1.5, 2, 3], [1, 2, 3])

    assert [each.count for each in bins] == [2, 2]
    assert histogram("h", bins, axis=number_axis("calls"), counted="tasks").table.rows == (
        ("1 – 2", "2"),
        ("2 – 3", "2"),
    )
    with pytest.raises(ValueError, match="beyond 1 to 3"):
        bins_of([4], [1, 2, 3])


def test_rows_of_a_heatmap_that_differ_at_their_ends_read_differently() -> None:
    names = ["documents_search_by_title_and_author_name", "documents_search_by_title_and_publication_year"]
    shown = words(heatmap("h", names, ["m"], [[1], [2]], axis=number_axis("calls")))
    assert len({each for each in shown if each.startswith("documents")}) == 2


def test_grid_lines_of_a_forest_plot_leave_out_the_lines_of_text() -> None:
    figure = forest_plot("f", [ForestEstimate("m", 0.5), ForestEstimate("n", 0.6)], axis=percent_axis(""))
    baselines = [float(each["y"]) for each in shapes(figure, "text", "strong")]
    lines = shapes(figure, "line", "grid")
    assert baselines
    assert lines
    for line in lines:
        drawn, gap = map(float, line["stroke-dasharray"].split())
        assert all((y - float(line["y1"])) % (drawn + gap) > drawn for y in baselines)


def test_a_curve_is_interrupted_where_a_value_is_unknown() -> None:
    curve = Curve(
        "m", (CurvePoint(5, 0.2), CurvePoint(10, 0.4), CurvePoint(15, None), CurvePoint(20, 0.6, 0.5, 0.7, 40))
    )
    figure = line_chart("l", [curve], x=number_axis("K"), y=percent_axis("rate"))

    (line,) = shapes(figure, "polyline", "stroke")
    (_, first), (_, second) = (map(float, place.split(",")) for place in line["points"].split())
    assert first - second == pytest.approx(210 * 0.2, abs=0.2)
    assert len(shapes(figure, "circle")) == 3 + 1  # that of the label
    assert figure.table.rows[2:] == (("m", "15", "n/a", "", ""), ("m", "20", "60.0 %", "50.0 – 70.0 %", "40"))


def test_names_at_the_ends_of_curves_do_not_overlap() -> None:
    curves = [
        Curve(name, (CurvePoint(1, 0.5), CurvePoint(2, 0.9 + index / 1000))) for index, name in enumerate("abcdef")
    ]
    figure = line_chart("l", curves, x=number_axis("K"), y=percent_axis("rate"))

    places = sorted(
        float(each.get("y", "0")) for each in parsed(figure).iter(SVG + "text") if each.text in set("abcdef")
    )
    assert min(lower - upper for upper, lower in pairwise(places)) >= 15.9


def test_a_forest_plot_puts_estimates_and_bounds_on_one_scale() -> None:
    rows = [ForestEstimate("m", 0.5, Interval(0.25, 1.0), 40), ForestEstimate("n", None, n=0)]
    figure = forest_plot("f", rows, axis=percent_axis("rate"), reference=0)

    (dot,) = shapes(figure, "circle")
    (line,) = (each for each in shapes(figure, "line", "stroke") if each["y1"] == each["y2"])
    low, value, high = float(line["x1"]), float(dot["cx"]), float(line["x2"])
    assert (value - low) * 2 == pytest.approx(high - value, abs=0.2)
    assert [each for each in words(figure) if "n/a" in each or "n " in each] == [
        "25.0 – 100.0 % · n 40",
        "n/a",
        "n 0",
    ]
    assert figure.table.rows == (("m", "50.0 %", "25.0 – 100.0 %", "40"), ("n", "n/a", "", "0"))


FRONT: dict[str, tuple[list[ScatterPoint], list[str]]] = {
    "a dearer and better one is on it": ([ScatterPoint("a", 1, 0.5), ScatterPoint("b", 2, 0.6)], ["a", "b"]),
    "a dearer and worse one is not": ([ScatterPoint("a", 1, 0.5), ScatterPoint("b", 2, 0.4)], ["a"]),
    "a dearer and equal one is not": ([ScatterPoint("a", 1, 0.5), ScatterPoint("b", 2, 0.5)], ["a"]),
    "twins both are": ([ScatterPoint("a", 1, 0.5), ScatterPoint("b", 1, 0.5)], ["a", "b"]),
    "of equal costs the better one is": ([ScatterPoint("a", 1, 0.5), ScatterPoint("b", 1, 0.6)], ["b"]),
    "an unknown cost is not": ([ScatterPoint("a", None, 0.9), ScatterPoint("b", 1, 0.5)], ["b"]),
    "nothing is known": ([ScatterPoint("a", None, None)], []),
}


@pytest.mark.parametrize(("points", "front"), FRONT.values(), ids=FRONT)
def test_the_pareto_front_has_what_no_other_beats(points: list[ScatterPoint], front: list[str]) -> None:
    assert [each.name for each in pareto_front(points)] == front


def test_a_model_of_unknown_cost_is_named_and_not_drawn_at_zero() -> None:
    points = [ScatterPoint("known", 2.0, 0.5, Interval(0.4, 0.6), 10), ScatterPoint("local", None, 0.9, n=10)]
    figure = scatter_plot("s", points, x=number_axis("cost"), y=percent_axis("rate"))

    assert len(shapes(figure, "circle")) == 1
    assert "local" in figure.note
    assert figure.table.rows == (
        ("known", "2", "50.0 %", "40.0 – 60.0 %", "10", "yes"),
        ("local", "unknown", "90.0 %", "", "10", "unknown"),
    )


def test_a_heatmap_prints_its_values_and_shades_them_in_proportion() -> None:
    figure = heatmap("h", ["x"], ["m", "n", "o"], [[1.0, 0.5, None]], axis=percent_axis("rate"), counts=[[4, 2, 0]])

    assert [float(cell["fill-opacity"]) for cell in shapes(figure, "rect", "cell")] == [STRONGEST, STRONGEST / 2]
    assert words(figure)[-3:] == ["100.0 %", "50.0 %", "–"]
    assert figure.table.rows == (("x", "100.0 %", "4", "50.0 %", "2", "n/a", "0"),)


@pytest.mark.parametrize(
    ("values", "bounds", "ticks"),
    [
        ([3, 97], (0, 100), ["0", "20", "40", "60", "80", "100"]),
        ([0.012], (0, 0.012), ["0", "0.0025", "0.005", "0.0075", "0.01"]),
        ([], (0, 1), ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        ([0], (0, 1), ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        ([1234567], (0, 1250000), ["0", "250,000", "500,000", "750,000", "1,000,000", "1,250,000"]),
    ],
)
def test_an_axis_has_round_ticks_that_enclose_the_data(
    values: list[float], bounds: tuple[float, float], ticks: list[str]
) -> None:
    axis = number_axis("n")
    scale = scale_of(axis, values, start=0, end=100)

    assert scale.low == bounds[0]
    assert scale.high >= max(values, default=0)
    assert [words for _, words in ticks_of(axis, scale)][: len(ticks)] == ticks


def test_a_page_has_each_colour_of_charts_once_for_light_and_once_for_dark_screens() -> None:
    css = stylesheet()
    for name, colour in palette.LIGHT.items():
        assert re.findall(rf"--{name}:([^;]*);", css) == [colour, palette.DARK[name]]
    assert "--ink" not in (files("pytest_mcpbench.reporting") / "templates" / "page" / "page.css").read_text(
        encoding="utf-8"
    ).replace("var(--ink)", "")


def test_no_two_of_twenty_models_have_a_marker_of_the_same_colour_and_shape() -> None:
    made = [
        (each.name, *map(dict(each.attributes).get, ("class", "points")))
        for each in (marker(index, 0, 0, "") for index in range(20))
    ]
    assert len(set(made)) == 20


def test_names_are_cut_and_wrapped_to_the_space() -> None:
    assert fitted_text("short", 100) == "short"
    assert fitted_text("memory_open_nodes_by_name", 100) == "memor…name"
    assert fitted_text("long", 1) == "…"
    assert text_width(fitted_text("a very long name of a model", 60)) <= 60
    assert text_width("26…01") >= 13 * (4 * 0.636 + 1)  # their width in DejaVu Sans
    assert wrapped_lines("Dynamic tool selection", 95) == ("Dynamic tool", "selection")
    assert spread([10, 10, 50], 15, 0, 60) == (10, 25, 50)
    assert spread([58, 59, 60], 15, 0, 60) == (30, 45, 60)
