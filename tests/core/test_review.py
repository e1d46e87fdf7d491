"""A verdict needs the decisions of different people about one version; contradictions are refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_mcpbench.core.review import DIMENSIONS, Decision, ReviewState, latest_decisions, verdict_of
from pytest_mcpbench.reporting.texts import agreement
from pytest_mcpbench.statistics.agreement import weighted_kappa

FIVE = dict.fromkeys(DIMENSIONS, 5)
ROW = {"decision": "edit", "row": {"ask": "x"}, "replaces": "before"}


def a_decision(**fields: Any) -> Decision:
    usual = {"task": "t", "hash": "h", "reviewer": "Ada", "decision": "accept"}
    return Decision.model_validate({**usual, **fields})


def by(name: str, decision: str = "accept", **fields: Any) -> Decision:
    reason = {"reason": "no"} if decision == "reject" else {"scores": FIVE}
    return a_decision(reviewer=name, decision=decision, **{**reason, **fields})


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"scores": {**FIVE, "data_freshness": 6}}, "less than or equal to 5"),
        ({"scores": {**FIVE, "data_freshness": 0}}, "greater than or equal to 1"),
        ({"scores": {**FIVE, "data_freshness": True}}, "valid integer"),
        ({"scores": {**FIVE, "data_freshness": 4.5}}, "valid integer"),
        ({"scores": {**FIVE, "data_freshness": 3}}, "at least 4 in every dimension"),
        ({"scores": {"data_freshness": 5}}, "or none"),
        ({"scores": {**FIVE, "beauty": 5}}, "or none"),
        ({"decision": "reject", "reason": "  "}, "a rejection has a reason"),
        ({"decision": "edit"}, "an edit, and nothing else"),
        ({"row": {"ask": "x"}}, "an edit, and nothing else"),
        ({"reviewer": "  "}, "at least 1 character"),
        ({"decision": "maybe"}, "'accept', 'edit' or 'reject'"),
        ({"score": 5}, "Extra inputs"),
    ],
)
def test_a_contradictory_decision_is_refused(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        a_decision(**fields)


@pytest.mark.parametrize(
    ("decisions", "reviewers", "verdict"),
    [
        ([], 1, "open"),
        ([a_decision()], 1, "accepted"),
        ([a_decision(**ROW)], 1, "accepted"),
        ([by("Ada", "reject")], 1, "rejected"),
        ([by("Ada"), by("Bob", "reject")], 1, "disputed"),
        ([by("Ada")], 2, "open"),
        ([by("Ada"), by("Bob")], 2, "accepted"),
        ([by("Ada"), by("Bob", scores={})], 2, "open"),
        ([by("Ada"), by("Bob", "reject")], 2, "disputed"),
        ([by("Ada", "reject"), by("Bob", "reject")], 2, "rejected"),
        ([by("Ada", "reject")], 2, "open"),
        ([by("Ada"), by("ada ")], 2, "open"),
        ([by("Ada", "reject"), by("Ada")], 1, "accepted"),
    ],
)
def test_a_verdict_needs_enough_reviewers_who_agree(
    decisions: list[Decision], reviewers: int, verdict: ReviewState
) -> None:
    assert verdict_of(latest_decisions(decisions), reviewers) == verdict


def test_weighted_kappa_weighs_a_distance_by_its_square() -> None:
    assert weighted_kappa([(1, 1), (3, 3), (5, 5)]) == 1
    # Observed 1/4 of a square, by chance (0 + 1 + 1 + 0) / 4 of one.
    assert weighted_kappa([(4, 4), (4, 5), (5, 5), (5, 5)]) == pytest.approx(1 - (1 / 4) / (8 / 16))
    assert weighted_kappa([(5, 5), (5, 5)]) is None
    assert weighted_kappa([]) is None


def test_agreement_counts_tasks_that_both_decided_on_in_one_version() -> None:
    tasks = [f"t{number}" for number in range(4)]
    first = [by("Ada", "reject" if task == "t0" else "accept", task=task) for task in tasks]
    second = [by("Bob", "reject" if task in ("t0", "t1") else "accept", task=task) for task in tasks]
    other_version = [by("Ada", task="x", hash="1"), by("Bob", "reject", task="x", hash="2")]
    lines = list(agreement.review_lines([*first, *second, *other_version]))
    assert lines[0] == "Ada and Bob: 75.0 % of 4 tasks agree, kappa 0.500"
    assert [line.split()[:1] for line in lines if line.startswith("all ")] == [["all"]]
    assert list(agreement.review_lines([by("Ada")])) == ["agreement needs two reviewers; there is Ada"]
