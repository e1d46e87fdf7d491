"""Comparison of two runs on disk, with explanations from their records."""

from collections.abc import Iterator
from pathlib import Path

from pytest_mcpbench.core.gate.explanation import Explanation
from pytest_mcpbench.core.report import Report
from pytest_mcpbench.reporting.conditions import differing_conditions
from pytest_mcpbench.reporting.model_comparison import PASSED, matching_attempts
from pytest_mcpbench.reporting.pull_request.comparison import ComparedRuns
from pytest_mcpbench.reporting.regressions import RunComparison, compare_runs
from pytest_mcpbench.runtime.arms.explanation import Side, changes_between, explain

RunReport = tuple[Report, Path]
"""A report with the directory of its records."""


def compared_runs(before: RunReport, after: RunReport, *, most_traces: int) -> ComparedRuns:
    """Return two runs with their comparison, and at most so many pairs of trajectories for each suite and model."""
    reports = before[0], after[0]
    comparison = compare_runs(*reports)
    explanations = dict(_explanations(comparison, before, after, most_traces))
    differing = list(differing_conditions(reports[0].facts, reports[1].facts))
    return ComparedRuns(*reports, comparison, differing, explanations)


def _explanations(
    comparison: RunComparison, before: RunReport, after: RunReport, most_traces: int
) -> Iterator[tuple[tuple[str, str], Explanation]]:
    """Yield the explanation of each suite and model whose passes are compared."""
    passes = {(pair.suite, pair.left): pair for pair in comparison.pairs if pair.metric == PASSED}
    for ours, theirs in matching_attempts(before[0].entries, after[0].entries):
        pair = passes.get((ours[0].series, ours[0].model))
        if pair is not None:
            sides = Side(ours, before[1]), Side(theirs, after[1])
            worse = [task for task, left, right in pair.changed if right < left]
            better = [task for task, left, right in pair.changed if right > left]
            changes = changes_between(*sides, [*worse, *better])
            yield (
                (pair.suite, pair.left),
                explain(*sides, changes=changes, worse=worse, better=better, most_traces=most_traces),
            )
