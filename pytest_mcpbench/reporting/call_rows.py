"""Rows of reference calls beside actual calls, as lines of text."""

from collections.abc import Callable, Iterator
from itertools import zip_longest

from pytest_mcpbench.core.comparison_row import ComparisonRow
from pytest_mcpbench.reporting.display_text import pad, short_reason

_SIGNS = {"same": "=", "different": "≠", "missing": "-", "extra": "+"}

Wrap = Callable[[str, int], list[str]]


def column_width(columns: int) -> int:
    """Return the width of each of the two columns on a terminal with that many columns."""
    return max(30, (columns - 5) // 2)


def heading(half: int) -> str:
    """Return the headings of both columns."""
    return f"  {pad('expected calls', half, to_the_left=True)}  actual calls"


def row_lines(
    row: ComparisonRow, half: int, wrap: Wrap, format_reason: Callable[[str], str] = short_reason
) -> Iterator[str]:
    """Yield the lines of one row: a sign, both calls wrapped to ``half`` columns, and the differences."""
    sides = wrap(row.expected, half) or [""], wrap(row.actual, half) or [""]
    for index, (expected, actual) in enumerate(zip_longest(*sides, fillvalue="")):
        sign = _SIGNS[row.verdict] if index == 0 else " "
        yield f"{sign} {pad(expected, half, to_the_left=True)}  {actual}".rstrip()
    for reason in row.reason:
        yield f"    {format_reason(reason)}"
