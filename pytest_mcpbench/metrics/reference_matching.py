"""Matching of calls with reference calls by the metrics that decide about an attempt.

Reports say with it which calls and arguments were wrong, so that they never blame a call for what its metric accepts.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.catalogue import BUILT_IN, resolve
from pytest_mcpbench.metrics.comparison.calls import CallComparison, CallMatching, Mismatch, match_calls, matching_of

MatchReferences = Callable[[Sequence[ExpectedCall], Task, AttemptEvidence], CallMatching]
"""Pair reference calls of a task, all or some, with the calls of an attempt."""


@runtime_checkable
class MatchingMetric(Protocol):
    """A metric that compares calls with reference calls, one by one."""

    def match_references(
        self, expected: Sequence[ExpectedCall], task: Task, evidence: AttemptEvidence
    ) -> CallMatching: ...


def match_strictly(expected: Sequence[ExpectedCall], _task: Task, evidence: AttemptEvidence) -> CallMatching:
    """Return the matching of ``ast`` without settings."""
    return match_calls(expected, evidence.calls, ToolIndex.of(evidence.tools), CallComparison())


def deciding_matching(settings: Mapping[str, Mapping[str, Any]], floors: Collection[str]) -> MatchReferences:
    """Return the matching of the metrics with a floor: a call is right if all of them accept it.

    If none of them compares calls, it is that of the first other metric that does; without one, the strict matching.
    Metrics of hooks have no part in it.

    Args:
        settings: Settings of each metric of the attempt, by name.
        floors: Names of the metrics with a floor.
    """
    metrics: dict[str, object] = {name: resolve(name, values) for name, values in settings.items() if name in BUILT_IN}
    matching = {name: metric for name, metric in metrics.items() if isinstance(metric, MatchingMetric)}
    deciding = [metric for name, metric in matching.items() if name in floors] or [*matching.values()][:1]
    if not deciding:
        return match_strictly

    def match(expected: Sequence[ExpectedCall], task: Task, evidence: AttemptEvidence) -> CallMatching:
        matchings = [metric.match_references(expected, task, evidence) for metric in deciding]
        first, *others = matchings
        if not others:
            return first
        of_references = zip(*(matching.mismatches for matching in matchings), strict=True)
        rows = tuple(
            tuple(_unique(found) for found in zip(*of_reference, strict=True)) for of_reference in of_references
        )
        return matching_of(first.expected, first.calls, rows)

    return match


def _unique(found: Sequence[tuple[Mismatch, ...]]) -> tuple[Mismatch, ...]:
    return tuple({mismatch.reason: mismatch for mismatches in found for mismatch in mismatches}.values())
