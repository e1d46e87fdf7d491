"""Matchers in reference calls, in every metric that compares arguments."""

from typing import Any

import pytest

from pytest_mcpbench.core.task import ArgumentMatcher, ExpectedCall
from pytest_mcpbench.metrics.ast import Ast
from pytest_mcpbench.metrics.bfcl import Bfcl
from pytest_mcpbench.metrics.dag import DagLeaf, DagNodeF1, DagStrict
from pytest_mcpbench.metrics.operation import Operation
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

MISSING: Any = object()
SEARCH = a_tool(
    "search",
    {
        "query": {"type": "string"},
        "radius": {"type": "number", "default": 10},
        "options": {"type": "object"},
        "tags": {"type": "array"},
    },
    ("query",),
)
METRICS = [
    Ast(),
    Ast(profile="lenient"),
    Ast(profile="bfcl"),
    Bfcl(),
    DagLeaf(),
    DagStrict(),
    DagNodeF1(),
]
OPERATION = Operation(free_text=frozenset())


def searching(at: tuple[str | int, ...], example: Any, **matcher: Any) -> ExpectedCall:
    arguments = {"query": "cafe", **({} if example is MISSING else {str(at[0]): example})}
    return expected_call("search", arguments, matchers=(ArgumentMatcher(at=at, **matcher),))


def score(metric: Any, reference: ExpectedCall, **arguments: Any) -> float | None:
    call = a_call("search", {"query": "cafe", **arguments})
    value: float | None = metric(a_task((reference,)), evidence_of((call,), tools=(SEARCH,))).value
    return value


REGEX = searching(("query",), "cafe in Oslo", regex="cafe in (Oslo|Bergen)")
NEAR = searching(("radius",), 5, near=5, within=0.5)
CHOICE = searching(("query",), "cafe", one_of=("cafe", "coffee"))
ANY = searching(("query",), "x", any=True)
ANY_OPTION = searching(("options",), {"a": 1}, any=True)


TABLE = [
    pytest.param(REGEX, {"query": "cafe in Bergen"}, {"query": "a cafe in Oslo"}, id="regex matches all, not a part"),
    pytest.param(REGEX, {"query": "cafe in Oslo"}, {"query": "cafe in oslo"}, id="regex heeds case"),
    pytest.param(NEAR, {"radius": 5.5}, {"radius": 5.6}, id="near includes its bound"),
    pytest.param(NEAR, {"radius": 4.5}, {"radius": True}, id="near is about numbers"),
    pytest.param(CHOICE, {"query": "coffee"}, {"query": "tea"}, id="one of"),
    pytest.param(ANY_OPTION, {"options": {}}, {}, id="any asks for presence"),
]
OF_TYPE = pytest.param(ANY, {"query": "whatever"}, {"query": 7}, id="any value of the tool's type")


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: repr(metric)[:30])
@pytest.mark.parametrize(("reference", "right", "wrong"), [*TABLE, OF_TYPE])
def test_a_value_outside_a_matcher_fails(
    metric: Any, reference: ExpectedCall, right: dict[str, Any], wrong: dict[str, Any]
) -> None:
    assert (score(metric, reference, **right), score(metric, reference, **wrong)) == (1, 0)


@pytest.mark.parametrize(("reference", "right", "wrong"), TABLE)
def test_radar_heeds_matchers_too(reference: ExpectedCall, right: dict[str, Any], wrong: dict[str, Any]) -> None:
    assert (score(OPERATION, reference, **right), score(OPERATION, reference, **wrong)) == (1, 0)


@pytest.mark.parametrize("metric", [*METRICS, OPERATION], ids=lambda metric: repr(metric)[:30])
def test_an_ignored_argument_may_have_any_value_or_none(metric: Any) -> None:
    for reference in (searching(("radius",), MISSING, ignore=True), searching(("radius",), 3, ignore=True)):
        assert score(metric, reference) == 1
        assert score(metric, reference, radius=99) == 1
        assert score(metric, reference, query="tea") == 0


def test_a_matcher_inside_an_object_leaves_the_rest_exact() -> None:
    reference = searching(("options", "limit"), {"limit": 3, "lang": "no"}, near=3, within=1)
    assert score(Ast(), reference, options={"limit": 4, "lang": "no"}) == 1
    assert score(Ast(), reference, options={"limit": 5, "lang": "no"}) == 0
    assert score(Ast(), reference, options={"limit": 4, "lang": "en"}) == 0
    assert score(Ast(), reference, options={"lang": "no"}) == 0
    assert score(Ast(), reference, options="no") == 0


@pytest.mark.parametrize(("near", "expected"), [(10, 1), (12, 0)])
def test_a_default_may_be_left_out_if_the_matcher_accepts_it(near: float, expected: float) -> None:
    assert score(Ast(), searching(("radius",), near, near=near, within=1)) == expected


@pytest.mark.parametrize(("accepted", "expected"), [("new", 1), ("old", 0)])
def test_a_list_that_is_left_out_is_right_if_matchers_accept_the_items_of_its_default(
    accepted: str, expected: float
) -> None:
    kinds = {"type": "array", "items": {"type": "string"}, "default": ["new"]}
    tool = a_tool("search", {"query": {"type": "string"}, "kinds": kinds}, ("query",))
    matcher = ArgumentMatcher(at=("kinds", 0), one_of=(accepted,))
    reference = expected_call("search", {"query": "cafe", "kinds": [accepted]}, matchers=(matcher,))

    call = a_call("search", {"query": "cafe"})
    assert Ast()(a_task((reference,)), evidence_of((call,), tools=(tool,))).value == expected


def test_a_reason_shows_the_matcher_and_not_its_example() -> None:
    call = a_call("search", {"query": "cafe", "radius": 9})
    found = Ast()(a_task((NEAR,)), evidence_of((call,), tools=(SEARCH,)))
    assert found.reasons == (
        "no call of search(query='cafe', radius=<5 ± 0.5>); call 1: radius: expected <5 ± 0.5>, got 9",
    )


def test_a_later_call_uses_the_result_of_one_that_a_matcher_accepted() -> None:
    choice = ArgumentMatcher(at=("query",), one_of=("a", "b"))
    first = expected_call("search", {"query": "a"}, id="1", matchers=(choice,))
    second = expected_call("search", {"query": "<1_result>"}, id="2")
    task = a_task((first,), (second,))
    calls = (a_call("search", {"query": "b"}, result="cafe B"), a_call("search", {"query": "cafe B"}))
    wrong = (calls[0], a_call("search", {"query": "cafe A"}))
    runs = [evidence_of(*((call,) for call in made), tools=(SEARCH,)) for made in (calls, wrong)]
    for metric in (Ast(), DagStrict()):
        assert [metric(task, run).value for run in runs] == [1, 0]
