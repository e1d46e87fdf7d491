"""Section with the models of a suite as rows, and pass rates and metrics as columns of forest plots."""

from pytest_mcpbench.core.scoring import SCORINGS, Scoring
from pytest_mcpbench.reporting.aggregates.pass_rate import PassRate
from pytest_mcpbench.reporting.aggregates.summary import Summary
from pytest_mcpbench.reporting.charts.axis import percent_axis, score_axis
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.charts.forest import ForestEstimate, forest_plot
from pytest_mcpbench.reporting.page.sections.layout import figure_grid, folded_tables
from pytest_mcpbench.reporting.page.sections.suite_results import SuiteResults
from pytest_mcpbench.reporting.tables.models import comparison_table, range_table
from pytest_mcpbench.reporting.tables.results import deciding_scoring, metric_table, threshold_table, trial_table
from pytest_mcpbench.reporting.tables.section import Section

PASS_RATE = "pass rate"


def leaderboard_section(results: SuiteResults) -> Section:
    """Return the forest plots of a suite, and the tables of metrics, trials and comparisons."""
    tables = (
        comparison_table(results.report, results.summaries),
        metric_table(results.summaries),
        trial_table(results.summaries),
        threshold_table(results.summaries),
        range_table(results.summaries),
    )
    figures = [pass_rate_forest(results)]
    if any(summary.rates for summary in results.compared):
        deciding = deciding_scoring(results.compared)
        figures += [pass_rate_forest(results, scoring) for scoring in SCORINGS if scoring != deciding]
    figures += [metric_forest(results, name) for name in metrics_with_values(results)]
    return Section(
        results.section_id("leaderboard"),
        "Leaderboard",
        figure_grid(figures, results.section_id("leaderboard")) + folded_tables(tables),
        results.suite,
    )


def metrics_with_values(results: SuiteResults) -> tuple[str, ...]:
    """Return the metrics that have a mean for at least one model, those with a floor first."""
    names = dict.fromkeys(name for summary in results.compared for name in summary.metrics)
    means = [{name: metric.macro for name, metric in summary.metrics.items()} for summary in results.compared]
    return tuple(name for name in names if any(each.get(name) is not None for each in means))


def pass_rate_forest(results: SuiteResults, scoring: Scoring | None = None) -> Figure:
    """Return the pass rates, or those by a criterion, with their intervals; ``n`` are the attempts with a verdict."""

    def rate_of(summary: Summary) -> PassRate:
        return summary.rate if scoring is None else summary.rates.get(scoring, summary.rate)

    rows = [
        ForestEstimate(
            summary.model,
            rate.value,
            rate.interval,
            rate.verdicts,
            series=series,
            known=rate.bounds_text if rate.unscored else "",
        )
        for series, summary in _ranked(results)
        for rate in [rate_of(summary)]
    ]
    references = ", ".join(f"{summary.model} {rate_of(summary).text}" for summary in results.references)
    note = f"mean over tasks, with 95 % interval{f'; without a model: {references}' if references else ''}"
    shown = scoring or deciding_scoring(results.compared)
    title = f"Pass rate, {shown}" if shown else "Pass rate"
    return forest_plot(title, rows, axis=percent_axis(""), note=note)


def metric_forest(results: SuiteResults, name: str) -> Figure:
    """Return the means of a metric with their intervals; ``n`` are the attempts that have a value."""
    floors = {entry.floors[name] for entry in results.entries if name in entry.floors}
    note = (
        f"mean over tasks; floor {', '.join(f'{floor:g}' for floor in sorted(floors))}" if floors else "mean over tasks"
    )
    estimates: list[ForestEstimate] = []
    for series, summary in _ranked(results):
        metric = summary.metrics.get(name)
        if metric is None:
            estimates.append(ForestEstimate(summary.model, None, n=0, series=series))
        else:
            estimates.append(ForestEstimate(summary.model, metric.macro, metric.interval, metric.n, series=series))
    return forest_plot(name, estimates, axis=score_axis(""), note=note)


def _ranked(results: SuiteResults) -> list[tuple[int, Summary]]:
    """Return the summaries by the falling share of attempts that surely passed, then by that which may have.

    Each has its number among the models of all sections.
    """

    def order(pair: tuple[int, Summary]) -> tuple[float, float]:
        bounds = pair[1].rate.range
        return (1.0, 1.0) if bounds is None else (-bounds.low, -bounds.high)

    return sorted(enumerate(results.compared), key=order)
