"""Metric ``failure_modes``: the failure mode of MCP-Atlas that a judge finds in an attempt."""

from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.failure_analysis.atlas_modes import MODES, NO_FAILURE, category, failure_question
from pytest_mcpbench.metrics.judged import NO_JUDGE


@dataclass(frozen=True)
class FailureModes:
    """Score of 1 if the judge found no failure, else 0 with the mode; the mode also appears among the run's failures.

    For diagnosis, not for ranking: give it no floor. Unscored without a judge that can answer it.
    """

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return the one question about the attempt."""
        return (failure_question(task, evidence),)

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        verdict = evidence.verdict(failure_question(task, evidence))
        if verdict is None:
            return Score.missing(NO_JUDGE)
        if verdict.label == NO_FAILURE:
            return Score.verdict(True, [f"no failure ({verdict.judge}): {verdict.reason}"])
        if verdict.error or verdict.label not in MODES:
            return Score.missing(f"judge {verdict.judge!r} gave no verdict: {verdict.error or verdict.label}")
        mode = verdict.label
        return Score.verdict(False, [f"{category(mode)}: {mode} ({verdict.judge}): {verdict.reason}"])
