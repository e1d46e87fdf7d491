import pytest

from pytest_mcpbench.core.dispatch import Dispatch, ToolSelection, select_tools
from pytest_mcpbench.core.task import ExpectedCall
from tests.builders import a_tool

RANKING = (("mail", "send"), ("mail", "read"), ("news", "read"))


def test_the_best_are_left_in_the_order_in_which_they_were() -> None:
    tools = [a_tool(name) for name in "abcd"]
    picked = select_tools(tools, [0.1, 3.0, 0.5, 9.0], dispatcher="bm25", top_k=2)
    ranking = tuple(("server", name) for name in ("d", "b", "c", "a"))
    assert picked == ToolSelection((tools[1], tools[3]), Dispatch(dispatcher="bm25", top_k=2, ranking=ranking))


def test_of_equal_ones_the_first_are_left_and_k_may_be_more_than_there_are() -> None:
    tools = [a_tool(name) for name in "abc"]
    assert [tool.name for tool in select_tools(tools, [0, 0, 0], dispatcher="x", top_k=2).tools] == ["a", "b"]
    assert [tool.name for tool in select_tools(tools, [0, 0, 1], dispatcher="x", top_k=9).tools] == ["a", "b", "c"]


RANKS = {
    "by own name": (ExpectedCall(tool="send"), 1),
    "by exposed name": (ExpectedCall(tool="news_read"), 3),
    "by server": (ExpectedCall(tool="read", server="news"), 3),
    "the best of several without a server": (ExpectedCall(tool="read"), 2),
    "the only one, whatever its server is called": (ExpectedCall(tool="send", server="gmail"), 1),
    "of several, none of that server": (ExpectedCall(tool="read", server="gmail"), None),
    "none": (ExpectedCall(tool="fax"), None),
}


@pytest.mark.parametrize(("call", "rank"), RANKS.values(), ids=RANKS.keys())
def test_the_rank_of_an_expected_tool_is(call: ExpectedCall, rank: int | None) -> None:
    assert Dispatch(dispatcher="bm25", top_k=1, ranking=RANKING).rank(call) == rank
