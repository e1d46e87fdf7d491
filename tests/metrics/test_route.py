import pytest

from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import CallGroup, Expected, SimilarTool
from pytest_mcpbench.core.tool import CallRecord
from pytest_mcpbench.metrics.failure_analysis.primary_mode import failures
from pytest_mcpbench.metrics.route import Route
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

EXPECTED = Expected(
    calls=(
        CallGroup(calls=(expected_call("search", similar_tools=(SimilarTool(tool="find"),)),)),
        CallGroup(calls=(expected_call("delete"),)),
    ),
    forbidden_tools=("purge",),
)
SEARCH, FIND, DELETE, LIST, PURGE = map(a_call, ("search", "find", "delete", "list", "purge"))


@pytest.mark.parametrize(
    ("calls", "first", "every"),
    [
        pytest.param((SEARCH, DELETE), 1, 1, id="as expected"),
        pytest.param((FIND, DELETE), 1, 1, id="a tool as right"),
        pytest.param((SEARCH,), 1, 0, id="one not called"),
        pytest.param((SEARCH, LIST, DELETE), 1, 0, id="another between"),
        pytest.param((LIST, SEARCH, DELETE), 0, 0, id="another first"),
        pytest.param((DELETE, SEARCH), 0, 1, id="the second step first"),
        pytest.param((SEARCH, DELETE, PURGE), 0, 0, id="a forbidden one"),
        pytest.param((), 0, 0, id="none"),
    ],
)
def test_the_right_tools_are_called_and_no_forbidden_one(
    calls: tuple[CallRecord, ...], first: float, every: float
) -> None:
    task, evidence = a_task(expected=EXPECTED), evidence_of(calls)

    assert (Route()(task, evidence).value, Route(calls="all")(task, evidence).value) == (first, every)


def test_where_all_tools_are_forbidden_calling_none_is_right() -> None:
    task = a_task(expected=Expected(forbidden_tools="all"))

    assert Route()(task, evidence_of(answer="No.")).value == 1
    assert Route()(task, evidence_of((LIST,))) == Score.verdict(False, ["call 1 is of list, which is forbidden"])


def test_reasons_say_which_tool_was_right() -> None:
    assert Route()(a_task(expected=EXPECTED), evidence_of((LIST,))).reasons == ("call 1 is of list, not of search",)
    assert Route()(a_task(expected=EXPECTED), evidence_of()).reasons == (
        "no tool was called; expected search or delete",
    )


def test_it_does_not_apply_where_nothing_is_said_about_tools() -> None:
    assert Route()(a_task(), evidence_of((LIST,))) == Score.not_applicable(
        "the task names neither reference calls nor forbidden tools"
    )


@pytest.mark.parametrize(("server", "points"), [("mail", 0), ("news", 1)])
def test_a_tool_may_be_forbidden_on_one_server(server: str, points: float) -> None:
    task = a_task(expected=Expected(forbidden_tools=("mail_send",)))
    evidence = evidence_of((a_call("send", server=server),), tools=(a_tool("send", server=server),))
    assert Route()(task, evidence).value == points
    assert ("forbidden_tool" in failures(task, evidence)["rules"]) is (points == 0)
