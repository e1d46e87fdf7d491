"""A failing attempt says what was expected and what happened."""

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.reference_lines import reference_lines
from pytest_mcpbench.core.score import Score, Scorecard
from pytest_mcpbench.core.task import (
    CallGroup,
    Checkpoint,
    ExecCheckpoint,
    Expected,
    ExpectedCall,
    SimilarTool,
    StateCheck,
    Task,
    VerifyCheck,
)
from pytest_mcpbench.core.world import Change, WorldRecord
from pytest_mcpbench.metrics.comparison.table import comparison_rows
from pytest_mcpbench.metrics.coverage import Coverage
from pytest_mcpbench.metrics.reference_matching import match_strictly
from pytest_mcpbench.reporting.texts import failures
from pytest_mcpbench.reporting.texts.failures import unscored_message
from tests.builders import a_call, a_task, evidence_of, expected_call
from tests.metrics.verdicts import judged
from tests.reporting.samples import HOSTILE


def shortfall_message(task: Task, evidence: AttemptEvidence, card: Scorecard, columns: int = 120) -> str:
    rows = comparison_rows(match_strictly(task.expected.flat_calls, task, evidence))
    return failures.shortfall_message(task, evidence, card, rows, columns=columns)


def test_calls_stand_side_by_side() -> None:
    task = a_task((expected_call("read", {"path": "a"}), expected_call("stat", {"path": "a"})), ask="Read a.")
    evidence = evidence_of((a_call("read", {"path": "b"}), a_call("list")), answer="no")
    card = Scorecard(scores={"ast": Score.of(0, ["no call of read(path='a')", "no call of stat"])}, floors={"ast": 1})
    assert shortfall_message(task, evidence, card, columns=80).splitlines() == [
        "ast 0 < 1: no call of read(path='a')",
        "",
        "ast: 0, required: at least 1",
        "  no call of read(path='a')",
        "  no call of stat",
        "",
        "request: Read a.",
        "",
        "  expected calls                         actual calls",
        "≠ read(path='a')                         read(path='b')",
        "    path: expected 'a', got 'b'",
        "- stat(path='a')",
        "+                                        list()",
        "",
        "answer: no",
        "stopped: answered",
    ]


def test_of_fifty_claims_those_that_were_missed_come_first() -> None:
    task = a_task(expected=Expected(claims=tuple(f"claim number {number}" for number in range(50))))
    evidence = judged(Coverage(), task, evidence_of(answer="x"), *(int(number != 37) for number in range(50)))
    card = Scorecard(scores={"coverage": Coverage()(task, evidence)}, floors={"coverage": 1})
    lines = shortfall_message(task, evidence, card).splitlines()
    assert lines[0] == "coverage 0.98 (49 of 50) < 1: 0 for 'claim number 37' (a-judge)"
    assert lines[3] == "  0 for 'claim number 37' (a-judge)"
    assert "  … and 30 more reasons in the record" in lines
    assert len(lines) < 40


def test_state_is_shown_as_expected_and_as_changed() -> None:
    task = a_task(expected=Expected(state=(StateCheck(created="notes[*]", where={"title": "Idea"}, world="w"),)))
    change = Change(kind="created", collection="notes", id="n2", after={"title": "Other"})
    evidence = evidence_of(worlds=(WorldRecord(name="w", changes=(change,)),))
    card = Scorecard(scores={"state": Score.of(0, ["does not hold"])}, floors={"state": 1})
    lines = shortfall_message(task, evidence, card).splitlines()
    start = lines.index("expected state:")
    assert lines[start : start + 4] == [
        "expected state:",
        "  w: created notes[*] with title='Idea'",
        "actual changes:",
        "  created w: notes[n2]",
    ]


def test_answers_stand_below_each_other() -> None:
    card = Scorecard(scores={"answer": Score.of(0, ["expected '42', got '41'"])}, floors={"answer": 1})
    lines = shortfall_message(
        a_task(expected=Expected(answer="42")), evidence_of(answer="It is 41."), card
    ).splitlines()
    assert lines[-3:] == ["expected answer: 42", "actual answer: It is 41.", "stopped: answered"]


def test_hostile_text_is_harmless_and_bounded() -> None:
    big = HOSTILE * 500
    evidence = evidence_of((a_call("read", {"path": big}),) * 200, answer=big)
    card = Scorecard(scores={"ast": Score.of(0, [big] * 100)}, floors={"ast": 1})
    text = shortfall_message(a_task((expected_call("read", {"path": "a"}),), ask=big), evidence, card)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert len(text) < 40_000


def test_what_could_not_be_scored_says_why() -> None:
    card = Scorecard(scores={"coverage": Score.missing("no judge is configured")}, floors={"coverage": 0.75})
    assert unscored_message(card) == "unscored: coverage: no judge is configured"


def test_every_kind_of_reference_has_a_line() -> None:
    call = ExpectedCall(tool="read", arguments={"path": "a"}, similar_tools=(SimilarTool(tool="cat"),))
    expected = Expected(
        calls=(
            CallGroup(calls=(call, ExpectedCall(tool="stat"))),
            CallGroup(calls=(ExpectedCall(tool="end"),), turn=1),
        ),
        answer="42",
        claims=("one is 1",),
        checkpoints=(Checkpoint(text="It was read."),),
        exec=(
            ExecCheckpoint(kind="generic_search", value="7"),
            ExecCheckpoint(kind="operate", operation="create", tool="add", summary="a note", fields={"title": "x"}),
        ),
        state=(StateCheck(equals="a.b", value=3), StateCheck(deleted="notes[*]", count=2)),
        verify=(
            VerifyCheck(tool="read", arguments={"path": "a"}, path="text", equals="x"),
            VerifyCheck(tool="ls", contains="b"),
        ),
        forbidden_tools=("rm",),
    )
    assert reference_lines(a_task(expected=expected)) == (
        "turn 1: read(path='a') (or cat) & stat()",
        "turn 2: end()",
        "answer: 42",
        "claim 1: one is 1",
        "checkpoint 1: It was read.",
        "exec 1: generic_search: '7'",
        "exec 2: operate: create with any tool: a note title='x'",
        "state: equals a.b is 3",
        "state: deleted notes[*] (2 times)",
        "verify: read(path='a') at text equals 'x'",
        "verify: ls() contains 'b'",
        "must not be called: rm",
    )


def test_nothing_expected_has_no_line() -> None:
    assert reference_lines(a_task(expected=Expected(forbidden_tools="all"))) == ("no tool may be called",)
    assert reference_lines(a_task()) == ()
