"""Questions and verdicts."""

from pytest_mcpbench.core.judgement import Question, Verdict

QUESTION = Question(kind="response", statement="The call succeeded.", evidence="14 °C", labels=("success", "failure"))


def test_a_verdict_says_what_it_decides() -> None:
    verdict = Verdict(label="success", judge="exact", prompt_version="1")
    assert verdict.about(QUESTION) == verdict.model_copy(update={"statement": "The call succeeded."})


def test_a_label_that_the_question_does_not_have_is_no_verdict() -> None:
    verdict = Verdict(label="fulfilled", score=1.0, judge="exact", prompt_version="1").about(QUESTION)
    assert (verdict.label, verdict.score) == (None, None)
    assert verdict.error == "its label 'fulfilled' is none of the question's: success, failure"
