from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.metrics.response import Response
from tests.builders import a_call, a_task, evidence_of

TASK = a_task()


def _judged(evidence: AttemptEvidence, *labels: str | None) -> AttemptEvidence:
    keys = (question.key for question in Response().questions(TASK, evidence))
    verdicts = (
        Verdict(label=label, error=None if label else "silent", judge="j", prompt_version="1") for label in labels
    )
    return evidence.model_copy(update={"verdicts": dict(zip(keys, verdicts, strict=True))})


def test_the_score_is_the_share_of_calls_whose_result_is_a_success() -> None:
    unsent = a_call("send").model_copy(update={"result": None})
    evidence = evidence_of((a_call("read", result="42"), a_call("find", result='{"success": false}'), unsent))
    assert Response()(TASK, _judged(evidence, "success", "failure")) == Score(
        value=1 / 3,
        reasons=("call 1 (read): success", "call 2 (find): failure", "call 3 (send): failure"),
        counts={"part": 1, "whole": 3},
    )


def test_the_judge_sees_that_a_result_is_an_error() -> None:
    (question,) = Response().questions(TASK, evidence_of((a_call("read", result=ToolResult.failure("gone", "tool")),)))
    assert (question.kind, question.evidence, question.labels) == ("response", "error: gone", ("success", "failure"))


def test_without_a_verdict_it_is_unscored() -> None:
    evidence = evidence_of((a_call("read"),))
    assert Response()(TASK, evidence) == Score.missing("call 1 (read): no judge is configured", "needs_reader")
    assert Response()(TASK, _judged(evidence, None)) == Score.missing(
        "call 1 (read): judge 'j' gave no verdict: silent"
    )


def test_without_calls_it_is_unscored() -> None:
    assert Response()(TASK, evidence_of()) == Score.missing("no tool was called")
