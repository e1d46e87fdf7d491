"""Metrics ``failure_modes`` and ``failure_patterns``: why an attempt failed by MCP-Atlas, as a judge finds."""

from collections.abc import Collection
from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.failure_analysis.atlas_modes import (
    MODES,
    NO_FAILURE,
    PATTERNS_2025,
    category,
    failure_question,
    pattern_question,
)
from pytest_mcpbench.metrics.judged import without_verdict


@dataclass(frozen=True)
class FailureModes:
    """Score of 1 if the judge found no failure, else 0 with the mode; the attempt's failures have the mode, too.

    For diagnosis, not for ranking: give it no floor. Unscored without a judge that can answer it.
    """

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return the one question about the attempt."""
        return (failure_question(task, evidence),)

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        verdict = evidence.verdict(failure_question(task, evidence))
        return _score(verdict, MODES, f"{category(verdict.label)}: " if verdict and verdict.label in MODES else "")


@dataclass(frozen=True)
class FailurePatterns:
    """Score of 1 if the judge found no failure, else 0 with the pattern of the benchmark's page of September 2025.

    The pattern is also the label ``atlas_primary_2025`` of an attempt that failed. For diagnosis, not for ranking: give
    it no floor. Unscored without a judge that can answer it.
    """

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return the one question about the attempt."""
        return (pattern_question(task, evidence),)

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        return _score(evidence.verdict(pattern_question(task, evidence)), PATTERNS_2025)


def _score(verdict: Verdict | None, known: Collection[str], prefix: str = "") -> Score:
    if verdict is not None and verdict.label == NO_FAILURE:
        return Score.verdict(True, [f"no failure ({verdict.judge}): {verdict.reason}"])
    if verdict is None or verdict.error or verdict.label not in known:
        return without_verdict(verdict)
    return Score.verdict(False, [f"{prefix}{verdict.label} ({verdict.judge}): {verdict.reason}"])
