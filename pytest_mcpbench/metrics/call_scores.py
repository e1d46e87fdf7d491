"""Scores of reference calls that are paired with actual calls."""

from pytest_mcpbench.core.call_text import format_call
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.comparison.calls import CallMatching

NO_REFERENCE = "the task has no reference calls"


def score_without_reference(task: Task, evidence: AttemptEvidence) -> Score:
    """Return not applicable or, if the task forbids all tools, whether none was called."""
    if task.expected.forbidden_tools != "all":
        return Score.not_applicable(NO_REFERENCE)
    reasons = [
        f"call {number}: {format_call(call)}, where none is expected" for number, call in enumerate(evidence.calls, 1)
    ]
    return Score.of(float(not evidence.calls), reasons, matched=0, expected=0, called=len(evidence.calls))


def score_of_all(matching: CallMatching, *, extra_is_wrong: bool) -> Score:
    """Return 1 if every reference call is matched and, if ``extra_is_wrong``, every call is; otherwise 0."""
    is_right = not matching.missing and not (extra_is_wrong and matching.extra)
    return Score.of(float(is_right), matching.reasons(with_extra=extra_is_wrong), **counts_of(matching))


def score_of_share(matching: CallMatching) -> Score:
    """Return the share of the reference calls that have their call."""
    share = len(matching.pairs) / len(matching.expected)
    return Score.of(share, matching.reasons(with_extra=False), **counts_of(matching))


def counts_of(matching: CallMatching) -> dict[str, float]:
    """Return the counts ``matched``, ``expected`` and ``called``."""
    return {"matched": len(matching.pairs), "expected": len(matching.expected), "called": len(matching.calls)}
