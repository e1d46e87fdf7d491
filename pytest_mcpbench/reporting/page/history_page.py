"""The HTML page of a history: curves over runs of the pass rate, the cost, the tokens and the size of descriptions."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from pytest_mcpbench.core.model_names import compared_models
from pytest_mcpbench.reporting.aggregates.pass_rate import RANGES
from pytest_mcpbench.reporting.charts.axis import Axis, money_axis, percent_axis
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.charts.lines import Curve, CurvePoint, line_chart
from pytest_mcpbench.reporting.data.history import HistoryPoint, history_table, joined_runs
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.page.document import page
from pytest_mcpbench.reporting.page.sections.layout import figure_grid, tables_markup
from pytest_mcpbench.reporting.tables.section import Section
from pytest_mcpbench.statistics.groups import group_by

_RUN = Axis("run", "{:g}".format, tick_text="{:g}".format)


def history_page(points: Sequence[HistoryPoint]) -> Iterator[str]:
    """Yield the parts of the page."""
    yield from page(
        title="mcpbench history",
        sections=[
            _section(index, suite, of_suite)
            for index, (suite, of_suite) in enumerate(group_by(points, lambda point: point.suite).items())
        ],
    )


def _section(index: int, suite: str, points: Sequence[HistoryPoint]) -> Section:
    """Return the charts of a suite, in which runs have their number by time, and the table of their numbers.

    Agents without a model are only in the table, if there are models.
    """
    runs = sorted({point.run for point in points})
    number = {run: float(at) for at, run in enumerate(runs, 1)}
    by_model = group_by(points, lambda point: point.model)
    models = {model: by_model[model] for model in compared_models(by_model)}
    joined = joined_runs(points)
    notes = [_gates(points, number), _parts(points, number, joined)]
    ranges = RANGES if any(point.unscored for own in models.values() for point in own) else ""

    def chart(title: str, axis: Axis, value: Callable[[HistoryPoint], CurvePoint], note: str = "") -> Figure | None:
        def of_run(point: HistoryPoint) -> CurvePoint:
            return replace(value(point), is_apart=point.run not in joined)

        curves = [Curve(model, tuple(map(of_run, own))) for model, own in models.items()]
        known = any(point.y for curve in curves for point in curve.points)
        return line_chart(title, curves, x=_RUN, y=axis, note=" ".join(filter(None, (note, *notes)))) if known else None

    def rate(point: HistoryPoint) -> CurvePoint:
        low, high = point.pass_interval or (None, None)
        return CurvePoint(number[point.run], point.rate.middle, low, high, point.tasks, point.rate.text)

    tokens = Axis("mean tokens of an attempt", number_formats.tokens, 0.0, tick_text=number_formats.tokens)
    sizes = Axis("tokens of all definitions", number_formats.tokens, 0.0, tick_text=number_formats.tokens)
    figures = [
        chart("Pass rate", percent_axis("pass rate"), rate, ranges),
        chart(
            "Cost", money_axis("mean cost of an attempt"), lambda point: CurvePoint(number[point.run], point.cost_usd)
        ),
        chart("Tokens", tokens, lambda point: CurvePoint(number[point.run], point.tokens)),
        chart(
            "Size of descriptions", sizes, lambda point: CurvePoint(number[point.run], _float(point.definition_tokens))
        ),
    ]
    anchor = f"history-{index}"
    shown = figure_grid([figure for figure in figures if figure is not None], anchor)
    return Section(anchor, suite, shown + tables_markup([history_table(points)]))


def _gates(points: Sequence[HistoryPoint], number: dict[str, float]) -> str:
    """Return the verdicts of the gates by run."""
    told = [f"run {number[point.run]:g} {point.model}: {point.gate}" for point in points if point.gate]
    return f"Gates: {'; '.join(told)}." if told else ""


def _parts(points: Sequence[HistoryPoint], number: dict[str, float], joined: Collection[str]) -> str:
    """Return what the runs are whose points are not joined with the others."""
    told = {
        point.run: f"run {number[point.run]:g}: {point.part or 'all tasks'}"
        for point in points
        if point.run not in joined
    }
    return f"Hollow, and not joined with the others: {'; '.join(told.values())}." if told else ""


def _float(value: int | None) -> float | None:
    return None if value is None else float(value)
