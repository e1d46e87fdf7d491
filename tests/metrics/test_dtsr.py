import pytest

from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Expected
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.metrics.dtsr import Dtsr
from tests.builders import a_call, a_task, a_tool, evidence_of

READ = a_tool("read", {"path": {"type": "string"}, "lines": {"type": "integer", "minimum": 1}}, ("path",))
GOOD = a_call("read", {"path": "a"})


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        pytest.param(GOOD, None, id="good"),
        pytest.param(a_call("read", {}), "read: 'path' is a required property", id="missing"),
        pytest.param(
            a_call("read", {"path": "a", "lines": 0}), "read: lines: 0 is less than the minimum of 1", id="out of range"
        ),
        pytest.param(a_call("read", {"path": 5}), "read: path: 5 is not of type 'string'", id="type"),
        pytest.param(
            a_call("read", problem="malformed_arguments", raw_arguments="{"),
            "read: the arguments are not a JSON object",
            id="malformed",
        ),
        pytest.param(a_call("raed", problem="unknown_tool"), "raed is not a tool of the task", id="unknown"),
        pytest.param(a_call("write"), "write is not a tool of the task", id="not listed"),
        pytest.param(
            GOOD.model_copy(update={"result": ToolResult.failure("no such file", "tool")}),
            "read failed: no such file",
            id="error",
        ),
        pytest.param(GOOD.model_copy(update={"result": None}), "read was not sent", id="not sent"),
        pytest.param(a_call("read", {"path": "a"}, result=""), None, id="an empty result is no error"),
    ],
)
def test_a_round_succeeds_if_each_of_its_calls_does(call: CallRecord, reason: str | None) -> None:
    score = Dtsr()(a_task(tools=("read",)), evidence_of((GOOD, call), tools=(READ,)))

    assert score == Score.share(reason is None, 1, [f"round 1: {reason}"] if reason else [])


def test_it_is_the_share_of_rounds_and_not_of_calls() -> None:
    evidence = evidence_of((GOOD, GOOD, a_call("read", {})), (GOOD,), (GOOD,), answer="Done.", tools=(READ,))

    assert Dtsr()(a_task(), evidence) == Score.share(2, 3, ["round 1: read: 'path' is a required property"])


def test_without_any_call_it_is_0() -> None:
    assert Dtsr()(a_task(), evidence_of(answer="I know.")) == Score.of(0, ["no tool was called"], part=0, whole=0)


def test_a_precise_task_has_no_rounds_to_count() -> None:
    task = a_task(expected=Expected(answer="42"))
    for evidence in (evidence_of(answer="42"), evidence_of((GOOD,), answer="42", tools=(READ,))):
        assert Dtsr()(task, evidence) == Score.not_applicable("the task has an answer and no reference calls")
