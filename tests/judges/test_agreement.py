from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.judges.agreement import Labelled, judge_agreement, labelled_of
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge

PLACE = SourceLocation("labels.jsonl", line=3)


def _row(claim: str, answer: str, label: Any) -> Labelled:
    return labelled_of({"claim": claim, "answer": answer, "label": label}, PLACE)


def test_a_judge_is_measured_against_people() -> None:
    rows = [
        _row("Ann Lee has 12 shops.", "Ann Lee has 12 shops.", 1),
        _row("Ann Lee has 12 shops.", "Ann Lee has twelve shops.", "fulfilled"),
        _row("Ann Lee has 12 shops.", "Ann Lee has 3 shops.", "not fulfilled"),
        _row("Ann Lee has 12 shops.", "Ann Lee has no 12 shops.", "partially_correct"),
    ]
    found = anyio.run(judge_agreement, rows, KeyFactsJudge())
    assert found.agreement is not None
    assert (found.judge, found.agreement.n, found.agreement.agreement) == ("keyfacts", 4, 0.75)
    assert found.agreement.kappa == pytest.approx(0.6)
    assert found.agreement.confusion == {
        ("fulfilled", "fulfilled"): 2,
        ("not_fulfilled", "not_fulfilled"): 1,
        ("partially_fulfilled", "not_fulfilled"): 1,
    }
    assert [row.question.evidence for row, _ in found.disagreements] == ["Ann Lee has no 12 shops."]


def test_questions_that_the_judge_cannot_decide_are_kept_apart() -> None:
    question = {"kind": "response", "statement": "read()", "evidence": "42", "labels": ["success", "failure"]}
    rows = [labelled_of({"question": question, "label": "success"}, PLACE)]
    found = anyio.run(judge_agreement, rows, KeyFactsJudge())
    assert (found.agreement, len(found.undecided), found.disagreements) == (None, 1, ())


@pytest.mark.parametrize(
    ("written", "label"),
    [(1, "fulfilled"), (0.5, "partially_fulfilled"), (0, "not_fulfilled"), ("Incorrect", "not_fulfilled")],
)
def test_a_grade_may_be_a_number_or_a_word(written: Any, label: str) -> None:
    assert _row("c", "a", written).label == label


def test_a_row_may_hold_a_whole_question_and_name_its_label_as_human() -> None:
    question = {"kind": "claim", "statement": "c", "evidence": "a"}
    assert labelled_of({"question": question, "human_label": "fulfilled"}, PLACE) == Labelled(
        Question(kind="claim", statement="c", evidence="a"), "fulfilled"
    )
    assert labelled_of({"question": "c", "answer": "a", "label": 1}, PLACE).question.statement == "c"


def test_a_row_with_a_request_is_a_question_whose_judge_sees_it() -> None:
    row = {"claim": "c", "answer": "a", "request": "r", "label": 1}
    assert labelled_of(row, PLACE).question == Question.about_claim("c", "a", "r")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([], 'labels.jsonl:3: a row must be an object. Write {"claim": …, "answer": …, "label": …}.'),
        (
            {"claim": "c", "label": 1},
            "labels.jsonl:3: claim and answer must be texts. Write both, or a complete question.",
        ),
        (
            {"claim": "c", "answer": "a", "label": "maybe"},
            "labels.jsonl:3: label: 'maybe' is not a label. "
            "Write one of: fulfilled, partially_fulfilled, not_fulfilled.",
        ),
        (
            {"claim": "c", "answer": "a", "request": 5, "label": 1},
            "labels.jsonl:3: request: must be text. Write the task's prompt, or omit it.",
        ),
    ],
    ids=["not an object", "no answer", "unknown label", "request that is no text"],
)
def test_a_row_that_cannot_be_read_says_where_and_why(row: Any, message: str) -> None:
    with pytest.raises(TaskError) as error:
        labelled_of(row, PLACE)
    assert str(error.value) == message
