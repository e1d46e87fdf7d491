"""Section with pass rates against cost and against time, and the Pareto front of each."""

from collections.abc import Callable
from dataclasses import replace

from pytest_mcpbench.reporting.aggregates.pass_rate import RANGES
from pytest_mcpbench.reporting.aggregates.summary import KnownSum, Summary
from pytest_mcpbench.reporting.charts.axis import Axis, money_axis, percent_axis
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.charts.scatter import ScatterPoint, scatter_plot
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.page.sections.layout import figure_grid, folded_tables, paragraph
from pytest_mcpbench.reporting.page.sections.suite_results import SuiteResults
from pytest_mcpbench.reporting.tables.models import efficiency_table
from pytest_mcpbench.reporting.tables.section import Section

_FRONT = "Dashed: no other model passes as much with less (Pareto front)."
_DECADE = 10
"""Ratio of the highest to the lowest value from which an axis is logarithmic, so that low ones can be told apart."""


def costs_section(results: SuiteResults) -> Section:
    """Return the charts of a suite; a chart in which every known value is 0 is a sentence instead."""
    figures = [cost_chart(results), token_chart(results), time_chart(results)]
    costs = [summary.known_usage.cost_usd for summary in results.compared]
    sentences = []
    if not any(cost.known for cost in costs):
        state = "unknown" if all(_mean(cost) is None for cost in costs) else "$0, as far as it is known"
        sentences.append(f"The cost of these attempts is {state}: there is no chart of it.")
    for summary, cost in zip(results.compared, costs, strict=True):
        if 0 < cost.unknown < cost.attempts:
            sentences.append(
                f"{summary.model}: the mean cost is that of {cost.attempts - cost.unknown} of {cost.attempts} "
                "attempts; the others do not know theirs."
            )
    missing = [paragraph(sentence, "note") for sentence in sentences]
    body = figure_grid([figure for figure in figures if figure is not None], results.section_id("costs"))
    for sentence in missing:
        body += sentence
    return Section(
        results.section_id("costs"),
        "Pass rate against cost and time",
        body + folded_tables([efficiency_table(results.report)]),
        results.suite,
    )


def cost_chart(results: SuiteResults) -> Figure | None:
    """Return pass rates against the mean cost of an attempt; ``None`` if nothing is known to have cost money."""
    axis = money_axis("mean cost of an attempt")
    return _chart("Pass rate against cost", results, axis, lambda summary: _mean(summary.known_usage.cost_usd))


def token_chart(results: SuiteResults) -> Figure | None:
    """Return pass rates against the mean number of tokens of an attempt; ``None`` if no tokens are known."""
    axis = Axis("mean tokens of an attempt", number_formats.tokens, 0.0, tick_text=number_formats.tokens)
    return _chart("Pass rate against tokens", results, axis, _mean_tokens)


def time_chart(results: SuiteResults) -> Figure | None:
    """Return pass rates against the mean duration of an attempt."""
    axis = Axis("mean seconds of an attempt", "{:.3g} s".format, 0.0)
    return _chart("Pass rate against time", results, axis, lambda summary: summary.seconds / summary.attempts)


def _chart(title: str, results: SuiteResults, axis: Axis, price: Callable[[Summary], float | None]) -> Figure | None:
    points = [
        ScatterPoint(summary.model, price(summary), summary.rate.middle, summary.pass_interval, summary.verdicts)
        for summary in results.compared
    ]
    known = [point.x for point in points if point.x is not None]
    if not any(known):
        return None
    if min(known) > 0 and max(known) >= _DECADE * min(known):
        axis = replace(axis, low=None, is_logarithmic=True)
    note = f"{_FRONT} {RANGES}" if any(summary.rate.unscored for summary in results.compared) else _FRONT
    return scatter_plot(title, points, x=axis, y=percent_axis("pass rate"), note=note)


def _mean(total: KnownSum) -> float | None:
    """Return the mean over the attempts that know their value."""
    return total.known / (total.attempts - total.unknown) if total.attempts > total.unknown else None


def _mean_tokens(summary: Summary) -> float | None:
    read, written = _mean(summary.known_usage.input_tokens), _mean(summary.known_usage.output_tokens)
    return None if read is None or written is None else read + written
