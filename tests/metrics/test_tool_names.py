import pytest

from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import CallGroup, Expected, Turn
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.metrics.grouping import Emr
from pytest_mcpbench.metrics.tool_names import ToolF1, ToolF1Turn, ToolPrecision, ToolRecall
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

CASES = [
    ("the same", "A B", "A B", 1, 1, 1),
    ("one too many", "A B C", "A B", 2 / 3, 1, 4 / 5),
    ("one too few", "A", "A B", 1, 1 / 2, 2 / 3),
    ("called twice, expected once", "A A", "A", 1 / 2, 1, 2 / 3),
    ("called once, expected twice", "A", "A A", 1, 1 / 2, 2 / 3),
    ("none in common", "A", "B", 0, 0, 0),
    ("both empty", "", "", 1, 1, 1),
    ("nothing called", "", "A", 0, 0, 0),
    ("nothing expected", "A", "", 0, 0, 0),
    ("any order", "C B A", "A B C", 1, 1, 1),
]


@pytest.mark.parametrize(("_name", "called", "expected", "precision", "recall", "f1"), CASES, ids=[c[0] for c in CASES])
def test_names_are_compared_as_multisets(
    _name: str, called: str, expected: str, precision: float, recall: float, f1: float
) -> None:
    task = a_task(tuple(expected_call(name) for name in expected.split()))
    evidence = evidence_of(tuple(a_call(name) for name in called.split()))
    values = [float(metric(task, evidence)) for metric in (ToolPrecision(), ToolRecall(), ToolF1())]
    assert values == pytest.approx([precision, recall, f1])


def test_the_score_can_be_recomputed_from_its_reasons_and_counts() -> None:
    task = a_task((expected_call("A"), expected_call("B")))
    evidence = evidence_of((a_call("A"), a_call("C"), a_call("C")))
    assert ToolPrecision()(task, evidence) == Score(
        value=1 / 3,
        reasons=(
            "3 calls were made, 1 of them expected; 2 calls were expected",
            "not called: B",
            "not expected: C ×2",
        ),
        counts={"hits": 1, "called": 3, "expected": 2},
    )


def test_one_call_is_counted_in_the_singular() -> None:
    score = ToolRecall()(a_task((expected_call("A"),)), evidence_of((a_call("A"), a_call("B"))))
    assert score.reasons[0] == "2 calls were made, 1 of them expected; 1 call was expected"


def test_without_a_call_no_share_of_calls_is_told() -> None:
    score = ToolRecall()(a_task((expected_call("A"), expected_call("B"))), evidence_of(()))
    assert score.reasons[0] == "no call was made; 2 calls were expected"


def test_as_sets_each_tool_counts_once() -> None:
    task, evidence = a_task((expected_call("A"),)), evidence_of((a_call("A"), a_call("A")))
    assert ToolPrecision("set")(task, evidence) == 1
    assert ToolPrecision()(task, evidence) == 0.5


def test_a_name_that_two_servers_have_is_told_apart_by_server() -> None:
    tools = (a_tool("mail_search", tool="search", server="mail"), a_tool("web_search", tool="search", server="web"))
    evidence = evidence_of((a_call("search", name="web_search", server="web"),), tools=tools)
    assert ToolRecall()(a_task((expected_call("search", server="mail"),)), evidence) == 0
    assert ToolRecall()(a_task((expected_call("search", server="web"),)), evidence) == 1
    assert ToolRecall()(a_task((expected_call("search"),)), evidence) == 1


def test_a_tool_of_another_server_is_not_the_expected_one_even_if_the_agent_sees_no_other() -> None:
    task = a_task((expected_call("search", server="mail"),))
    seen = (a_tool("search", server="news"),)
    evidence = evidence_of((a_call("search", server="news"),), tools=seen)
    assert ToolF1()(task, evidence) == 0
    assert Emr()(task, evidence) == 0


def test_a_tool_that_does_not_exist_counts_as_called() -> None:
    unknown = CallRecord(id="2", name="B", problem="unknown_tool")
    evidence = evidence_of((a_call("A"), unknown))
    assert ToolPrecision()(a_task((expected_call("A"),)), evidence) == 0.5


def test_by_turn_the_value_is_the_mean_and_the_counts_are_pooled() -> None:
    groups = (CallGroup(calls=(expected_call("A"),), turn=0), CallGroup(calls=(expected_call("B"),), turn=1))
    task = a_task(turns=(Turn(user="1"), Turn(user="2"), Turn(user="3")), expected=Expected(calls=groups))
    steps = (Step(turn=0, calls=(a_call("A"),)), Step(turn=1, calls=(a_call("A"),)))
    score = ToolF1Turn()(task, evidence_of(trajectory=Trajectory(steps=steps)))
    assert score.value == pytest.approx(2 / 3)
    assert score.counts == {"hits": 1, "called": 2, "expected": 2}
