"""Expected and actual calls side by side, as rows for messages and reports."""

from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.core.comparison import (
    CallComparison,
    CallMatching,
    Comparison,
    described_call,
    described_reference,
    match_calls,
)
from pytest_mcpbench.core.run import Run
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool_index import ToolIndex

RowVerdict = Literal["same", "different", "missing", "extra"]


@dataclass(frozen=True)
class ComparisonRow:
    """One reference call beside the call that was made for it; one of the two may be absent (empty)."""

    expected: str
    actual: str
    verdict: RowVerdict
    reason: tuple[str, ...] = ()
    """What differs, a sentence a place."""
    call_index: int | None = None
    """Position of the actual call among all calls of the run, from 0."""


def comparison_rows(task: Task, run: Run, comparison: Comparison | None = None) -> tuple[ComparisonRow, ...]:
    """A row for each reference call in its order, then one for each call that nothing was expected for.

    Paired as ``ast`` pairs them, strictly if nothing else is given; a reference without an equal call stands beside
    the nearest call of its tool.
    """
    matching = match_calls(task.expected.flat_calls, run.calls, ToolIndex.of(run.tools), comparison or CallComparison())
    nearest = matching.nearest()
    rows = [_row(matching, reference, nearest.get(reference)) for reference in range(len(matching.expected))]
    shown = set(nearest.values())
    return (*rows, *(_extra(matching, index) for index in matching.extra if index not in shown))


def _row(matching: CallMatching, reference: int, nearest: int | None) -> ComparisonRow:
    expected = described_reference(matching.expected[reference])
    paired = matching.pairs.get(reference)
    if paired is not None:
        return ComparisonRow(expected, described_call(matching.calls[paired]), "same", call_index=paired)
    if nearest is None:
        return ComparisonRow(expected, "", "missing")
    reasons = tuple(map(str, matching.mismatches[reference][nearest]))
    return ComparisonRow(expected, described_call(matching.calls[nearest]), "different", reasons, nearest)


def _extra(matching: CallMatching, index: int) -> ComparisonRow:
    return ComparisonRow("", described_call(matching.calls[index]), "extra", call_index=index)
