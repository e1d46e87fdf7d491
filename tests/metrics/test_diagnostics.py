import pytest

from pytest_mcpbench.core.score import Metric, Score
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.metrics.diagnostics import (
    DiscoveryPrecision,
    DiscoveryRecall,
    DistinctCalls,
    ErrorFree,
    Recovery,
    SchemaValid,
)
from pytest_mcpbench.metrics.failure_analysis.primary_mode import failures
from pytest_mcpbench.metrics.tools_described import tools_described
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

TASK = a_task((expected_call("read"), expected_call("send")), (expected_call("read"),))
TOOLS = (a_tool("read", {"n": {"type": "integer"}}, required=("n",)), a_tool("find"))
READ = a_call("read", {"n": 1})
FAILED = a_call("read", {"n": 2}, result=ToolResult.failure("no such file", "tool"))
UNSENT = a_call("read").model_copy(update={"result": None})
LOST = a_call("read", result=ToolResult.failure("broken pipe", "transport"))


@pytest.mark.parametrize(
    ("metric", "part", "whole", "reasons"),
    [
        (DiscoveryPrecision(), 3, 4, ("not required: find",)),
        (DiscoveryRecall(), 1, 2, ("never called: send",)),
        (SchemaValid(), 3, 4, ("read: 'n' is a required property",)),
        (ErrorFree(), 3, 4, ("failed: read",)),
        (DistinctCalls(), 4, 4, ()),
    ],
    ids=lambda value: type(value).__name__ if callable(value) else "",
)
def test_a_diagnostic_is_a_share_of_the_calls_that_count(
    metric: Metric, part: int, whole: int, reasons: tuple[str, ...]
) -> None:
    evidence = evidence_of((READ, FAILED), (a_call("read"), a_call("find")), (UNSENT, LOST), tools=TOOLS)
    score = metric(TASK, evidence)
    assert score.counts == {"part": part, "whole": whole}
    assert len(score.reasons) == len(reasons)
    assert all(said.split(":")[0] == wanted.split(":")[0] for said, wanted in zip(score.reasons, reasons, strict=True))


def test_a_repetition_with_the_same_result_is_not_distinct() -> None:
    assert DistinctCalls()(TASK, evidence_of((READ,), (READ,), (READ,))) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("steps", "value"),
    [
        (((FAILED,), (READ,)), 1),
        (((FAILED,), (FAILED,), (READ,)), 0.5),
        (((FAILED,),), 0),
        (((FAILED, READ),), 0),
    ],
    ids=["at once", "at the second try", "never", "only beside it"],
)
def test_an_error_is_recovered_by_a_success_in_the_next_round(
    steps: tuple[tuple[object, ...], ...], value: float
) -> None:
    assert Recovery()(TASK, evidence_of(*steps)) == value  # type: ignore[arg-type]  # a table of calls


@pytest.mark.parametrize("metric", [DiscoveryPrecision(), SchemaValid(), ErrorFree(), DistinctCalls()])
def test_without_calls_there_is_nothing_to_say(metric: Metric) -> None:
    assert metric(TASK, evidence_of()) == Score.not_applicable("no tool was called")


@pytest.mark.parametrize("metric", [DiscoveryPrecision(), DiscoveryRecall()])
def test_without_reference_calls_there_is_nothing_to_discover(metric: Metric) -> None:
    assert metric(a_task(), evidence_of((READ,))) == Score.not_applicable("the task has no reference calls")


def test_without_errors_there_is_nothing_to_recover_from() -> None:
    assert Recovery()(TASK, evidence_of((READ,))) == Score.not_applicable("no call failed")


def test_a_tool_of_the_same_name_on_another_server_is_not_the_required_one() -> None:
    task = a_task((expected_call("search", server="news"),))
    tools = (a_tool("search", server="mail"),)
    evidence = evidence_of((a_call("search", server="mail"),), tools=tools)
    assert (DiscoveryPrecision()(task, evidence).value, DiscoveryRecall()(task, evidence).value) == (0, 0)
    assert failures(task, evidence)["rules"] == ("wrong_tool", "missing_call", "no_answer")


def test_an_attempt_whose_agent_saw_a_tool_without_a_description_has_no_verdict() -> None:
    described, nameless = a_tool("read", description="Read a file."), a_tool("find", description="")
    assert tools_described(TASK, evidence_of(tools=(described,))) == Score.of(1.0)
    assert tools_described(TASK, evidence_of(tools=(described, nameless))).value is None
    assert tools_described(TASK, evidence_of(tools=())).value is None
