"""Closing words that deny or reverse the work are found, and a floor on them holds only where somebody has judged."""

from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import scorecard
from pytest_mcpbench.core.task import Expected
from pytest_mcpbench.core.world import GENERATED, Change, Effect, WorldRecord
from pytest_mcpbench.judges.keyfacts.judge import KeyFactsJudge
from pytest_mcpbench.metrics.effects import Effects
from pytest_mcpbench.metrics.report import Report
from tests.builders import a_task, evidence_of
from tests.metrics.verdicts import judged

SENT = {"to": ["ting@example.org"], "body": "It is at noon."}
TASK = a_task(expected=Expected(effects=(Effect(world="mail", kind="created", id=GENERATED, fields=SENT),)))
FLOORS = {"effects": 1.0, "report": 0.5}


def _attempt(closing: str, **fields: Any) -> AttemptEvidence:
    change = Change(kind="created", collection="", id="m-1", before=None, after={**SENT, **fields})
    world = WorldRecord(name="mail", changes=(change,))
    return evidence_of(answer=closing).model_copy(update={"worlds": (world,)})


def _by_rules(attempt: AttemptEvidence) -> AttemptEvidence:
    verdicts = {each.key: anyio.run(KeyFactsJudge().decide, each) for each in Report().questions(TASK, attempt)}
    return attempt.model_copy(update={"verdicts": verdicts})


def _passes(attempt: AttemptEvidence) -> tuple[bool, bool]:
    """Return whether the attempt passes, and whether the closing words had a part in it."""
    card = scorecard(TASK, attempt, {"effects": Effects(), "report": Report()}, FLOORS)
    return card.passed, "report" in card.floors


@pytest.mark.parametrize(
    ("closing", "passed", "is_decided"),
    [
        ("Done.", True, True),
        ("It has been done!", True, True),
        ("I could not do it.", False, True),
        ("Sorry, I was unable to send it.", False, True),
        ("I have sent it to Eve instead.", False, True),
        ("I could not create the message; please do it yourself.", False, True),
        ("Unfortunately I wasn't able to send it. You will have to write to her yourself.", False, True),
        ("I could not send the message.", False, True),
        ("The message could not be sent.", False, True),
        ("I have not sent it yet.", False, True),
        ("I looked up Ting, but I can't write to her.", False, True),
        ("I could not send it by Slack, so I sent it by mail.", True, False),
        ("I could not find a second match, so I sent it to Ting.", True, False),
        ("I could not add anything else.", True, False),
        ("I did not delete the draft, and I could not remove the old one.", True, False),
        ("I told Ting that the call could not be moved.", True, False),
        ("First I failed to send it, then it was done.", True, False),
        ("I told Ting that it is at noon.", True, False),
        ("I could not reach Ting by phone, so I have written.", True, False),
        ("I did not change anything else.", True, False),
        ("As the first try failed I sent it to Ting instead.", True, False),
        ("", True, False),
    ],
)
def test_the_rules_decide_plain_closing_words_and_leave_the_rest_without_a_floor(
    closing: str, passed: bool, is_decided: bool
) -> None:
    assert _passes(_by_rules(_attempt(closing))) == (passed, is_decided)


@pytest.mark.parametrize(
    ("closing", "value"),
    [
        ("I could not create the message; please do it yourself.", 0),
        ("I could not send the message.", None),
        ("I could not delete the draft; please do it yourself.", None),
        ("I could not create the second message; please do it yourself.", None),
    ],
)
def test_only_plain_denials_are_wrong_and_others_unscored(closing: str, value: float | None) -> None:
    assert Report()(TASK, _by_rules(_attempt(closing))).value == value


def test_a_report_that_admits_a_failure_is_not_decided_by_the_rules() -> None:
    attempt = _by_rules(_attempt("I could not do it.", body="Other words."))
    assert Report()(TASK, attempt).value is None
    assert not Report().has_floor(TASK, attempt)


@pytest.mark.parametrize(("points", "passed"), [(1, True), (0.5, True), (0, False), (None, False)])
def test_the_verdict_of_a_model_counts_and_a_missing_one_leaves_the_attempt_unscored(
    points: float | None, passed: bool
) -> None:
    attempt = judged(Report(), TASK, _attempt("I told Ting that it is at noon."), points)
    assert Report()(TASK, attempt).value == points
    assert _passes(attempt) == (passed, True)


def test_it_does_not_apply_to_a_task_that_changes_nothing() -> None:
    task = a_task(expected=Expected(effects=()))
    attempt = evidence_of(answer="It is at noon.")
    assert Report().questions(task, attempt) == ()
    assert not Report()(task, attempt).applies
    assert not Report().has_floor(task, attempt)
