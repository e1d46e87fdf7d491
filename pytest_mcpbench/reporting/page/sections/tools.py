"""Section about tools: which were called instead of the expected ones, mistakes in arguments, and definitions."""

from collections.abc import Sequence

from markupsafe import Markup

from pytest_mcpbench.core.tool_choice import NO_TOOL
from pytest_mcpbench.reporting.aggregates.tool_choices import Cell, ModelChoices, model_choices
from pytest_mcpbench.reporting.charts.axis import Axis
from pytest_mcpbench.reporting.charts.figure import Figure
from pytest_mcpbench.reporting.charts.heatmap import heatmap
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.page.sections.layout import folded_tables, paragraph
from pytest_mcpbench.reporting.page.sections.suite_results import SuiteResults
from pytest_mcpbench.reporting.tables.section import Section, tabs
from pytest_mcpbench.reporting.tables.tools import (
    argument_table,
    category_table,
    confusion_table,
    definition_table,
    tool_accuracy_table,
    tool_call_table,
    tool_selection_table,
    weight,
)
from pytest_mcpbench.text.natural_order import natural_key

_MOST_EXPECTED = 14
_MOST_CALLED = 9
OTHERS = "other tools"


def tools_section(results: SuiteResults) -> Section | None:
    """Return the confusion of tools by model and all tables about tools; ``None`` if the suite has none of them."""
    choices_list = model_choices(results.report)
    panels: list[tuple[str, Markup]] = []
    for choices in choices_list:
        chart = confusion_chart(choices)
        shown = (
            chart.html(results.section_id("tools"))
            if chart is not None
            else paragraph("Every call was one that the tasks expect.")
        )
        panels.append((choices.model, shown))
    tables = (
        confusion_table(choices_list),
        tool_accuracy_table(choices_list),
        argument_table(choices_list),
        tool_selection_table(results.report),
        tool_call_table(results.report),
        definition_table(results.report),
        category_table(results.report),
    )
    body = tabs(results.section_id("tools-model"), "Model", panels) if panels else Markup()
    body += folded_tables(tables)
    return Section(results.section_id("tools"), "Tools: expected → called", body, results.suite) if body else None


def confusion_chart(choices: ModelChoices) -> Figure | None:
    """Return the expected tools with the most wrong calls as rows, and the tools that were called as columns.

    The diagonal of right calls is the first column. ``None`` if every call was right.
    """
    wrong = {cell: count for cell, count in choices.cells.items() if cell[0] != cell[1]}
    if not wrong:
        return None
    rows = _most(wrong, 0, _MOST_EXPECTED)
    called = _most({cell: count for cell, count in wrong.items() if cell[0] in rows}, 1, _MOST_CALLED)
    hidden = {cell[1] for cell in wrong if cell[0] in rows} - set(called)
    columns = ["as expected", *called, *([OTHERS] if hidden else [])]
    values = [
        [
            choices.cells.get((row, row), 0.0) if row != NO_TOOL else None,
            *(wrong.get((row, column)) for column in called),
            *([sum(wrong.get((row, column), 0.0) for column in hidden) or None] if hidden else []),
        ]
        for row in rows
    ]
    return heatmap(
        f"Expected → called: {choices.model}",
        [one_line(row, 60) for row in rows],
        [one_line(column, 60) for column in columns],
        values,
        axis=Axis("calls", weight, 0.0),
        note=(
            f"Calls of each expected tool (rows) by the tool that was called; each task counts once. {NO_TOOL}: no "
            f"call was expected, or none was made. {len(rows)} of {len({cell[0] for cell in wrong})} tools with a "
            "wrong call."
        ),
    )


def _most(cells: dict[Cell, float], side: int, most: int) -> Sequence[str]:
    """Return the names on one side of the cells with the greatest sums, the greatest first."""
    sums: dict[str, float] = {}
    for cell, count in cells.items():
        sums[cell[side]] = sums.get(cell[side], 0.0) + count
    return sorted(sums, key=lambda name: (-sums[name], natural_key(name)))[:most]
