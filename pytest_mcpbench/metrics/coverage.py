"""Metric ``coverage``: share of the reference's claims that the agent's answer makes (MCP-Atlas, scoring framework)."""

import json
from dataclasses import dataclass
from typing import Literal

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.metrics.judged import background_of, mean_of_grades


@dataclass(frozen=True)
class Coverage:
    """Mean over the claims of fulfilled 1, partially fulfilled 0.5, not fulfilled 0; rounded to 3 decimals.

    The judge sees one claim and the answer (the last non-empty assistant text). An empty answer scores 0 without
    asking. Without claims it does not apply. A task passes at 0.75: set it as the metric's floor.
    """

    profile: Literal["claim", "with_request"] = "claim"
    """``claim``: the judge sees nothing else, as in the authors' code and in the paper's appendix. ``with_request``: it
    also sees the task's prompt, as in the "Judging Protocol" of the benchmark's web page."""
    official: bool = False
    """True if a verdict that failed counts as 0, as in the authors' code; else the score is unscored."""

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return one question per claim; none if the answer is empty."""
        if not evidence.answer:
            return ()
        request = task.prompt if self.profile == "with_request" else None
        found = (checkpoint.value for checkpoint in task.expected.exec if checkpoint.value is not None)
        values = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in found)
        background = background_of(task, evidence, (*task.expected.claims, *values))
        return tuple(
            Question.about_claim(claim, evidence.answer, request, background) for claim in task.expected.claims
        )

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        claims = task.expected.claims
        if not claims:
            return Score.not_applicable("the task has no claims")
        if not evidence.answer:
            return Score.of(0.0, ["the answer is empty"], part=0, whole=len(claims))
        score = mean_of_grades(evidence, self.questions(task, evidence), official=self.official)
        return score if score.value is None else score.model_copy(update={"value": round(score.value, 3)})


COVERAGE_WITH_REQUEST = Coverage(profile="with_request")
"""The metric ``coverage_with_request``, with which one run reports both profiles."""
