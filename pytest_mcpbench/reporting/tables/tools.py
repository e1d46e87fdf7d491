"""Tables of called tools, failed calls and definitions."""

from collections.abc import Sequence

from pytest_mcpbench.core.report import Report
from pytest_mcpbench.core.tool_choice import MISTAKES, NO_TOOL
from pytest_mcpbench.reporting.aggregates.tool_choices import ModelChoices, selection_cells
from pytest_mcpbench.reporting.aggregates.tool_statistics import (
    category_sizes,
    definition_sizes,
    root_causes,
    tool_rates,
)
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.table import Table, filled_table, model_name
from pytest_mcpbench.text.natural_order import natural_keys


def tool_selection_table(report: Report) -> Table:
    """Return the cells of MCP-RADAR's Table 4, as shares of the attempts at tasks with several reference calls."""
    rows: list[tuple[str, ...]] = []
    for cells in selection_cells(report):
        # Without a hint the paper has one cell only.
        counts = {"2/": cells.all_right}
        if cells.is_hinted:
            counts = {"2/2": cells.all_right, "1/1": cells.fewer_all_right, "1/2": cells.some_right}
        start = cells.suite, model_name(cells.model)
        rows += [
            (
                *start,
                cell,
                number_formats.count(cells.attempts),
                number_formats.count(count),
                number_formats.score(count / cells.attempts),
            )
            for cell, count in counts.items()
        ]
    note = (
        "tasks with several reference calls; 2/ and 2/2: all right, without and with a hint of their number; "
        "1/1: fewer calls, all right; 1/2: some right"
    )
    return filled_table("Multi-tool selection", ("suite", "model", "cell", "n", "attempts", "ACC"), rows, 3, note=note)


def tool_call_table(report: Report) -> Table:
    """Return the table of call success by server and tool."""
    rows = [
        (
            rate.suite,
            model_name(rate.model),
            one_line(rate.server, 40),
            "(all)" if rate.tool is None else one_line(rate.tool, 60),
            number_formats.count(rate.calls),
            number_formats.count(rate.successes),
            number_formats.percent(rate.successes / rate.calls),
        )
        for rate in tool_rates(report)
    ]
    return filled_table("Tool calls", ("suite", "model", "server", "tool", "calls", "successes", "success"), rows, 4)


def root_cause_table(report: Report) -> Table:
    """Return the table of root causes of failed calls (MCPToolBench++ 4.3)."""
    rows = [
        (
            cause.suite,
            model_name(cause.model),
            cause.cause,
            number_formats.count(cause.calls),
            number_formats.percent(cause.calls / cause.of),
        )
        for cause in root_causes(report)
    ]
    return filled_table("Root causes", ("suite", "model", "cause", "calls", "share of calls"), rows, 3)


def definition_table(report: Report) -> Table:
    """Return the table with the tokens of tool definitions (MCPToolBench++ Table 1)."""
    rows = [
        (
            size.suite,
            one_line(size.server, 40),
            number_formats.count(size.tools),
            number_formats.count(size.tokens),
            f"{size.tokens / size.tools:.0f}",
        )
        for size in definition_sizes(report)
    ]
    return filled_table("Tool definitions", ("suite", "server", "tools", "tokens (estimate)", "tokens a tool"), rows, 2)


def category_table(report: Report) -> Table:
    """Return the sums of MCPToolBench++ Table 1, and the tokens of the exposed tools compared with those of all."""
    rows = [
        (
            size.suite,
            "all" if size.category is None else one_line(size.category, 40),
            number_formats.count(size.tasks),
            number_formats.count(size.tools),
            f"{size.tokens / size.tools:.0f}",
            number_formats.count(size.tokens),
            f"{size.exposed_a_task:.0f}",
            f"{size.offered_a_task:.0f}",
            number_formats.percent(size.exposed_share),
        )
        for size in category_sizes(report)
    ]
    headings = ("suite", "category", "tasks", "tools", "tokens a tool", "tokens (estimate)")
    more = ("exposed a task", "all a task", "exposed")
    note = "tokens of the definitions of the exposed tools, and of all tools of the task's servers; means over tasks"
    return filled_table("Tool definitions by category", (*headings, *more), rows, 2, note=note)


# Tables of confused tools and of mistakes in arguments.

_LONGEST_NAME = 60
_MOST_INSTEAD = 3
_ROWS_OF_A_SUITE = 30
_WEIGHTS = "each task counts once, whatever the number of its trials"


def tool_accuracy_table(choices_list: Sequence[ModelChoices]) -> Table:
    """Return the tools that were missed or called without need, with recall and precision."""
    rows: list[tuple[str, ...]] = []
    for choices in choices_list:
        for tool in choices.tools:
            if (tool.recall, tool.precision) == (1.0, 1.0):
                continue
            instead = [f"{one_line(name, _LONGEST_NAME)} {weight(count)}" for name, count in tool.instead.items()]
            shown = instead[:_MOST_INSTEAD] + ["…"] * (len(instead) > _MOST_INSTEAD)
            rows.append(
                (
                    *_names(choices.suite, choices.model),
                    one_line(tool.tool, _LONGEST_NAME),
                    ", ".join(shown),
                    weight(tool.expected),
                    number_formats.percent(tool.recall),
                    number_formats.percent_interval(tool.recall_interval),
                    weight(tool.called),
                    number_formats.percent(tool.precision),
                    number_formats.percent_interval(tool.precision_interval),
                )
            )
    headings = ("suite", "model", "tool", "called instead", "expected", "recall", "95 % interval")
    more = ("called", "precision", "95 % interval ")
    return filled_table("Tool choice", (*headings, *more), rows, 4, note=f"tools with a wrong call; {_WEIGHTS}")


def confusion_table(choices_list: Sequence[ModelChoices]) -> Table:
    """Return the wrong cells of the confusion matrices, the most frequent first."""
    rows: list[tuple[str, ...]] = []
    for choices in choices_list:
        wrong = [(cell, count) for cell, count in choices.cells.items() if cell[0] != cell[1]]
        wrong.sort(key=lambda pair: (-pair[1], natural_keys(pair[0])))
        rows += [
            (
                *_names(choices.suite, choices.model),
                *(one_line(name, _LONGEST_NAME) for name in cell),
                weight(count),
            )
            for cell, count in wrong[:_ROWS_OF_A_SUITE]
        ]
    note = f"{NO_TOOL}: no call was expected, or none was made; {_WEIGHTS}"
    return filled_table("Confused tools", ("suite", "model", "expected", "called", "calls"), rows, 4, note=note)


def argument_table(choices_list: Sequence[ModelChoices]) -> Table:
    """Return the parameters with mistakes, by kind of mistake."""
    rows = [
        (
            *_names(choices.suite, choices.model),
            one_line(f"{each.tool}.{each.parameter}", _LONGEST_NAME),
            weight(each.compared),
            *(weight(each.mistakes.get(kind, 0.0)) for kind in MISTAKES),
        )
        for choices in choices_list
        for each in choices.arguments
        if each.mistakes
    ]
    headings = ("suite", "model", "parameter", "compared", *MISTAKES)
    return filled_table("Mistakes in arguments", headings, rows, 3, note=_WEIGHTS)


def weight(count: float) -> str:
    """Return a number of calls; fractions come from several trials of a task."""
    return f"{count:.2f}".rstrip("0").rstrip(".")


def _names(suite: str, model: str) -> tuple[str, str]:
    return one_line(suite, 40), one_line(model, 40)
