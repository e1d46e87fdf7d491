"""Section of the page about a sweep: curves over the values of a condition, and its table."""

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.aggregates.measures import PASSED
from pytest_mcpbench.reporting.charts.axis import Axis, percent_axis, score_axis
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.charts.lines import Curve, CurvePoint, line_chart
from pytest_mcpbench.reporting.page.sections.layout import figure_grid, tables_markup
from pytest_mcpbench.reporting.page.sections.suite_results import SuiteResults
from pytest_mcpbench.reporting.tables.section import Section
from pytest_mcpbench.reporting.tables.tags import (
    sweep_measures,
    sweep_series,
    sweep_tables,
    swept_conditions,
)


def sweep_section(results: SuiteResults) -> Section | None:
    """Return the curves and tables of a suite's sweeps; ``None`` for a run without a sweep."""
    conditions = swept_conditions(results.report)
    if not conditions:
        return None
    figures = [figure for condition in conditions for figure in sweep_charts(results.report, condition)]
    body = figure_grid(figures, results.section_id("sweep")) + tables_markup([*sweep_tables(results.report)])
    return Section(results.section_id("sweep"), "Sweep", body, results.suite)


def sweep_charts(report: Report, condition: str) -> list[Figure]:
    """Return curves of the pass rate and of each metric with a floor; none if the values are no numbers."""
    series = sweep_series(report, condition)
    if not all(_is_number(value) for each in series for value in each.by_value):
        return []
    shares = [measure for measure in sweep_measures(report.entries) if measure.is_share]
    charts: list[Figure] = []
    for measure in shares:
        y = percent_axis("pass rate") if measure is PASSED else score_axis(measure.name)
        curves: list[Curve] = []
        for each in series:
            numbers = {float(value): measure.of(entries) for value, entries in each.by_value.items()}
            points: list[CurvePoint] = []
            for x, number in sorted(numbers.items(), key=lambda item: item[0]):
                interval = number.interval if number.value is not None else None
                low, high = (interval.low, interval.high) if interval is not None else (None, None)
                points.append(CurvePoint(x, number.value, low, high, number.n))
            curves.append(Curve(each.model, tuple(points)))
        charts.append(
            line_chart(f"{y.label.capitalize()} over {condition}", curves, x=Axis(condition, "{:g}".format), y=y)
        )
    return charts


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
