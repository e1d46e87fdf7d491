"""``contradiction_free``: claims that the rules find replaced count, those that a model does not find do not."""

import pytest

from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.task import Expected
from pytest_mcpbench.metrics.contradiction_free import ContradictionFree
from tests.builders import a_task, evidence_of

CLAIMS = ("It is red.", "It costs 5 EUR.")


def verdict(claim: str, label: str, judge: str = "keyfacts", stages: tuple[Verdict, ...] = ()) -> Verdict:
    return Verdict(label=label, judge=judge, prompt_version="1", statement=claim, stages=stages)


@pytest.mark.parametrize(
    ("verdicts", "value"),
    [
        ([verdict(CLAIMS[0], "fulfilled"), verdict(CLAIMS[1], "fulfilled")], 1.0),
        ([verdict(CLAIMS[0], "fulfilled"), verdict(CLAIMS[1], "not_fulfilled")], 0.5),
        ([verdict(CLAIMS[1], "not_fulfilled", judge="claude")], 1.0),
        ([verdict(CLAIMS[1], "not_fulfilled", "keyfacts+claude", (verdict("", "not_fulfilled"),))], 0.5),
        ([verdict("a checkpoint", "not_fulfilled")], 1.0),
        ([], 1.0),
    ],
    ids=["stated", "replaced", "missed by a model", "first judge of a cascade", "no claim", "no verdict"],
)
def test_only_what_the_rules_find_replaced_is_a_contradiction(verdicts: list[Verdict], value: float) -> None:
    known = {Question.about_claim(one.statement, "…").key: one for one in verdicts}
    found = evidence_of(answer="…").model_copy(update={"verdicts": known})
    assert ContradictionFree()(a_task(expected=Expected(claims=CLAIMS)), found).value == value
