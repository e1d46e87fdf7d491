"""Metric ``tool_search``: share of the needed tools that the searches of an attempt find."""

from pytest_mcpbench.core.definition_tokens import definition_tokens
from pytest_mcpbench.core.dispatch import Dispatch
from pytest_mcpbench.core.evidence import AttemptEvidence
from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.dispatch_recall import best_rank, expected_tools


def tool_search(task: Task, evidence: AttemptEvidence) -> Score:
    """Expected tools that a search found / expected tools, each counted once.

    An expected tool is found where it or one of its similar tools is. Not applicable to attempts that saw all
    definitions, to programs, whose own searches are not recorded, and to tasks without reference calls. The counts
    hold the number of ``searches``, the found tools that were the ``first`` result of a search or ``uncalled``,
    whether the attempt ``never_searched``, and the estimated tokens of the definitions ``shown`` to the model up to
    its last message and of ``all`` exposed tools.
    """
    offer = evidence.trajectory.search_offer
    if offer is None:
        return Score.not_applicable("no search was offered to the model; what a program's own finds is not known")
    expected = list(expected_tools(task))
    if not expected:
        return Score.not_applicable("the task has no reference calls")
    searches = [search for search in evidence.trajectory.searches if search.found is not None]
    tools = ToolIndex.of(evidence.tools)
    rankings = [
        Dispatch(
            dispatcher=offer.ranking,
            top_k=offer.results,
            ranking=tuple((tools.by_exposed_name[name].server, tools.by_exposed_name[name].tool) for name in found),
        )
        for search in searches
        if (found := search.found) is not None
    ]
    reasons, n_found, n_first, n_uncalled = [], 0, 0, 0
    for call in expected:
        ranks = [rank for ranking in rankings if (rank := best_rank(call, ranking)) is not None]
        if not ranks:
            queries = ", ".join(repr(search.query) for search in searches)
            searched = f"not found by {queries}" if searches else "never searched for"
            reasons.append(f"{call.tool} was {searched}")
            continue
        n_found += 1
        n_first += min(ranks) == 1
        if not any(tools.accepts(made, call) for made in evidence.calls):
            n_uncalled += 1
            reasons.append(f"{call.tool} was found at rank {min(ranks)} and not called")
    loaded = {name for search in searches for name in search.found or ()}
    return Score.of(
        n_found / len(expected),
        reasons,
        part=n_found,
        whole=len(expected),
        first=n_first,
        uncalled=n_uncalled,
        searches=len(searches),
        never_searched=not evidence.trajectory.searches,
        shown=offer.tokens + definition_tokens(tool for tool in evidence.tools if tool.name in loaded).total,
        all=definition_tokens(evidence.tools).total,
    )
