import pytest

from pytest_mcpbench.core.definition_tokens import definition_tokens
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import SimilarTool, Task
from pytest_mcpbench.core.tool import CallRecord, ToolSearch
from pytest_mcpbench.core.trajectory import SearchOffer, Step, Trajectory
from pytest_mcpbench.metrics.tool_search import tool_search
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

TOOLS = tuple(a_tool(name, description="Do it. " * 20) for name in ("read", "send", "list", "fax"))
EACH = definition_tokens(TOOLS[:1]).total
READ, SEND = expected_call("read"), expected_call("send")


def searched(*searches: tuple[str, ...] | None, calls: tuple[CallRecord, ...] = ()) -> AttemptEvidence:
    """An attempt with searches that found these tools, or were not made, and then these calls."""
    made = tuple(
        ToolSearch(id=str(number), name="search_tools", arguments={"query": f"query {number}"}, found=found)
        for number, found in enumerate(searches)
    )
    steps = (Step(searches=made), Step(calls=calls))
    trajectory = Trajectory(steps=steps, search_offer=SearchOffer(ranking="bm25", results=5, tokens=30))
    return evidence_of(trajectory=trajectory, tools=TOOLS)


def test_it_is_the_share_of_the_needed_tools_that_searches_found() -> None:
    task = a_task((READ, SEND), (READ,), (expected_call("fax"),))
    evidence = searched(("list", "read"), ("send", "read"), calls=(a_call("send"),))
    assert tool_search(task, evidence) == Score(
        value=2 / 3,
        reasons=("read was found at rank 2 and not called", "fax was not found by 'query 0', 'query 1'"),
        counts={
            "part": 2,
            "whole": 3,
            "first": 1,
            "uncalled": 1,
            "searches": 2,
            "never_searched": 0,
            "shown": 30 + 3 * EACH,
            "all": 4 * EACH,
        },
    )


def test_a_model_that_never_searched_found_nothing() -> None:
    score = tool_search(a_task((READ,)), searched())
    assert (score.value, score.reasons) == (0.0, ("read was never searched for",))
    assert (score.counts["never_searched"], score.counts["searches"], score.counts["shown"]) == (1, 0, 30)


def test_a_search_that_was_not_made_is_not_counted_but_was_tried() -> None:
    counts = tool_search(a_task((READ,)), searched(None)).counts
    assert (counts["searches"], counts["never_searched"]) == (0, 0)


def test_a_similar_tool_is_as_good() -> None:
    wanted = expected_call("send", similar_tools=(SimilarTool(tool="fax"),))
    score = tool_search(a_task((wanted,)), searched(("fax",), calls=(a_call("fax"),)))
    assert (score.value, score.reasons, score.counts["first"]) == (1.0, (), 1)


NOTHING = {
    "all definitions shown": (
        a_task((READ,)),
        evidence_of(tools=TOOLS),
        "no search was offered to the model; what a program's own finds is not known",
    ),
    "no reference": (a_task(), searched(("read",)), "the task has no reference calls"),
}


@pytest.mark.parametrize(("task", "evidence", "why"), NOTHING.values(), ids=NOTHING)
def test_without_a_search_or_a_reference_there_is_nothing_to_measure(
    task: Task, evidence: AttemptEvidence, why: str
) -> None:
    assert tool_search(task, evidence) == Score.not_applicable(why)
