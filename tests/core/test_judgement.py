"""Questions and verdicts."""

import pytest

from pytest_mcpbench.core.judgement import Question, Verdict, majority_verdict

QUESTION = Question(kind="response", statement="The call succeeded.", evidence="14 °C", labels=("success", "failure"))


def test_a_verdict_says_what_it_decides() -> None:
    verdict = Verdict(label="success", judge="exact", prompt_version="1")
    assert verdict.about(QUESTION) == verdict.model_copy(update={"statement": "The call succeeded."})


def test_a_label_that_the_question_does_not_have_is_no_verdict() -> None:
    verdict = Verdict(label="fulfilled", score=1.0, judge="exact", prompt_version="1").about(QUESTION)
    assert (verdict.label, verdict.score) == (None, None)
    assert verdict.error == "its label 'fulfilled' is none of the question's: success, failure"


_OPEN = Verdict(label=None, judge="keyfacts", prompt_version="1", error="keyfacts cannot decide it")
_LATE = Verdict(label=None, judge="m", prompt_version="1", error="no verdict within the time limit")


@pytest.mark.parametrize(
    ("verdict", "needs_reader"),
    [
        pytest.param(_OPEN, True, id="rules alone"),
        pytest.param(_LATE, False, id="a model"),
        pytest.param(majority_verdict("keyfacts,m", (_OPEN, _LATE)), True, id="rules in a panel"),
        pytest.param(Verdict(label="success", judge="keyfacts", prompt_version="1"), False, id="decided"),
    ],
)
def test_what_rules_leave_open_needs_a_reader(verdict: Verdict, needs_reader: bool) -> None:
    assert verdict.needs_reader is needs_reader
