"""Section with what went wrong: failure labels of one taxonomy at a time, errors, and causes of failed calls."""

from markupsafe import Markup

from pytest_mcpbench.reporting.charts.axis import percent_axis
from pytest_mcpbench.reporting.charts.bars import bar_chart
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.charts.radar import Series
from pytest_mcpbench.reporting.page.sections.layout import folded_tables, paragraph
from pytest_mcpbench.reporting.page.sections.suite_results import SuiteResults
from pytest_mcpbench.reporting.tables.failures import error_table, failure_table
from pytest_mcpbench.reporting.tables.section import Section, tabs
from pytest_mcpbench.reporting.tables.tools import root_cause_table
from pytest_mcpbench.text.natural_order import natural_key

_MOST_LABELS = 15


def failures_section(results: SuiteResults) -> Section:
    """Return a tab for each taxonomy of failures, and the tables of labels, errors and causes."""
    place = results.section_id("failures")
    taxonomies = dict.fromkeys(name for summary in results.compared for name in summary.failures)
    panels = [(name, failure_chart(results, name).html(place, is_alone=True)) for name in taxonomies]
    chart = (
        tabs(results.section_id("failures-taxonomy"), "Taxonomy", panels)
        if panels
        else paragraph("No attempt has a failure label.")
    )
    tables = failure_table(results.compared), error_table(results.report), root_cause_table(results.report)
    return Section(place, "What went wrong", Markup(chart) + folded_tables(tables), results.suite)


def failure_chart(results: SuiteResults, taxonomy: str) -> Figure:
    """Return the share of attempts with each label of a taxonomy, the most frequent labels first."""
    counts = [summary.failures.get(taxonomy, {}) for summary in results.compared]
    labels = sorted(
        {label for each in counts for label in each},
        key=lambda label: (-sum(each.get(label, 0) for each in counts), natural_key(label)),
    )
    shown = labels[:_MOST_LABELS]
    series: list[Series] = []
    for summary, each in zip(results.compared, counts, strict=True):
        of = summary.completed_attempts
        series.append(Series(summary.model, tuple(each.get(label, 0) / of if of else None for label in shown)))
    sizes = ", ".join(f"{summary.model} {summary.completed_attempts:,}" for summary in results.compared)
    more = f" {len(labels) - len(shown)} rarer labels are in the table." if len(labels) > len(shown) else ""
    note = f"Share of the attempts without an error ({sizes}); an attempt may have several labels.{more}"
    return bar_chart(f"Failures: {taxonomy}", shown, series, axis=percent_axis("", high=None), note=note)
