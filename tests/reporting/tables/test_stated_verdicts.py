"""Statements of verdicts, stored with them or found again among the claims of the record."""

import pytest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.reporting.tables.judge_panels import stated_verdicts
from tests.builders import evidence_of

OLD = Verdict(label="fulfilled", judge="j", prompt_version="1")


def record_of(verdicts: dict[str, Verdict]) -> RunRecord:
    evidence: AttemptEvidence = evidence_of(answer="A red thing.").model_copy(update={"verdicts": verdicts})
    values = {"suite": "s", "task_id": "t", "task_hash": "h", "model": "m", "outcome": "passed"}
    expected = ("answer: red", "claim 1: It is red.", "claim 2: It is\nnew.")
    return RunRecord.model_validate({**values, "prompt": "What is it?", "expected": expected, "evidence": evidence})


@pytest.mark.parametrize(
    ("key", "verdict", "statement"),
    [
        ("any", OLD.model_copy(update={"statement": "It is blue."}), "It is blue."),
        (Question.about_claim("It is\nnew.", "A red thing.").key, OLD, "It is\nnew."),
        (Question.about_claim("It is red.", "A red thing.", "What is it?").key, OLD, "It is red."),
        (Question.about_claim("It is red.", "Another answer.").key, OLD, ""),
    ],
    ids=["stored", "claim", "claim with request", "another question"],
)
def test_a_verdict_is_shown_with_its_statement(key: str, verdict: Verdict, statement: str) -> None:
    assert [each.statement for each in stated_verdicts(record_of({key: verdict}))] == [statement]


def test_an_attempt_without_evidence_has_no_verdicts() -> None:
    assert list(stated_verdicts(record_of({}).model_copy(update={"evidence": None}))) == []
