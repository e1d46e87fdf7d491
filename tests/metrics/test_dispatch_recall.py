import pytest

from pytest_mcpbench.core.dispatch import Dispatch
from pytest_mcpbench.core.evidence import AttemptEvidence, AttemptNotes
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Expected, SimilarTool, Task
from pytest_mcpbench.metrics.dispatch_recall import DispatchRecall
from tests.builders import a_task, evidence_of, expected_call


def dispatched_evidence(*tools: str, top_k: int = 2) -> AttemptEvidence:
    """A run whose dispatcher ranked the tools in this order."""
    dispatch = Dispatch(dispatcher="bm25", top_k=top_k, ranking=tuple(("server", tool) for tool in tools))
    return evidence_of(notes=AttemptNotes(dispatcher=dispatch))


READ, SEND = expected_call("read"), expected_call("send")


def test_it_is_the_share_of_the_expected_tools_that_were_picked() -> None:
    task = a_task((READ, SEND), (READ,), (expected_call("fax"),))
    assert DispatchRecall()(task, dispatched_evidence("read", "list", "send")) == Score(
        value=1 / 3,
        reasons=("send was not picked: rank 3 of 3", "there was no tool fax to pick"),
        counts={"part": 1, "whole": 3},
    )


def test_another_k_can_be_asked_for_afterwards() -> None:
    task, evidence = a_task((READ, SEND)), dispatched_evidence("read", "list", "send")
    assert [float(DispatchRecall(k)(task, evidence)) for k in (1, 2, 3)] == [0.5, 0.5, 1.0]


def test_a_tool_that_is_as_right_counts() -> None:
    task = a_task((expected_call("send", similar_tools=(SimilarTool(tool="mail"),)),))
    assert DispatchRecall()(task, dispatched_evidence("mail", "read", "send")) == 1.0


NOTHING = {
    "no dispatcher": (a_task((READ,)), evidence_of(), "no dispatcher picked tools"),
    "no reference calls": (
        a_task(expected=Expected(answer="42")),
        dispatched_evidence("read"),
        "the task has no reference calls",
    ),
}


@pytest.mark.parametrize(("task", "evidence", "why"), NOTHING.values(), ids=NOTHING.keys())
def test_there_is_nothing_to_measure(task: Task, evidence: AttemptEvidence, why: str) -> None:
    assert DispatchRecall()(task, evidence) == Score.not_applicable(why)
