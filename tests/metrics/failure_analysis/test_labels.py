from typing import Any

import pytest

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.judgement import Verdict
from pytest_mcpbench.core.task import Expected, SimilarTool, Task
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.core.trajectory import ParsedText, Step, Trajectory
from pytest_mcpbench.metrics.failure_analysis.atlas_modes import MODES, NO_FAILURE, failure_question
from pytest_mcpbench.metrics.failure_analysis.primary_mode import failures
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

TOOLS = (a_tool("read", {"path": {"type": "string"}}, required=("path",)), a_tool("list"))
READ = a_call("read", {"path": "a"})
LIST = a_call("list")
TASK = a_task((expected_call("read", {"path": "a"}),))


def _error(text: str, tool: str = "read", **arguments: Any) -> CallRecord:
    return a_call(tool, arguments or {"path": "a"}, result=ToolResult.failure(text, "tool"))


def _refused(problem: str) -> CallRecord:
    return READ.model_copy(update={"problem": problem, "result": None, "tool": None})


def _found(*steps: tuple[CallRecord, ...], task: Task = TASK, answer: str = "Done.", **fields: Any) -> dict[str, Any]:
    found = failures(task, evidence_of(*steps, answer=answer, tools=TOOLS, **fields))
    return {taxonomy: labels for taxonomy, labels in found.items() if labels}


def test_a_good_attempt_has_no_failure_in_any_taxonomy() -> None:
    assert failures(TASK, evidence_of((READ,), answer="Done.", tools=TOOLS)) == {
        "rules": (),
        "atlas": (),
        "radar": (),
        "toolbench": (),
    }


def test_no_tool_called() -> None:
    assert _found() == {
        "rules": ("no_tool_called",),
        "atlas": ("no_tool_use",),
        "radar": ("reasoning:tool_omission",),
    }


@pytest.mark.parametrize(
    ("reason", "labels"), [("content_filter", ("refused",)), ("refusal", ("refused",)), ("stop", ()), (None, ())]
)
def test_a_reply_that_the_provider_stopped_is_refused(reason: str | None, labels: tuple[str, ...]) -> None:
    steps = (Step(calls=(READ,)), Step(text="I cannot", finish_reason=reason))
    assert _found(trajectory=Trajectory(steps=steps)).get("rules", ()) == labels


def test_a_call_written_as_text_has_a_label() -> None:
    trajectory = Trajectory(steps=(Step(text="{}"),), notes={"call_in_text": "read"})
    assert "call_in_text" in _found(trajectory=trajectory)["rules"]


def test_a_call_of_a_tool_that_no_search_found_has_a_label() -> None:
    assert "tool_not_loaded" in _found((_refused("not_loaded"),))["rules"]


def test_a_reply_that_cannot_be_read_is_a_failure_of_the_agent() -> None:
    steps = [Step(parsed=ParsedText(format="json", raw="{", problem="half"))]
    assert _found(trajectory=Trajectory(steps=(*steps * 3,), stop="unreadable")) == {
        "rules": ("no_tool_called", "unreadable_reply", "no_answer", "unreadable"),
        "atlas": ("no_tool_use", "malformed_call"),
        "radar": ("reasoning:tool_omission",),
    }


def test_no_tool_called_is_right_where_all_tools_are_forbidden() -> None:
    task = a_task(expected=Expected(forbidden_tools="all"))
    assert _found(task=task) == {}
    assert "forbidden_tool" in _found((READ,), task=task)["rules"]


def test_a_wrong_tool_is_called_in_place_of_the_right_one() -> None:
    assert _found((LIST,)) == {
        "rules": ("wrong_tool", "missing_call"),
        "atlas": ("wrong_tool",),
        "radar": ("tool_use:inaccurate_tool_invocation",),
    }


def test_a_further_or_a_similar_tool_is_not_wrong() -> None:
    similar = a_task((expected_call("fetch", similar_tools=(SimilarTool(tool="read"),)),))
    assert _found((LIST,), (READ,)) == {}
    assert _found((READ,), task=similar) == {}


@pytest.mark.parametrize(
    ("problem", "rule", "atlas", "radar"),
    [
        ("malformed_arguments", "malformed_arguments", "malformed_call", "tool_use:parameter_error"),
        ("unknown_tool", "nonexistent_tool", "wrong_tool", "other:nonexistent_tool"),
        ("not_exposed", "tool_not_exposed", "wrong_tool", "other:nonexistent_tool"),
    ],
)
def test_a_call_that_is_refused(problem: str, rule: str, atlas: str, radar: str) -> None:
    found = _found((_refused(problem),), (READ,))
    assert (found["rules"], found["atlas"], found["radar"]) == ((rule,), (atlas,), (radar,))


def test_arguments_that_break_the_schema() -> None:
    found = _found((a_call("read", {"path": 5}),))
    assert found == {
        "rules": ("schema_violation",),
        "atlas": ("malformed_call",),
        "radar": ("tool_use:parameter_error",),
    }


def test_an_error_that_was_repaired_leaves_its_root_cause() -> None:
    assert _found((_error("no such file", path="b"),), (READ,)) == {
        "rules": ("tool_error",),
        "toolbench": ("resource_not_found",),
    }


@pytest.mark.parametrize(
    "steps",
    [
        ((READ,), (_error("no such file", path="b"),)),
        ((READ, _error("no such file", path="b")),),
        ((_error("no such file", path="b"), READ),),
    ],
    ids=["last", "beside a success", "before a success of the same round"],
)
def test_an_error_after_which_nothing_succeeded_was_not_recovered(steps: tuple[tuple[CallRecord, ...], ...]) -> None:
    assert _found(*steps) == {
        "rules": ("tool_error", "error_not_recovered"),
        "atlas": ("err_recovery",),
        "toolbench": ("resource_not_found",),
    }


def test_the_same_call_with_the_same_result_is_redundant_and_polling_is_not() -> None:
    assert _found((READ,), (READ,)) == {
        "rules": ("redundant_calls",),
        "radar": ("reasoning:redundant_tool_invocation",),
    }
    assert _found((READ,), (a_call("read", {"path": "a"}, result="changed"),)) == {}


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"data": []}'])
def test_an_empty_result(text: str) -> None:
    assert "empty_result" in _found((a_call("read", {"path": "a"}, result=text),))["rules"]


def test_a_zero_is_not_empty() -> None:
    assert _found((a_call("read", {"path": "a"}, result='{"count": 0}'),)) == {}


PRECISE = a_task(expected=Expected(answer="42"))


def test_a_wrong_answer_is_an_incorrect_result() -> None:
    assert _found((READ,), task=PRECISE, answer="<answer>41</answer>") == {
        "rules": ("wrong_answer",),
        "radar": ("other:incorrect_result",),
    }
    assert _found((READ,), task=PRECISE, answer="<answer>42</answer>") == {}


def test_no_answer_and_one_that_a_limit_cut_short_are_not_an_incorrect_result() -> None:
    cut_short = Trajectory(steps=(Step(text="<answer>41</answer>", calls=(READ,)),), stop="round_limit")
    assert _found((READ,), task=PRECISE, answer="")["rules"] == ("no_answer",)
    assert _found(task=PRECISE, trajectory=cut_short)["rules"] == ("round_limit",)


@pytest.mark.parametrize("stop", ["round_limit", "call_limit"])
def test_a_limit_ended_the_attempt(stop: Any) -> None:
    found = _found(trajectory=Trajectory(steps=(Step(calls=(READ,)),), stop=stop))
    assert found == {"rules": ("no_answer", stop), "radar": ("other:excessive_rounds",)}


def test_an_error_of_the_harness_is_nobody_elses() -> None:
    lost = a_call("read", {"path": "a"}, result=ToolResult.failure("broken pipe", "transport"))
    assert "toolbench" not in _found((lost,), (READ,))


def _with_mode(evidence: AttemptEvidence, label: str) -> AttemptEvidence:
    verdict = Verdict(label=label, judge="a-judge", prompt_version="1")
    return evidence.model_copy(update={"verdicts": {failure_question(TASK, evidence).key: verdict}})


def test_a_judges_mode_joins_the_labels_by_rule() -> None:
    evidence = _with_mode(evidence_of((READ,), answer="Wrong.", tools=TOOLS), "response_misparsing")
    found = failures(TASK, evidence)
    assert (found["atlas"], found["radar"]) == (("response_misparsing",), ("synthesis:information_extraction_failure",))


def test_a_judge_that_finds_no_failure_adds_no_label() -> None:
    assert failures(TASK, _with_mode(evidence_of((READ,), answer="Right.", tools=TOOLS), NO_FAILURE))["atlas"] == ()


def test_the_judge_chooses_among_eleven_modes_and_no_failure() -> None:
    question = failure_question(TASK, evidence_of((READ,), answer="Wrong."))
    assert question.labels == (*MODES, NO_FAILURE)
    assert len(MODES) == 11


def test_early_termination_is_no_choice_where_a_limit_ended_the_attempt() -> None:
    evidence = evidence_of(trajectory=Trajectory(steps=(Step(calls=(READ,)),), stop="round_limit"))
    assert "early_termination" not in failure_question(TASK, evidence).labels
