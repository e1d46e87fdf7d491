import anyio
import pytest

from pytest_mcpbench.core.judgement import Background, Question, Verdict
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge


def _decided(question: Question) -> Verdict:
    return anyio.run(KeyFactsJudge().decide, question)


def test_a_verdict_has_the_judge_and_its_reason() -> None:
    assert _decided(
        Question(kind="claim", statement="Ann Lee has 12 shops.", evidence="Ann Lee has 12 shops.")
    ) == Verdict(
        label="fulfilled",
        score=1,
        reason="the answer states all of it, and nothing doubts it",
        judge="keyfacts",
        prompt_version="keyfacts-7",
    )


def test_a_question_that_the_rules_cannot_decide_has_an_error_and_no_label() -> None:
    verdict = _decided(Question(kind="claim", statement="The scroll hangs on silk.", evidence="Silk lies there."))
    assert (verdict.label, verdict.score) == (None, None)
    assert verdict.error == "keyfacts cannot decide it: no passage has the words of the claim; use a model"


def test_a_text_may_have_words_of_the_request() -> None:
    question = Question(
        kind="text",
        statement="Call Yuki before 10:00.",
        evidence="Call the curator Yuki before 10:00.",
        background=Background(request="Ask Bea to call the curator before 10."),
    )
    assert _decided(question).label == "fulfilled"
    assert _decided(question.model_copy(update={"background": Background()})).label is None


def test_an_argument_is_compared_as_a_text() -> None:
    question = Question(kind="argument", statement='{"body": "It is 5 EUR."}', evidence='{"body": "Hi, it is 6 EUR."}')
    assert _decided(question).label == "not_fulfilled"


def test_a_model_does_not_see_the_background_and_its_stored_verdicts_stay_valid() -> None:
    question = Question.about_claim("a", "b")
    assert question.model_copy(update={"background": Background(request="c")}).key == question.key


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("checkpoint", None),
        ("exec", None),
        ("response", ("success", "failure")),
        ("failure_modes", ("wrong_tool", "no_failure")),
        ("failure_patterns", ("tool_usage:wrong_tool_selection", "no_failure")),
    ],
)
def test_what_needs_a_reader_is_an_error_not_a_guess(kind: str, labels: tuple[str, ...] | None) -> None:
    further = {"labels": labels} if labels else {}
    verdict = _decided(Question.model_validate({"kind": kind, "statement": "s", "evidence": "e", **further}))
    assert (verdict.label, verdict.error) == (None, f"keyfacts cannot decide a question of kind {kind!r}; use a model")
