"""Cells of the confusion matrix and mistakes in arguments of one attempt."""

from typing import Any

import pytest

from pytest_mcpbench.core.task import Expected, SimilarTool, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.tool_choice import NO_TOOL, UNKNOWN_TOOL, ToolChoice
from pytest_mcpbench.metrics.failure_analysis.tool_choice import tool_choice
from pytest_mcpbench.metrics.reference_matching import MatchReferences, deciding_matching, match_strictly
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

CITY = {"city": {"type": "string"}, "unit": {"enum": ["C", "F"]}, "days": {"type": "integer"}}
TOOLS = (a_tool("rain", CITY, required=("city",)), a_tool("sun", CITY, required=("city",)), a_tool("list"))
TASK = a_task((expected_call("rain", {"city": "Oslo", "unit": "C"}),))
NO_CALL = a_task().model_copy(update={"expected": Expected(forbidden_tools="all")})


def choice_of(
    *calls: CallRecord, task: Task = TASK, match: MatchReferences = match_strictly, **options: Any
) -> ToolChoice:
    evidence = evidence_of(calls, tools=TOOLS) if calls else evidence_of(answer="No.", tools=TOOLS)
    found = tool_choice(task, evidence, match, **{"is_passed": False, "is_routed": True, **options})
    assert found is not None
    return found


def cells(choice: ToolChoice) -> list[tuple[str, str, float]]:
    return [(chosen.expected, chosen.called, chosen.weight) for chosen in choice.tools]


RAIN = a_call("rain", {"city": "Oslo", "unit": "C"})
SUN = a_call("sun", {"city": "Oslo"})
UNKNOWN = a_call("snow", {}).model_copy(update={"tool": None, "server": None, "problem": "unknown_tool"})


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ((RAIN,), [("rain", "rain", 1.0)]),
        ((SUN,), [("rain", "sun", 1.0)]),
        ((), [("rain", NO_TOOL, 1.0)]),
        ((UNKNOWN,), [("rain", UNKNOWN_TOOL, 1.0)]),
        ((RAIN, SUN), [("rain", "rain", 1.0), (NO_TOOL, "sun", 1.0)]),
        ((a_call("rain", {"city": "Rome"}),), [("rain", "rain", 1.0)]),
    ],
    ids=["right", "another tool", "no call", "unknown tool", "one too many", "wrong argument"],
)
def test_each_call_has_a_cell(calls: tuple[CallRecord, ...], expected: list[tuple[str, str, float]]) -> None:
    assert cells(choice_of(*calls)) == expected


def test_one_of_several_right_tools_counts_as_right_and_a_wrong_call_for_each_in_equal_parts() -> None:
    both = a_task(
        (expected_call("rain", {"city": "Oslo"}).model_copy(update={"similar_tools": (SimilarTool(tool="sun"),)}),)
    )
    assert cells(choice_of(SUN, task=both)) == [("sun", "sun", 1.0)]
    assert cells(choice_of(a_call("list"), task=both)) == [("rain", "list", 0.5), ("sun", "list", 0.5)]


def test_what_a_passed_attempt_did_beside_the_reference_is_no_mistake() -> None:
    choice = choice_of(a_call("list"), a_call("rain", {"city": "oslo"}), is_passed=True)
    assert cells(choice) == [("rain", "rain", 1.0)]
    assert [check.mistake for check in choice.arguments] == [None, None]


def test_a_task_that_forbids_calls_expects_none() -> None:
    assert cells(choice_of(task=NO_CALL, is_passed=True)) == [(NO_TOOL, NO_TOOL, 1.0)]
    assert cells(choice_of(RAIN, task=NO_CALL)) == [(NO_TOOL, "rain", 1.0)]


def test_a_task_that_says_nothing_about_calls_has_no_choice() -> None:
    evidence = evidence_of((RAIN,), tools=TOOLS)
    assert tool_choice(a_task(), evidence, match_strictly, is_passed=False, is_routed=False) is None


@pytest.mark.parametrize(
    ("arguments", "mistakes"),
    [
        ({"unit": "C"}, {"city": "missing", "unit": None}),
        ({"city": "Oslo"}, {"city": None, "unit": "missing"}),
        ({"city": 7, "unit": "C"}, {"city": "wrong type", "unit": None}),
        ({"city": "Rome", "unit": "C"}, {"city": "wrong value", "unit": None}),
        ({"city": "Oslo", "unit": "K"}, {"city": None, "unit": "outside the enum"}),
        ({"city": "Oslo", "unit": "C", "days": 3}, {"city": None, "unit": None, "days": "invented"}),
        ({"city": "Oslo", "unit": "C", "days": "x"}, {"city": None, "unit": None, "days": "wrong type"}),
    ],
)
def test_each_argument_has_its_kind_of_mistake(arguments: dict[str, Any], mistakes: dict[str, str | None]) -> None:
    checks = choice_of(a_call("rain", arguments)).arguments
    assert {check.parameter: check.mistake for check in checks} == mistakes


@pytest.mark.parametrize(
    ("arguments", "mistakes"),
    [
        ({"to": ["bob@a.example"], "subject": "Hello!"}, {}),
        ({"to": ["eve@a.example"], "subject": "Hello!"}, {"to": "wrong value"}),
        ({"to": ["bob@a.example"], "subject": "Hello!", "urgent": True}, {}),
        ({"to": ["bob@a.example"], "subject": " "}, {"subject": "wrong value"}),
        ({"to": ["eve@a.example"]}, {"to": "wrong value", "subject": "missing"}),
    ],
    ids=["another wording", "another person", "a parameter that the server took", "no text", "two mistakes"],
)
def test_no_argument_that_the_deciding_metric_accepts_is_a_mistake(
    arguments: dict[str, Any], mistakes: dict[str, str]
) -> None:
    task = a_task((expected_call("send", {"to": ["bob@a.example"], "subject": "Greetings"}),))
    match = deciding_matching({"operation": {"free_text": ["subject"]}, "ast": {}}, {"operation"})

    checks = choice_of(a_call("send", arguments), task=task, match=match, is_routed=False).arguments

    assert {check.parameter: check.mistake for check in checks if check.mistake} == mistakes


def test_arguments_that_are_not_json_are_malformed_and_not_missing() -> None:
    call = a_call("rain", {}).model_copy(update={"problem": "malformed_arguments", "raw_arguments": '{"city": "Oslo",'})
    checks = choice_of(call).arguments
    assert {check.parameter: check.mistake for check in checks} == {"city": "malformed", "unit": "malformed"}
