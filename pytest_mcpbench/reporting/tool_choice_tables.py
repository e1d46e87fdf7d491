"""Tables of confused tools and of mistakes in arguments."""

from collections.abc import Mapping, Sequence

from pytest_mcpbench.core.natural_order import natural_keys
from pytest_mcpbench.core.tool_choice import MISTAKES, NO_TOOL
from pytest_mcpbench.reporting import number_formats
from pytest_mcpbench.reporting.display_text import one_line
from pytest_mcpbench.reporting.table import Table, filled_table
from pytest_mcpbench.reporting.tool_choices import Cell, ModelChoices

_LONGEST_NAME = 60
_MOST_INSTEAD = 3
_ROWS_OF_A_SUITE = 30
_WEIGHTS = "each task counts once, whatever the number of its trials"


def tool_accuracy_table(choices_list: Sequence[ModelChoices]) -> Table:
    """Return the tools that were missed or called without need, with recall and precision."""
    rows = [
        (
            *_names(choices.suite, choices.model),
            one_line(tool.tool, _LONGEST_NAME),
            _instead(tool.instead),
            weight(tool.expected),
            number_formats.percent(tool.recall),
            number_formats.percent_interval(tool.recall_interval),
            weight(tool.called),
            number_formats.percent(tool.precision),
            number_formats.percent_interval(tool.precision_interval),
        )
        for choices in choices_list
        for tool in choices.tools
        if (tool.recall, tool.precision) != (1.0, 1.0)
    ]
    headings = ("suite", "model", "tool", "called instead", "expected", "recall", "95 % interval")
    more = ("called", "precision", "95 % interval ")
    return filled_table("Tool choice", (*headings, *more), rows, 4, note=f"tools with a wrong call; {_WEIGHTS}")


def confusion_table(choices_list: Sequence[ModelChoices]) -> Table:
    """Return the wrong cells of the confusion matrices, the most frequent first."""
    rows = [
        (
            *_names(choices.suite, choices.model),
            *(one_line(name, _LONGEST_NAME) for name in cell),
            weight(count),
        )
        for choices in choices_list
        for cell, count in _wrong(choices.cells)
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


def _wrong(cells: Mapping[Cell, float]) -> list[tuple[Cell, float]]:
    wrong = [(cell, count) for cell, count in cells.items() if cell[0] != cell[1]]
    return sorted(wrong, key=lambda pair: (-pair[1], natural_keys(pair[0])))[:_ROWS_OF_A_SUITE]


def _names(suite: str, model: str) -> tuple[str, str]:
    return one_line(suite, 40), one_line(model, 40)


def _instead(tools: Mapping[str, float]) -> str:
    shown = [f"{one_line(tool, _LONGEST_NAME)} {weight(count)}" for tool, count in list(tools.items())[:_MOST_INSTEAD]]
    return ", ".join(shown + ["…"] * (len(tools) > _MOST_INSTEAD))
