"""Metric ``dispatch_recall``: share of the needed tools that a dispatcher selects (MCPToolBench++ 3.1)."""

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_mcpbench.core.dispatch import Dispatch
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import ExpectedCall, Task


@dataclass(frozen=True)
class DispatchRecall:
    """Expected tools that were picked / expected tools, each counted once.

    An expected tool is picked where it or one of its similar tools is. Not applicable to runs without a dispatcher and
    to tasks without reference calls.
    """

    k: int | None = None
    """As if the dispatcher had picked so many; default: as many as it did."""

    def __call__(self, task: Task, evidence: AttemptEvidence) -> Score:
        dispatch = evidence.notes.dispatcher
        if dispatch is None:
            return Score.not_applicable("no dispatcher picked tools")
        expected = list(expected_tools(task))
        if not expected:
            return Score.not_applicable("the task has no reference calls")
        ranks = [(call, best_rank(call, dispatch)) for call in expected]
        missed = [(call, rank) for call, rank in ranks if rank is None or rank > (self.k or dispatch.top_k)]
        reasons = [
            f"there was no tool {call.tool} to pick"
            if rank is None
            else f"{call.tool} was not picked: rank {rank} of {len(dispatch.ranking)}"
            for call, rank in missed
        ]
        return Score.share(len(expected) - len(missed), len(expected), reasons)


def expected_tools(task: Task) -> Iterator[ExpectedCall]:
    """Return the first call of each tool."""
    seen: set[tuple[str | None, str]] = set()
    for call in task.expected.flat_calls:
        if (call.server, call.tool) not in seen:
            seen.add((call.server, call.tool))
            yield call


def best_rank(call: ExpectedCall, dispatch: Dispatch) -> int | None:
    """Return the best rank among the tool and its similar tools."""
    ranks = [dispatch.rank(call), *(dispatch.rank(similar) for similar in call.similar_tools)]
    return min((rank for rank in ranks if rank is not None), default=None)
