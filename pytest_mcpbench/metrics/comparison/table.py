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
    rows = []
    for reference, call in enumerate(matching.expected):
        expected = format_reference(call, limit=None)
        paired, near = matching.pairs.get(reference), nearest.get(reference)
        if paired is not None:
            actual = format_call(matching.calls[paired], limit=None)
            rows.append(ComparisonRow(expected, actual, "same", call_index=paired))
        elif near is None:
            rows.append(ComparisonRow(expected, "", "missing"))
        else:
            actual = format_call(matching.calls[near], limit=None)
            reasons = tuple(map(str, matching.mismatches[reference][near]))
            rows.append(ComparisonRow(expected, actual, "different", reasons, near))
    shown = set(nearest.values())
    return (
        *rows,
        *(
            ComparisonRow("", format_call(matching.calls[index], limit=None), "extra", call_index=index)
            for index in matching.extra
            if index not in shown
        ),
    )
