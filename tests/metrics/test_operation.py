from typing import Any

import pytest

from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.score import JudgedMetric, Score
from pytest_mcpbench.core.task import Limits, SimilarTool, Task
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.metrics.operation import Operation
from tests.builders import a_call, a_task, evidence_of, expected_call

FIND, SEND = expected_call("search_emails", {"query": "from:bob"}), expected_call("SendEmail", {"to": "Lucy@Gmail.com"})
TASK = a_task((FIND,), (SEND,))
FOUND, SENT, LISTED = (
    a_call("search_emails", {"query": "from:bob"}),
    a_call("send_email", {"to": ["lucy@gmail.com"]}),
    a_call("list"),
)
COUNTS = {
    "matched": 2,
    "expected": 2,
    "called": 2,
    "succeeded": 2,
    "right_calls": 2,
    "reference_tool_calls": 2,
}
FAILED = SENT.model_copy(update={"result": ToolResult.failure("no", "tool")})


@pytest.mark.parametrize(
    ("steps", "value", "exact"),
    [
        pytest.param([(FOUND,), (SENT,)], 1, 1, id="the reference"),
        pytest.param([(FOUND, SENT)], 1, 1, id="in one message"),
        pytest.param([(LISTED,), (FOUND,), (LISTED,), (SENT,), (LISTED,)], 1, 0, id="calls between"),
        pytest.param([(FOUND,), (FAILED,), (SENT,)], 1, 1, id="a failed call does not count"),
        pytest.param([(FOUND,), (FAILED,)], 0, 0, id="it has to succeed"),
        pytest.param([(SENT,), (FOUND,)], 0, 0, id="in the wrong order"),
        pytest.param([(SENT,), (FOUND,), (SENT,)], 1, 0, id="again in the right order"),
        pytest.param([(FOUND,)], 0, 0, id="one missing"),
        pytest.param([], 0, 0, id="none"),
    ],
)
def test_the_reference_is_a_subsequence_of_what_succeeded(
    steps: list[tuple[CallRecord, ...]], value: float, exact: float
) -> None:
    evidence = evidence_of(*steps)

    assert (Operation()(TASK, evidence).value, Operation(mode="exact")(TASK, evidence).value) == (value, exact)


def test_reasons_name_the_first_call_that_is_missing_and_what_was_tried() -> None:
    evidence = evidence_of((FOUND,), (FAILED,), (a_call("send_email", {"to": "bob@gmail.com"}),))

    assert Operation()(TASK, evidence) == Score.of(
        0,
        [
            "no successful call, in its place, of SendEmail(to='Lucy@Gmail.com')",
            "call 2: send_email(to=['lucy@gmail.com']) failed",
            "call 3: to: expected 'Lucy@Gmail.com', got 'bob@gmail.com'",
        ],
        matched=1,
        expected=2,
        called=3,
        succeeded=2,
        right_calls=1,
        reference_tool_calls=3,
    )


def test_a_similar_tool_is_as_right() -> None:
    task = a_task((expected_call("send", {"to": "a"}, similar_tools=(SimilarTool(tool="draft"),)),))

    assert Operation()(task, evidence_of((a_call("draft", {"to": "a"}),))).value == 1
    assert Operation()(task, evidence_of((a_call("drop", {"to": "a"}),))).value == 0


LETTER = a_task((expected_call("send", {"to": "a", "body": "Dear Lucy, please come to dinner tomorrow"}),))
CLOSE, FAR = "Lucy, please come to dinner tomorrow evening", "Buy milk"


def _run(body: str, **fields: Any) -> Any:
    return evidence_of((a_call("send", {"to": "a", "body": body}),), **fields)


@pytest.mark.parametrize(
    ("metric", "close", "far"),
    [
        pytest.param(Operation(), 1, 1, id="present"),
        pytest.param(Operation(text="rouge"), 1, 0, id="rouge"),
        pytest.param(Operation(text="rouge", rouge=0.99), 0, 0, id="a high threshold"),
        pytest.param(Operation(free_text=frozenset()), 0, 0, id="no free text declared"),
    ],
)
def test_free_text(metric: Operation, close: float, far: float) -> None:
    assert (metric(LETTER, _run(CLOSE)).value, metric(LETTER, _run(FAR)).value) == (close, far)
    assert metric(LETTER, _run(" ")).value == 0


JUDGED = Operation(text="judge")


@pytest.mark.parametrize(("label", "value"), [("fulfilled", 1), ("not_fulfilled", 0), (None, None)])
def test_a_judge_may_decide_about_free_text(label: str | None, value: float | None) -> None:
    (question,) = JUDGED.questions(LETTER, _run(CLOSE))
    verdict = Verdict(label=label, judge="j", prompt_version="1", error=None if label else "timeout")

    assert isinstance(JUDGED, JudgedMetric)
    assert question.evidence == '{"body": "Lucy, please come to dinner tomorrow evening"}'
    assert JUDGED(LETTER, _run(CLOSE, verdicts={question.key: verdict})).value == value


def test_a_judge_is_not_asked_where_nothing_depends_on_it() -> None:
    wrong: Task = a_task((expected_call("send", {"to": "b", "body": "x"}),))

    assert JUDGED.questions(wrong, _run(CLOSE)) == ()
    assert JUDGED(wrong, _run(CLOSE)).value == 0
    assert JUDGED(LETTER, _run(CLOSE)).unscored == "a judge is needed for free text, and gave no verdict"
    assert Operation().questions(LETTER, _run(CLOSE)) == ()


def test_it_does_not_apply_without_reference_calls() -> None:
    assert Operation()(a_task(), evidence_of((SENT,))) == Score.not_applicable("the task has no reference calls")


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        pytest.param(Operation(rounds=2), 1, id="as many as allowed"),
        pytest.param(Operation(rounds=1), 0, id="more"),
        pytest.param(Operation(), 0, id="more than the task's limit"),
    ],
)
def test_more_rounds_than_allowed_fail_an_operation(metric: Operation, value: float) -> None:
    task = TASK.model_copy(update={"limits": Limits(rounds=1)})
    assert metric(task, evidence_of((FOUND,), (SENT,))).value == value


def test_the_limit_of_rounds_is_for_one_user_message() -> None:
    steps = (Step(turn=0, calls=(FOUND,)), Step(turn=1, calls=(SENT,)))
    assert Operation(rounds=1)(TASK, evidence_of(trajectory=Trajectory(steps=steps))).value == 1


def test_an_attempt_that_the_round_limit_stopped_fails_with_this_reason_first() -> None:
    stopped = Trajectory(steps=(Step(calls=(FOUND, SENT)),), stop="round_limit")
    assert Operation()(TASK, evidence_of(trajectory=stopped)) == Score.of(
        0, ["more rounds than allowed (1 made)"], **COUNTS
    )


DAY = {"start": "2026-04-15T00:00:00", "end": "2026-04-15T23:59:59"}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ({"end": "2026-04-16T00:00:00"}, 1),
        ({"end": "2026-04-16"}, 1),
        ({"end": "2026-04-15 23:59"}, 1),
        ({"end": "2026-04-15T23:59:59.999"}, 1),
        ({"end": "2026-04-15T23:59:58.999"}, 0),
        ({"start": "2026-04-15", "end": "2026-04-15T23:59:59Z"}, 1),
        ({"start": "2026-04-15T02:00:00+02:00"}, 1),
        ({"start": "2026-04-15T00:00:00+02:00"}, 0),
        ({"end": "2026-04-15T23:59:59+02:00"}, 0),
        ({"end": "2026-04-16T23:59:59"}, 0),
        ({"end": "2026-04-16T00:01:00"}, 0),
        ({"end": "2026-04-15T23:00:00"}, 0),
        ({"start": "2026-04-15T23:59:00"}, 0),
    ],
    ids=lambda written: " ".join(written.values()) if isinstance(written, dict) else "",
)
def test_times_are_equal_as_moments_of_the_zone_and_as_the_end_of_a_day(written: dict[str, str], value: float) -> None:
    task = a_task((expected_call("list_events", DAY),))
    evidence = evidence_of((a_call("list_events", {**DAY, **written}),))

    assert Operation(zone="UTC")(task, evidence).value == value


def test_a_time_that_does_not_end_a_day_must_be_the_same_minute() -> None:
    task = a_task((expected_call("remind", {"at": "2026-04-15T23:59:00"}),))

    for at, value in {"2026-04-16T00:00:00": 0, "2026-04-15T23:59": 1}.items():
        assert Operation()(task, evidence_of((a_call("remind", {"at": at}),))).value == value


@pytest.mark.parametrize(
    ("edit", "value"),
    [
        ({"oldText": "- order staples\n", "newText": "- order nails\n"}, 1),
        ({"oldText": "staples", "newText": "nails"}, 1),
        ({"oldText": "order staples", "newText": "buy nails"}, 0),
        ({"oldText": "order nails", "newText": "order staples"}, 0),
        ({"oldText": "order staples", "newText": "order nails", "all": True}, 1),
        ({"oldText": "order staples"}, 0),
    ],
    ids=str,
)
def test_an_edit_may_repeat_more_or_less_of_the_text_around(edit: dict[str, Any], value: float) -> None:
    task = a_task((expected_call("edit_file", {"edits": [{"oldText": "order staples", "newText": "order nails"}]}),))
    assert Operation()(task, evidence_of((a_call("edit_file", {"edits": [edit]}),))).value == value


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="'Mars' is not a time zone"):
        Operation(zone="Mars")


@pytest.mark.parametrize(
    ("added", "value"),
    [
        ({"htmlBody": "<p>We meet at <b>noon</b>.</p>"}, 1),
        ({"subject": "Our meeting"}, 1),
        ({"cc": [], "htmlBody": ""}, 1),
        ({"mimeType": "text/plain"}, 1),
        ({"htmlBody": "Mars"}, 0),
        ({"htmlBody": "<p>We meet at noon. Bring Eve.</p>"}, 0),
        ({"notes": "It is cancelled."}, 0),
        ({"cc": ["eve@example.org"]}, 0),
        ({"bcc": "eve@example.org"}, 0),
    ],
    ids=str,
)
def test_what_a_call_adds_may_neither_say_more_nor_reach_more_people(added: dict[str, Any], value: float) -> None:
    mail = {"to": ["ann@example.org"], "body": "We meet at noon."}
    at_top = a_task((expected_call("send", mail),))
    nested = a_task((expected_call("send", {"mail": mail}),))

    assert Operation()(at_top, evidence_of((a_call("send", {**mail, **added}),))).value == value
    assert Operation()(nested, evidence_of((a_call("send", {"mail": {**mail, **added}}),))).value == value
