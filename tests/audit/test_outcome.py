"""The fate of a wrong attempt follows from its scores and its effects."""

import pytest

from pytest_mcpbench.audit.outcome import AuditReport, Fate, MutantOutcome, fate_of, fate_of_right
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score, Scorecard
from pytest_mcpbench.core.task import Expected
from pytest_mcpbench.core.world import Change, Effect, WorldRecord
from tests.builders import a_call, a_task, evidence_of

SENT = Effect(
    world="mail",
    kind="created",
    collection="messages",
    id="m-1",
    fields={"subject": "Hi", "to": "ann"},
    any=("subject",),
)
TASK = a_task(expected=Expected(effects=(SENT,)))


def attempt(subject: str = "Hi", to: str = "ann", answer: str = "Sent.", result: str = "done") -> AttemptEvidence:
    change = Change(kind="created", collection="messages", id="m-1", after={"subject": subject, "to": to})
    worlds = (WorldRecord(name="mail", changes=(change,)),)
    return evidence_of((a_call("send", result=result),), answer=answer, worlds=worlds)


def card(value: float | None, metric: str = "effects") -> Scorecard:
    score = Score.missing("no judge") if value is None else Score.of(value)
    return Scorecard(scores={metric: score}, floors={metric: 1.0})


@pytest.mark.parametrize(
    ("scores", "mutant", "fate"),
    [
        (card(0), attempt(to="eve"), "killed"),
        (card(None), attempt(to="eve"), "unscored"),
        (card(1), attempt(to="eve"), "survived"),
        (card(1), attempt(answer="I did not."), "survived"),
        (card(1), attempt(subject="Hello"), "equivalent"),
        (card(1), attempt(result="other"), "equivalent"),
        (card(1, "ast"), attempt(result="other"), "survived"),
    ],
    ids=["below", "undecided", "effect", "answer", "left open", "read", "read that is judged"],
)
def test_fates(scores: Scorecard, mutant: AttemptEvidence, fate: Fate) -> None:
    assert fate_of(TASK, scores, mutant, attempt())[0] == fate


def test_unscored_attempts_count_and_equivalent_ones_do_not() -> None:
    fates: list[Fate] = ["killed", "killed", "killed", "survived", "equivalent", "unscored", "error"]
    report = AuditReport("mail", tuple(MutantOutcome("t", "wrong_value", "to", fate) for fate in fates))
    assert (report.scored_as_meant, report.whole, len(report.misjudged)) == (0.6, 5, 1)
    assert AuditReport("mail", ()).scored_as_meant is None


@pytest.mark.parametrize(("value", "fate"), [(1, "passed"), (0, "failed"), (None, "unscored")])
def test_fates_of_right_attempts(value: float | None, fate: Fate) -> None:
    assert fate_of_right(card(value)) == (fate, () if fate == "passed" else ("effects",))
