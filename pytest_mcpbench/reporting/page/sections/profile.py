"""Section with the profile of each model: its metrics as a radar chart, and heatmaps of values by tag."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.model_comparison import values_by_task
from pytest_mcpbench.reporting.aggregates.pass_rate import RANGES, PassRate
from pytest_mcpbench.reporting.charts.axis import percent_axis, score_axis
from pytest_mcpbench.reporting.charts.bars import bar_chart
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.charts.heatmap import heatmap
from pytest_mcpbench.reporting.charts.radar import FEWEST_AXES, Series, radar_chart
from pytest_mcpbench.reporting.page.sections.layout import figure_grid, folded, tables_markup
from pytest_mcpbench.reporting.page.sections.leaderboard import PASS_RATE, metrics_with_values
from pytest_mcpbench.reporting.page.sections.suite_results import SuiteResults
from pytest_mcpbench.reporting.tables.section import Section, tabs
from pytest_mcpbench.reporting.tables.tags import tag_table, tags_with_table
from pytest_mcpbench.statistics.groups import group_by
from pytest_mcpbench.text.natural_order import natural_key

_MOST_AXES = 10
_MOST_POLYGONS = 4


def profile_section(results: SuiteResults) -> Section:
    """Return the radar chart of a suite, and below it a heatmap for each tag and metric, of which one is shown."""
    tags = tags_with_table(results.report)
    by_tag = [
        (tag, tag_panel(results, tag, f"{results.section_id('profile')}-{index}")) for index, tag in enumerate(tags)
    ]
    heatmaps = (
        Markup("<h3>By tag</h3>{}").format(tabs(results.section_id("profile-tag"), "Tag", by_tag)) if by_tag else ""
    )
    return Section(
        results.section_id("profile"),
        "Profile",
        figure_grid([profile_chart(results)], results.section_id("profile")) + heatmaps,
        results.suite,
    )


def profile_chart(results: SuiteResults) -> Figure:
    """Return pass rate and mean metrics of each model.

    A radar chart shows them; bars do if they are fewer than three, and a heatmap if polygons would cover each other.
    """
    names = metrics_with_values(results)[: _MOST_AXES - 1]
    axes = (PASS_RATE, *names)
    series: list[Series] = []
    for summary in results.compared:
        means = (summary.metrics[name].macro if name in summary.metrics else None for name in names)
        series.append(Series(summary.model, (summary.rate.middle, *means)))
    note = ""
    if any(summary.rate.unscored for summary in results.compared):
        note = f" {RANGES}"
    if len(axes) < FEWEST_AXES:
        return bar_chart("Profile", axes, series, axis=score_axis(""))
    if len(series) > _MOST_POLYGONS:
        values = list(zip(*(each.values for each in series), strict=True))
        names_of_models = [each.name for each in series]
        return heatmap("Profile", axes, names_of_models, values, axis=score_axis("profile"), note=note.strip())
    return radar_chart(
        "Profile", axes, series, note=f"The further out, the better. An unknown value leaves a polygon open.{note}"
    )


def tag_panel(results: SuiteResults, tag: str, anchor: str) -> Markup:
    """Return the heatmaps of one tag, a tab for each metric, and the table of pass rates."""
    names = (PASS_RATE, *metrics_with_values(results))
    panels = [(name, chart.html(anchor, is_alone=True)) for name, chart in tag_heatmaps(results, tag, names)]
    table = tag_table(results.report, tag)
    return tabs(anchor, "Metric", panels) + folded(table.title, tables_markup([table]))


def tag_heatmaps(results: SuiteResults, tag: str, metrics: Sequence[str]) -> Iterator[tuple[str, Figure]]:
    """Yield each metric with its heatmap, which has a row for each value of the tag and a column for each model."""
    groups = group_by(
        (entry for entry in results.entries if tag in entry.tags), lambda entry: (entry.tags[tag], entry.model)
    )
    models = [summary.model for summary in results.compared]
    rows = sorted({value for value, _ in groups}, key=natural_key)
    for metric in metrics:
        cells = [[tag_value(metric, groups.get((row, model), ())) for model in models] for row in rows]
        is_rate = metric == PASS_RATE
        yield (
            metric,
            heatmap(
                f"{metric} by {tag}",
                rows,
                models,
                [[value for value, _ in row] for row in cells],
                axis=percent_axis(metric) if is_rate else score_axis(metric),
                counts=[[count for _, count in row] for row in cells],
                note="n: attempts with a verdict; –: the table has the range"
                if is_rate
                else "mean over tasks; n: attempts with a value",
            ),
        )


def tag_value(metric: str, entries: Sequence[Entry]) -> tuple[float | None, int]:
    """Return the pass rate, or the mean over tasks of a metric, with the number of attempts that have a value.

    The pass rate is ``None`` if an attempt is unscored.
    """
    if metric == PASS_RATE:
        rate = PassRate.of(entries)
        return rate.value, rate.verdicts
    trials = list(values_by_task(metric, entries).values())
    count = sum(map(len, trials))
    if not count:
        return None, 0
    return sum(sum(each) / len(each) for each in trials) / len(trials), count
