"""Explanation of a difference between two arms or runs, as lines for the terminal and as tables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

from pytest_mcpbench.core.gate.result import ChangedArgument, ChangedCell, ChangedText, Explanation
from pytest_mcpbench.core.tool_choice import NO_TOOL
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables.table import Table, filled_table
from pytest_mcpbench.reporting.tables.tools import weight
from pytest_mcpbench.text.natural_order import natural_key

# Differences of two texts word by word.

Change = Literal["same", "removed", "added"]
_WORD = re.compile(r"\s+|[\w'-]+|[^\w\s]")


@dataclass(frozen=True)
class DiffPart:
    """Stretch of words that both texts have, or one of them."""

    change: Change
    text: str


def word_diff(before: str, after: str) -> tuple[DiffPart, ...]:
    """Return the parts of both texts in order; those that are not removed make up the text after the change."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    parts: list[DiffPart] = []
    for kind, left, right, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(DiffPart("same", "".join(old[left:right])))
            continue
        if left < right:
            parts.append(DiffPart("removed", "".join(old[left:right])))
        if start < end:
            parts.append(DiffPart("added", "".join(new[start:end])))
    return tuple(parts)


_MOST_LINES = 5
_MOST_ROWS = 30
_MOST_TOOLS = 12
_CONTEXT = 40
_LONGEST_CALL = 300


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    """Yield the changed texts word by word, and the greatest changes in tools and arguments."""
    for text in explanation.texts[:_MOST_LINES]:
        yield f"changed: {_place(text)}, {text.tokens:+} tokens: {_inline(text)}"
    wrong = [cell for cell in explanation.cells if cell.expected != cell.called]
    for cell in wrong[:_MOST_LINES]:
        if cell.called == NO_TOOL:
            confusion = f"no tool for {one_line(cell.expected)}"
        elif cell.expected == NO_TOOL:
            confusion = f"{one_line(cell.called)} without need"
        else:
            confusion = f"{one_line(cell.called)} for {one_line(cell.expected)}"
        yield f"called: {confusion} {_change(cell)}"
    for argument in explanation.arguments[:_MOST_LINES]:
        yield f"argument: {argument.tool}.{argument.parameter}: {argument.mistake} {_change(argument)}"


def explanation_tables(explanation: Explanation, before: str, after: str) -> tuple[Table, ...]:
    """Return the changed texts, the confusion matrix, the changed arguments, and the traces side by side.

    Args:
        explanation: Everything that changed.
        before: Name of the baseline, for headings.
        after: Name of the candidate.
    """
    rows = [(_place(text), _inline(text, whole=True), f"{text.tokens:+}") for text in explanation.texts[:_MOST_ROWS]]
    note = "[-removed-] {+added+}; tokens are an estimate"
    mistakes = tuple(
        (f"{one_line(each.tool)}.{one_line(each.parameter)}", each.mistake, _change(each))
        for each in explanation.arguments[:_MOST_ROWS]
    )
    calls = [
        (one_line(traces.task) if index == 0 else "", *(one_line(line, _LONGEST_CALL) for line in pair))
        for traces in explanation.traces
        for index, pair in enumerate(zip_longest(traces.baseline, traces.candidate, fillvalue=""))
    ]
    tables = (
        filled_table("Changed texts", ("text", "change", "tokens"), rows, 2, note=note),
        _matrix(explanation, before, after),
        _cells(explanation),
        Table("Mistakes in arguments", ("parameter", "mistake", "tasks"), mistakes, 2),
        filled_table("Changed tasks", ("task", before, after), calls, 3),
    )
    return tuple(table for table in tables if table.rows)


def _matrix(explanation: Explanation, before: str, after: str) -> Table:
    """Return the matrix of the tools with changed cells; without rows if there are too many for a table."""
    cells = {(cell.expected, cell.called): cell for cell in explanation.cells}
    expected, called = (sorted({cell[side] for cell in cells}, key=natural_key) for side in (0, 1))
    rows = [
        (one_line(row), *(_change(cells[row, column]) if (row, column) in cells else "" for column in called))
        for row in expected
    ]
    note = (
        f"rows: expected tool; columns: called tool; {before} → {after}, each task counts once; "
        f"{NO_TOOL}: no call was expected, or none was made; cells that did not change are empty"
    )
    headings = ("expected", *(one_line(column) for column in called))
    return Table("Confusion of tools", headings, tuple(rows) if len(called) <= _MOST_TOOLS else (), 1, note)


def _cells(explanation: Explanation) -> Table:
    """Return the changed cells as a list if there are too many tools for a matrix."""
    cells = explanation.cells
    if len({cell.called for cell in cells}) <= _MOST_TOOLS:
        return Table("", (), ())
    rows = tuple((one_line(cell.expected), one_line(cell.called), _change(cell)) for cell in cells[:_MOST_ROWS])
    return Table("Confusion of tools", ("expected", "called", "tasks"), rows, 2, "the greatest changes first")


def _place(text: ChangedText) -> str:
    return ": ".join(one_line(part) for part in (text.tool, text.place) if part)


def _change(count: ChangedCell | ChangedArgument) -> str:
    return f"{weight(count.before)} → {weight(count.after)}"


def _inline(text: ChangedText, *, whole: bool = False) -> str:
    """Return both texts as one, with removed and added words marked; long unchanged stretches are cut."""
    parts = word_diff(text.before, text.after)
    marks = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
    shown: list[str] = []
    for index, part in enumerate(parts):
        stretch = part.text
        if not whole and part.change == "same" and len(stretch) > 2 * _CONTEXT:
            head = "" if index == 0 else stretch[:_CONTEXT]
            tail = "" if index == len(parts) - 1 else stretch[-_CONTEXT:]
            stretch = f"{head} … {tail}"
        opening, closing = marks[part.change]
        shown.append(f"{opening}{stretch}{closing}")
    return one_line("".join(shown), 2000 if whole else 240)
