"""Metric ``response``: share of the calls whose result a judge reads as a success (MCPToolBench++ 4.1.2, Pass@K)."""

from dataclasses import dataclass

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.metrics.judged import without_verdict

SUCCESS, FAILURE = "success", "failure"


@dataclass(frozen=True)
class Response:
    """Share of the calls whose result a judge reads as a success; a call without a result is a failure unasked.

    The paper labels results with a model, because a server may say 200 and report a failure in its text. By rule the
    same is ``tool_success``. Without calls it is unscored.
    """

    def questions(self, task: Task, evidence: AttemptEvidence) -> tuple[Question, ...]:
        """Return one question for each call with a result."""
        return tuple(_question(task, call) for call in evidence.calls if call.result is not None)

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        if not evidence.calls:
            return Score.missing("no tool was called")
        successes = 0
        reasons = []
        for number, call in enumerate(evidence.calls, 1):
            label = FAILURE
            if call.result is not None:
                verdict = evidence.verdict(_question(task, call))
                if verdict is None or verdict.label not in (SUCCESS, FAILURE):
                    missing = without_verdict(verdict)
                    return Score.missing(f"call {number} ({call.called}): {missing.unscored}", missing.gap)
                label = verdict.label
            successes += label == SUCCESS
            reasons.append(f"call {number} ({call.called}): {label}")
        return Score.share(successes, len(evidence.calls), reasons)


def _question(task: Task, call: CallRecord) -> Question:
    result = call.result
    said = "" if result is None else result.text
    return Question(
        kind="response",
        statement=f"The call {call.called}({call.arguments}) succeeded and its result holds what the call is for.",
        evidence=f"error: {said}" if result is not None and result.is_error else said,
        context={"request": task.prompt},
        labels=(SUCCESS, FAILURE),
    )
