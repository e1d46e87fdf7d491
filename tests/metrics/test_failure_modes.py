import pytest

from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.metrics.failure_modes import FailureModes, FailurePatterns
from tests.builders import a_call, a_task, evidence_of

TASK = a_task()
RUN = evidence_of((a_call("read"),), answer="Wrong.")


def _score(**fields: str | None) -> Score:
    verdict = Verdict(**{"label": None, "judge": "a-judge", "prompt_version": "1", "reason": "It is so.", **fields})
    (question,) = FailureModes().questions(TASK, RUN)
    return FailureModes()(TASK, RUN.model_copy(update={"verdicts": {question.key: verdict}}))


@pytest.mark.parametrize(
    ("label", "score"),
    [
        ("no_failure", Score(value=1, reasons=("no failure (a-judge): It is so.",))),
        ("wrong_tool", Score(value=0, reasons=("tool_call: wrong_tool (a-judge): It is so.",))),
        ("logical_error", Score(value=0, reasons=("cognitive: logical_error (a-judge): It is so.",))),
    ],
)
def test_the_score_names_the_mode_with_its_category(label: str, score: Score) -> None:
    assert _score(label=label) == score


def test_without_a_verdict_it_is_unscored() -> None:
    assert FailureModes()(TASK, RUN) == Score.missing("no judge is configured", "needs_reader")
    assert _score(error="it was silent") == Score.missing("judge 'a-judge' gave no verdict: it was silent")
    assert _score(label="no_such_mode") == Score.missing(
        "judge 'a-judge' gave no verdict: the judge's label is 'no_such_mode'"
    )


def test_a_pattern_is_found_by_a_judge_that_is_asked_for_patterns() -> None:
    (question,) = FailurePatterns().questions(TASK, RUN)
    verdict = Verdict(label="task_understanding:skipped_steps", judge="a-judge", prompt_version="1", reason="It is so.")
    score = FailurePatterns()(TASK, RUN.model_copy(update={"verdicts": {question.key: verdict}}))
    assert score == Score(value=0, reasons=("task_understanding:skipped_steps (a-judge): It is so.",))
    assert FailurePatterns()(TASK, RUN) == Score.missing("no judge is configured", "needs_reader")
