import anyio
import pytest

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge


def _decided(question: Question) -> Verdict:
    return anyio.run(KeyFactsJudge().decide, question)


def test_a_verdict_has_the_judge_and_its_reason() -> None:
    assert _decided(
        Question(kind="claim", statement="Ann Lee has 12 shops.", evidence="Ann Lee has 12 shops.")
    ) == Verdict(
        label="fulfilled",
        score=1,
        reason="a passage of the answer states all of it",
        judge="keyfacts",
        prompt_version="keyfacts-4",
    )


def test_a_question_that_the_rules_cannot_decide_has_an_error_and_no_label() -> None:
    verdict = _decided(
        Question(kind="claim", statement="The scroll hangs on silk.", evidence="Silk is below the scroll.")
    )
    assert (verdict.label, verdict.score) == (None, None)
    assert verdict.error == (
        "keyfacts cannot decide it: some words of the claim are not in the answer: 'hangs'; use a model"
    )


def test_a_text_may_have_facts_of_the_request() -> None:
    question = Question(
        kind="text",
        statement="Call Yuki before 10:00.",
        evidence="Call Yuki before 10:00, in room 12.",
        context={"request": "Ask Bea to call Yuki before 10; she is in room 12."},
    )
    assert _decided(question).label == "fulfilled"
    assert _decided(question.model_copy(update={"context": {}})).label == "not_fulfilled"


def test_information_is_looked_for_in_the_evidence() -> None:
    question = Question(
        kind="exec",
        statement="The agent obtained this information: The lens weighs 214 kg.",
        evidence="Calls:\n1. weigh({}) → {}\n\nAnswer: The lens weighs 214 kg.",
    )
    assert _decided(question).label == "fulfilled"


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("checkpoint", None),
        ("exec", None),
        ("response", ("success", "failure")),
        ("failure_modes", ("wrong_tool", "no_failure")),
    ],
)
def test_what_needs_a_reader_is_an_error_not_a_guess(kind: str, labels: tuple[str, ...] | None) -> None:
    further = {"labels": labels} if labels else {}
    verdict = _decided(Question.model_validate({"kind": kind, "statement": "s", "evidence": "e", **further}))
    assert (verdict.label, verdict.error) == (None, f"keyfacts cannot decide a question of kind {kind!r}; use a model")
