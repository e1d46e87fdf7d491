"""Properties of ``dag_*`` over random graphs of calls, with explicit references and with steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.task import ExpectedCall, Task
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.metrics.dag import CallGraph, DagLeaf, DagNodeF1, DagStrict
from tests.builders import a_call, a_task, evidence_of, expected_call

METRICS: tuple[Callable[[Task, AttemptEvidence], Any], ...] = (DagLeaf(), DagStrict(), DagNodeF1())


@dataclass(frozen=True)
class _Plan:
    """A task, and the calls that carry out its reference, with the results of the calls that they refer to."""

    task: Task
    calls: tuple[CallRecord, ...]

    @property
    def graph(self) -> CallGraph:
        return CallGraph.of(self.task.expected.calls)

    @property
    def replay(self) -> list[list[int]]:
        """The reference's own messages."""
        positions = iter(range(len(self.calls)))
        return [[next(positions) for _ in group.calls] for group in self.task.expected.calls]

    def evidence(self, messages: Sequence[Sequence[int]]) -> AttemptEvidence:
        return evidence_of(*(tuple(self.calls[node] for node in message) for message in messages if message))


@st.composite
def _plans(draw: st.DrawFn) -> _Plan:
    """Groups of calls, each of which refers to results of earlier groups or depends on its group's predecessor."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=5))
    groups: list[tuple[ExpectedCall, ...]] = []
    calls: list[CallRecord] = []
    for size in sizes:
        earlier = len(calls)
        group = []
        for _ in range(size):
            name, number = draw(st.sampled_from("ab")), draw(st.integers(0, 2))
            referred = draw(st.lists(st.integers(1, earlier), max_size=2)) if earlier else []
            group.append(expected_call(name, {"n": number, "of": [f"<{each}_result>" for each in referred]}))
            results = [_result(each - 1) for each in referred]
            calls.append(a_call(name, {"n": number, "of": results}, result=_result(len(calls))))
        groups.append(tuple(group))
    return _Plan(a_task(*groups), tuple(calls))


def _result(node: int) -> str:
    return f"result {node}"


@st.composite
def _orders(draw: st.DrawFn, plan: _Plan) -> list[list[int]]:
    """Messages that respect the dependencies: each takes some of the calls that are ready."""
    messages: list[list[int]] = []
    made: set[int] = set()
    while len(made) < len(plan.calls):
        ready = [i for i in range(len(plan.calls)) if i not in made and plan.graph.predecessors[i] <= made]
        message = draw(st.lists(st.sampled_from(ready), min_size=1, unique=True))
        messages.append(message)
        made.update(message)
    return messages


@pytest.mark.extra
@settings(max_examples=40)
@given(st.data())
def test_any_order_that_respects_the_dependencies_scores_1(data: st.DataObject) -> None:
    plan = data.draw(_plans())
    messages = data.draw(_orders(plan))

    assert [metric(plan.task, plan.evidence(messages)).value for metric in METRICS] == [1, 1, 1]


@pytest.mark.extra
@settings(max_examples=40)
@given(st.data())
def test_a_call_that_is_made_together_with_what_it_depends_on_scores_0(data: st.DataObject) -> None:
    plan = data.draw(_plans())
    distinct = {(call.name, repr(call.arguments)) for call in plan.calls}
    # Equal calls may change roles, so that an exchange of two breaks nothing.
    assume(len(distinct) == len(plan.calls))
    edges = [(before, after) for after in range(len(plan.calls)) for before in plan.graph.predecessors[after]]
    before, after = data.draw(st.sampled_from(edges))
    messages = [[node for node in message if node != after] for message in plan.replay]
    place = data.draw(st.integers(0, next(i for i, message in enumerate(messages) if before in message)))
    messages[place].append(after)

    scores = [metric(plan.task, plan.evidence(messages)).value for metric in METRICS[:2]]
    assert scores == [0, 0]
