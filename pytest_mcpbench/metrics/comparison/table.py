"""Expected and actual calls side by side, as rows for messages and reports."""

from pytest_mcpbench.core.call_text import format_call, format_reference
from pytest_mcpbench.core.tool_choice import ComparisonRow
from pytest_mcpbench.metrics.comparison.calls import CallMatching


def comparison_rows(matching: CallMatching) -> tuple[ComparisonRow, ...]:
    """Return a row for each reference call in its order, then one for each call that nothing was expected for.

    A reference without an equal call stands beside the nearest call of its tool. No value is truncated: a record
    keeps the rows for every report.
    """
    nearest = matching.nearest()
    rows = [_row(matching, reference, nearest.get(reference)) for reference in range(len(matching.expected))]
    shown = set(nearest.values())
    return (
        *rows,
        *(
            ComparisonRow("", format_call(matching.calls[index], limit=None), "extra", call_index=index)
            for index in matching.extra
            if index not in shown
        ),
    )


def _row(matching: CallMatching, reference: int, nearest: int | None) -> ComparisonRow:
    expected = format_reference(matching.expected[reference], limit=None)
    paired = matching.pairs.get(reference)
    if paired is not None:
        return ComparisonRow(expected, format_call(matching.calls[paired], limit=None), "same", call_index=paired)
    if nearest is None:
        return ComparisonRow(expected, "", "missing")
    reasons = tuple(map(str, matching.mismatches[reference][nearest]))
    return ComparisonRow(expected, format_call(matching.calls[nearest], limit=None), "different", reasons, nearest)
