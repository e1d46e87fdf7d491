import pytest

from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.metrics.failure_analysis.atlas_modes import (
    MODES,
    PATTERNS_2025,
    failure_question,
    pattern_question,
)
from pytest_mcpbench.metrics.failure_analysis.primary_mode import UNDETERMINED, failures_by_outcome
from pytest_mcpbench.reporting.papers.atlas import PATTERNS
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

TOOLS = (a_tool("read", {"path": {"type": "string"}}, required=("path",)), a_tool("list"), a_tool("send"))
READ, LIST, MALFORMED = a_call("read", {"path": "a"}), a_call("list"), a_call("read", {"path": 5})
LOST = READ.model_copy(update={"result": ToolResult.failure("no such file", "tool")})
TASK = a_task((expected_call("read", {"path": "a"}),))
LONGER = a_task((expected_call("read", {"path": "a"}),), (expected_call("send"),))


@pytest.mark.parametrize(
    ("calls", "mode", "category"),
    [
        pytest.param((), "no_tool_use", "tool_usage:no_tools_called", id="no call"),
        pytest.param((LIST,), "wrong_tool", "tool_usage:wrong_tool_selection", id="another tool"),
        pytest.param((MALFORMED,), "malformed_call", "tool_usage:incorrect_tool_parameters", id="wrong arguments"),
        pytest.param((MALFORMED, LOST), "err_recovery", "tool_usage:missing_tool_calls", id="two modes"),
        pytest.param((READ,), UNDETERMINED, UNDETERMINED, id="only the answer is wrong"),
    ],
)
def test_a_failed_attempt_has_exactly_one_primary_mode_in_each_taxonomy(
    calls: tuple[CallRecord, ...], mode: str, category: str
) -> None:
    evidence = evidence_of(*((call,) for call in calls), answer="Done.", tools=TOOLS)
    found = failures_by_outcome(TASK, evidence, is_failed=True)
    assert (found["atlas_primary"], found["atlas_primary_2025"]) == ((mode,), (category,))


def test_a_passed_attempt_has_no_primary_mode_although_its_labels_stay() -> None:
    found = failures_by_outcome(TASK, evidence_of((MALFORMED,), (READ,), answer="Done.", tools=TOOLS), is_failed=False)
    assert (found["atlas"], found["atlas_primary"], found["atlas_primary_2025"]) == (("malformed_call",), (), ())


def test_a_reference_call_that_was_left_out_is_a_missing_call_of_2025() -> None:
    found = failures_by_outcome(LONGER, evidence_of((READ,), answer="Done.", tools=TOOLS), is_failed=True)
    assert (found["atlas_primary"], found["atlas_primary_2025"]) == (
        (UNDETERMINED,),
        ("tool_usage:missing_tool_calls",),
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_judge_decides_before_the_rules(mode: str) -> None:
    evidence = evidence_of((MALFORMED,), answer="Wrong.", tools=TOOLS)
    verdict = Verdict(label=mode, judge="a-judge", prompt_version="1")
    evidence = evidence.model_copy(update={"verdicts": {failure_question(TASK, evidence).key: verdict}})
    found = failures_by_outcome(TASK, evidence, is_failed=True)
    assert found["atlas_primary"] == (mode,)
    assert found["atlas_primary_2025"] != (UNDETERMINED,)


@pytest.mark.parametrize("pattern", PATTERNS_2025)
def test_a_judge_of_patterns_can_find_each_pattern_of_2025(pattern: str) -> None:
    evidence = evidence_of((MALFORMED,), answer="Wrong.", tools=TOOLS)
    verdict = Verdict(label=pattern, judge="a-judge", prompt_version="1")
    evidence = evidence.model_copy(update={"verdicts": {pattern_question(TASK, evidence).key: verdict}})
    found = failures_by_outcome(TASK, evidence, is_failed=True)
    assert (found["atlas_primary"], found["atlas_primary_2025"]) == (("malformed_call",), (pattern,))
    assert failures_by_outcome(TASK, evidence, is_failed=False)["atlas_primary_2025"] == ()


def test_the_patterns_are_those_of_the_papers_table() -> None:
    assert {*PATTERNS_2025, UNDETERMINED} == set(PATTERNS)
