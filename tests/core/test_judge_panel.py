import pytest

from pytest_mcpbench.core.judgement import POINTS, Verdict, majority_verdict
from pytest_mcpbench.core.usage import Usage

YES, PARTLY, NO = "fulfilled", "partially_fulfilled", "not_fulfilled"


def _vote(label: str | None, judge: str, usage: Usage | None = None) -> Verdict:
    return Verdict(
        label=label,
        score=POINTS.get(label or ""),
        reason=f"{judge} read it",
        judge=judge,
        prompt_version="claim-2",
        error=None if label else "no label could be read",
        usage=usage or Usage(input_tokens=0, output_tokens=0, cached_tokens=0, cost_usd=0.0),
    )


@pytest.mark.parametrize(
    ("labels", "majority"),
    [
        pytest.param([YES, YES, YES], YES, id="unanimous"),
        pytest.param([YES, NO, NO], NO, id="two of three against"),
        pytest.param([YES, YES, NO], YES, id="two of three for"),
        pytest.param([YES, PARTLY, NO], None, id="all different"),
        pytest.param([YES, NO], None, id="a tie of two"),
        pytest.param([YES, YES, NO, NO], None, id="a tie of four"),
        pytest.param([None, NO, NO], NO, id="one missing, the others agree"),
        pytest.param([None, YES, NO], None, id="one missing, the others do not"),
        pytest.param([YES, None, None], None, id="a judge that always agrees is left alone"),
        pytest.param([YES, YES, NO, None, None], None, id="the missing ones could turn it"),
        pytest.param([None, None, None], None, id="all missing"),
    ],
)
def test_the_label_of_more_than_half_of_all_members_decides(labels: list[str | None], majority: str | None) -> None:
    votes = [_vote(label, judge) for label, judge in zip(labels, "abcde", strict=False)]
    verdict = majority_verdict("panel", votes)
    assert (verdict.label, verdict.score) == (majority, POINTS.get(majority or ""))
    assert (verdict.error is None) == (majority is not None)
    assert verdict.votes == tuple(votes)


def test_the_reason_names_the_majority_and_the_error_each_vote() -> None:
    decided = majority_verdict("a,b,c", [_vote(NO, "a"), _vote(YES, "b"), _vote(NO, "c")])
    assert decided.reason == "2 of 3 judges: a: a read it; c: c read it"
    tied = majority_verdict("a,b", [_vote(NO, "a"), _vote(None, "b")])
    problem = "no label has a majority of 2 judges: a: not_fulfilled; b: no verdict (no label could be read)"
    assert tied.error == problem


def test_the_usage_is_the_sum_and_unknown_if_that_of_a_member_is() -> None:
    known = Usage(input_tokens=10, output_tokens=1, cached_tokens=0, cost_usd=0.5)
    unknown = known.model_copy(update={"cost_usd": None})
    assert majority_verdict("p", [_vote(NO, "a", known), _vote(NO, "b", known)]).usage.cost_usd == 1.0
    assert majority_verdict("p", [_vote(NO, "a", known), _vote(NO, "b", unknown)]).usage.cost_usd is None
