from typing import Any

import pytest

from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import CallRecord, ToolResult
from pytest_mcpbench.metrics.ast import Ast
from pytest_mcpbench.metrics.catalogue import resolve
from pytest_mcpbench.metrics.dag import DagLastName, DagLeaf, DagNodeF1, DagStrict
from tests.builders import a_call, a_task, evidence_of, expected_call

GET_A, GET_B = expected_call("get", {"of": "a"}), expected_call("get", {"of": "b"})
PLOT = expected_call("plot", {"data": ["<1_result>", "<2_result>"]})
CHART = a_task((GET_A, GET_B), (PLOT,))
A, B = a_call("get", {"of": "a"}, result="1"), a_call("get", {"of": "b"}, result="x")
DRAW = a_call("plot", {"data": [1, "x"]})
NAMES = ("dag_leaf", "dag_strict", "dag_node_f1", "dag_last_name")


def _values(task: Task, *steps: tuple[CallRecord, ...]) -> tuple[float | None, ...]:
    return tuple(resolve(name)(task, evidence_of(*steps)).value for name in NAMES)


@pytest.mark.parametrize(
    ("steps", "leaf", "strict", "node_f1", "last_name"),
    [
        pytest.param([(A, B), (DRAW,)], 1, 1, 1, 1, id="as planned"),
        pytest.param([(B,), (A,), (DRAW,)], 1, 1, 1, 1, id="one after the other"),
        pytest.param([(A, B, DRAW)], 0, 0, 1, 1, id="all at once"),
        pytest.param([(A,), (DRAW,)], 0, 0, 0.4, 1, id="one missing"),
        pytest.param([(DRAW,)], 0, 0, 0, 1, id="the last alone"),
        pytest.param([(A, B), (DRAW,), (A,)], 0, 0, 6 / 7, 0, id="another after the last"),
        pytest.param([(DRAW,), (A, B)], 0, 0, 2 / 3, 0, id="too early"),
        pytest.param([(A, B), (a_call("plot", {"data": ["", 2]}),)], 0, 0, 2 / 3, 1, id="an empty result passed on"),
        pytest.param([(A, B), (a_call("plot", {"data": ["x", 1]}),)], 0, 0, 2 / 3, 1, id="results exchanged"),
        pytest.param([], 0, 0, 0, 0, id="nothing"),
    ],
)
def test_a_graph_of_two_steps(
    steps: list[tuple[CallRecord, ...]], leaf: float, strict: float, node_f1: float, last_name: float
) -> None:
    assert _values(CHART, *steps) == pytest.approx((leaf, strict, node_f1, last_name))


def test_parallel_last_calls_may_be_made_in_any_order_after_what_they_depend_on() -> None:
    task = a_task((PLOT.model_copy(update={"arguments": {}}),), (GET_A, GET_B))
    plot = a_call("plot")

    assert DagLeaf()(task, evidence_of((plot,), (B, A))).value == 1
    assert DagLeaf()(task, evidence_of((plot,), (B,), (A,))).value == 1
    assert DagLeaf()(task, evidence_of((B,), (plot,), (A,))).value == 0
    assert DagLeaf()(task, evidence_of((plot,), (B, A), (plot,))).value == 0


def test_a_sink_of_an_earlier_step_need_not_be_called_last() -> None:
    task = a_task((GET_A, GET_B), (expected_call("show", {"x": "<1_result>"}),))
    show = a_call("show", {"x": 1})

    assert [DagLeaf()(task, evidence_of(*steps)).value for steps in ([(A, B), (show,)], [(A,), (B, show)])] == [1, 1]
    assert DagLeaf()(task, evidence_of((A,), (show,))).value == 0


def test_calls_before_the_leaves_may_be_missing_but_keep_their_order() -> None:
    task = a_task((GET_A,), (GET_B,), (expected_call("end"),))
    end = a_call("end")

    assert DagLeaf()(task, evidence_of((A,), (end,))).value == 1
    assert DagLeaf()(task, evidence_of((A,), (a_call("look"),), (B,), (end,))).value == 1
    assert DagLeaf()(task, evidence_of((B,), (A,), (end,))) == Score.of(
        0, ["get(of='b') was called in message 1, not after get(of='a') in message 2"], matched=1, expected=1, called=1
    )


def test_of_equal_calls_those_that_keep_the_order_count() -> None:
    task = a_task((GET_A,), (GET_B,), (GET_A,))

    assert DagStrict()(task, evidence_of((A,), (B,), (A,))).value == 1
    assert DagStrict()(task, evidence_of((A, A), (B,))).value == 0


def test_looks_after_the_last_call_do_no_harm() -> None:
    look = a_call("read", {"of": "a"})
    for metric in (DagLeaf, DagStrict, DagNodeF1):
        assert metric(looks=frozenset({"read"}))(CHART, evidence_of((look, A, B), (DRAW,), (look,))).value == 1


@pytest.mark.parametrize("metric", [DagLeaf, DagStrict, DagNodeF1])
def test_a_look_that_the_reference_has_counts_in_its_place(metric: Any) -> None:
    task = a_task((GET_A,), (expected_call("show", {}),), (expected_call("draw", {}),))
    show, draw, other = a_call("show"), a_call("draw"), a_call("show", {"x": 1})
    judge = metric(looks=frozenset({"show"}))

    assert judge(task, evidence_of((show, other), (A,), (show,), (draw,), (show, other))).value == 1
    assert judge(task, evidence_of((A,), (show,), (draw,), (A,))).value < 1


def test_a_look_at_the_wrong_time_is_no_substitute() -> None:
    task = a_task((GET_A,), (expected_call("show", {}),))
    for metric in (DagLeaf, DagStrict):
        assert metric(looks=frozenset({"show"}))(task, evidence_of((a_call("show"),), (A,))).value == 0


def test_an_explicit_reference_frees_a_call_from_the_step_before() -> None:
    task = a_task((GET_A, GET_B), (expected_call("show", {"x": "<1_result>"}),))
    show = a_call("show", {"x": 1})

    assert DagStrict()(task, evidence_of((A,), (show,), (B,))).value == 1
    assert DagStrict()(task, evidence_of((A, show), (B,))) == Score.of(
        0,
        ["show(x='<1_result>') was called in message 1, not after get(of='a') in message 1"],
        matched=3,
        expected=3,
        called=3,
    )


@pytest.mark.parametrize(
    "steps", [[], [(A,)], [(B,)], [(A, A)], [(A,), (A,)], [(B,), (A,)], [(a_call("plot"),)]], ids=range(7)
)
@pytest.mark.parametrize("metric", [DagLeaf(), DagStrict(), DagNodeF1()], ids=["leaf", "strict", "node_f1"])
def test_with_one_reference_call_the_score_is_that_of_ast(metric: Any, steps: list[tuple[CallRecord, ...]]) -> None:
    task = a_task((GET_A,))

    assert metric(task, evidence_of(*steps)) == Ast()(task, evidence_of(*steps))


def test_reference_calls_in_a_circle_are_the_authors_error() -> None:
    task = a_task((expected_call("get", {"of": "<2_result>"}), expected_call("get", {"of": "<1_result>"})))

    assert DagLeaf()(task, evidence_of((A,))).unscored == "the reference calls depend on each other in a circle"
    assert DagStrict()(task, evidence_of((A,))).value is None


def test_the_authors_code_looks_at_the_last_name_and_its_success() -> None:
    failed = a_call("plot", result=ToolResult.failure("no such file", "tool"))

    assert DagLastName()(CHART, evidence_of((failed,))) == Score.of(0, ["the last call failed: resource_not_found"])
    assert DagLastName()(CHART, evidence_of((a_call("plot", {"data": "nonsense"}),))).value == 1
    assert DagLastName()(CHART, evidence_of()).reasons == ("no tool was called",)


@pytest.mark.parametrize("name", NAMES)
def test_they_do_not_apply_without_reference_calls(name: str) -> None:
    assert resolve(name)(a_task(), evidence_of((A,))) == Score.not_applicable("the task has no reference calls")
