"""Calls that the deciding metrics accept, and those that they do not."""

from collections.abc import Mapping
from typing import Any

import pytest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.score import JudgedMetric
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.metrics.catalogue import resolve
from pytest_mcpbench.metrics.reference_matching import deciding_matching
from tests.builders import a_call, a_task, evidence_of, expected_call

TASK = a_task((expected_call("send", {"to": ["a", "b"], "subject": "Greetings"}),))
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "effects": {},
    "operation": {"free_text": ["subject"], "sets": ["to"]},
    "ast": {},
    "ast_calls": {"unordered": ["to"]},
    "dag_leaf": {"sets": ["to"]},
    "bfcl": {},
    "metric_of_a_hook": {"any": "setting"},
}


def sent(*to: str, subject: str = "Greetings") -> CallRecord:
    return a_call("send", {"to": list(to), "subject": subject})


def mismatches(call: CallRecord, *floors: str) -> tuple[str, ...]:
    matching = deciding_matching(SETTINGS, floors)(TASK.expected.flat_calls, TASK, evidence_of((call,)))
    return tuple(map(str, matching.mismatches[0][0]))


REWORDED = "subject: expected 'Greetings', got 'Hi'"


@pytest.mark.parametrize(
    ("call", "floors", "expected"),
    [
        (sent("b", "a", subject="Hi"), ["operation"], ()),
        (sent("b", "c", subject="Hi"), ["operation"], ("to: expected ['a', 'b'], got ['b', 'c']",)),
        (sent("a", "b", subject="Hi"), ["ast"], (REWORDED,)),
        (sent("a", "b", subject="Hi"), ["operation", "ast"], (REWORDED,)),
        (sent("a", "b", subject="Hi"), ["dag_leaf", "ast_calls"], (REWORDED,)),
        (sent("b", "a"), ["ast_calls"], ()),
        (sent("b", "a"), ["dag_leaf"], ()),
        (sent("b", "a", subject="Hi"), ["effects"], ()),
        (sent("b", "a", subject="Hi"), ["metric_of_a_hook"], ()),
    ],
)
def test_a_call_is_right_if_all_metrics_with_a_floor_accept_it(
    call: CallRecord, floors: list[str], expected: tuple[str, ...]
) -> None:
    assert mismatches(call, *floors) == expected


def test_a_call_is_right_by_the_rules_of_bfcl_if_they_decide() -> None:
    assert mismatches(sent("a", "b"), "bfcl") == ()
    assert len(mismatches(sent("b", "a"), "bfcl")) == 1


def test_without_a_metric_that_compares_calls_the_comparison_is_strict() -> None:
    matching = deciding_matching({"effects": {}}, ["effects"])(
        TASK.expected.flat_calls, TASK, evidence_of((sent("a", "b", subject="Hi"),))
    )
    assert [str(one) for one in matching.mismatches[0][0]] == [REWORDED]


def test_a_failed_or_malformed_call_is_not_the_one_of_an_operation() -> None:
    failed = sent("a", "b").model_copy(update={"result": ToolResult.failure("no", "tool")})
    assert mismatches(failed, "operation") == ("the call failed",)
    malformed = a_call("send", problem="malformed_arguments", raw_arguments="{")
    assert mismatches(malformed, "operation") == ("the arguments are not a JSON object",)
    assert mismatches(a_call("list"), "operation") == ("list was called, not send",)


@pytest.mark.parametrize(
    ("metric", "settings"),
    [("operation", {"text": "judge"}), ("ast", {"profile": "lenient", "judge": True})],
)
@pytest.mark.parametrize(("label", "differences"), [("fulfilled", 0), ("not_fulfilled", 1), (None, 1)])
def test_a_wording_that_the_judge_accepted_is_no_difference(
    metric: str, settings: Mapping[str, Any], label: Any, differences: int
) -> None:
    evidence = evidence_of((sent("a", "b", subject="Hi"),))
    judged = resolve(metric, settings)
    assert isinstance(judged, JudgedMetric)
    verdict = Verdict(label=label, judge="j", prompt_version="1")
    verdicts = {question.key: verdict for question in judged.questions(TASK, evidence)}
    assert len(verdicts) == 1
    answered: AttemptEvidence = evidence.model_copy(update={"verdicts": verdicts})

    matching = deciding_matching({metric: settings}, [metric])(TASK.expected.flat_calls, TASK, answered)

    assert len(matching.mismatches[0][0]) == differences
