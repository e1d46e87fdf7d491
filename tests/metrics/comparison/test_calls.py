from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from pytest_mcpbench.core.task import ExpectedCall, SimilarTool
from pytest_mcpbench.core.tool import CallProblem, CallRecord, ToolSpec
from pytest_mcpbench.core.tool_index import ToolIndex
from pytest_mcpbench.metrics.comparison.calls import CallComparison, match_calls
from tests.builders import a_call, a_tool, expected_call

STRICT, LENIENT = CallComparison(), CallComparison("lenient")

SEARCH = a_tool(
    "search",
    {
        "query": {"type": "string"},
        "limit": {"type": "integer", "default": 10},
        "ratio": {"type": "number"},
        "exact": {"type": "boolean", "default": False},
        "tags": {"type": "array", "items": {"type": "string"}},
        "page": {"type": "integer", "default": "1"},
        "options": {"type": "object", "properties": {"deep": {"type": "boolean"}}},
        "since": {"type": ["string", "null"], "default": None},
    },
    required=("query",),
)

# (what it shows, reference, call, strict, lenient)
CASES: list[tuple[str, dict[str, Any], dict[str, Any], bool, bool]] = [
    ("a copy", {"query": "a", "limit": 5}, {"query": "a", "limit": 5}, True, True),
    ("another case", {"query": "New York"}, {"query": " new york "}, True, True),
    ("punctuation", {"query": "a.b"}, {"query": "ab"}, False, False),
    ("another value", {"query": "a"}, {"query": "b"}, False, False),
    ("a missing required parameter", {"query": "a"}, {}, False, False),
    ("a missing required parameter that the reference lacks too", {}, {}, False, False),
    ("a required parameter that the reference lacks", {}, {"query": "a"}, True, True),
    ("a parameter that the tool does not have", {"query": "a"}, {"query": "a", "place": 1}, False, False),
    (
        "a parameter of the reference that the tool does not have",
        {"query": "a", "place": 1},
        {"query": "a"},
        False,
        True,
    ),
    ("text for a number", {"query": "a", "limit": 5}, {"query": "a", "limit": "5"}, False, False),
    ("a boolean for a number", {"query": "a", "limit": 1}, {"query": "a", "limit": True}, False, False),
    ("a whole float for an integer", {"query": "a", "limit": 5}, {"query": "a", "limit": 5.0}, True, True),
    ("an integer for a number", {"query": "a", "ratio": 5.0}, {"query": "a", "ratio": 5}, True, True),
    ("a rounding error", {"query": "a", "ratio": 0.3}, {"query": "a", "ratio": 0.1 + 0.2}, True, True),
    ("a default left out", {"query": "a", "limit": 10}, {"query": "a"}, True, True),
    ("a default of null left out", {"query": "a", "since": None}, {"query": "a"}, True, True),
    ("another value than the default left out", {"query": "a", "limit": 5}, {"query": "a"}, False, True),
    ("a default added", {"query": "a"}, {"query": "a", "limit": 10, "exact": False, "since": None}, True, True),
    ("a default that the schema has in a wrong type", {"query": "a"}, {"query": "a", "page": 1}, True, True),
    ("another value than the default added", {"query": "a"}, {"query": "a", "limit": 5}, False, True),
    ("an optional without default added", {"query": "a"}, {"query": "a", "ratio": 1}, False, True),
    ("an optional of a wrong type added", {"query": "a"}, {"query": "a", "ratio": "1"}, False, False),
    ("a list in another order", {"query": "a", "tags": ["x", "y"]}, {"query": "a", "tags": ["y", "x"]}, False, False),
    (
        "a wrong type inside",
        {"query": "a", "options": {"deep": True}},
        {"query": "a", "options": {"deep": "x"}},
        False,
        False,
    ),
    ("a key inside left out", {"query": "a", "options": {"deep": True}}, {"query": "a", "options": {}}, False, False),
    ("a reference of a wrong type, right call", {"query": "a", "limit": "5"}, {"query": "a", "limit": 5}, True, True),
    ("a reference of a wrong type, copied", {"query": "a", "limit": "5"}, {"query": "a", "limit": "5"}, True, True),
    ("a reference of a wrong type, wrong call", {"query": "a", "limit": "5"}, {"query": "a", "limit": 6}, False, False),
    (
        "a reference of a wrong type inside",
        {"query": "a", "options": {"deep": "True"}},
        {"query": "a", "options": {"deep": True}},
        True,
        True,
    ),
    ("a default of a wrong type left out", {"query": "a", "limit": "10"}, {"query": "a"}, True, True),
    (
        "a reference that no type can read, copied",
        {"query": "a", "limit": "many"},
        {"query": "a", "limit": "many"},
        True,
        True,
    ),
]


@pytest.mark.parametrize(("reference", "given", "strict", "lenient"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_both_profiles(reference: dict[str, Any], given: dict[str, Any], strict: bool, lenient: bool) -> None:
    expected, call = expected_call("search", reference), a_call("search", given)

    assert (_fits(STRICT, expected, call, SEARCH), _fits(LENIENT, expected, call, SEARCH)) == (strict, lenient)


@pytest.mark.parametrize(
    ("given", "strict", "lenient"),
    [
        pytest.param({"a": "X", "b": 1.0}, True, True, id="equal values"),
        pytest.param({"a": "X", "b": "1"}, False, False, id="another type"),
        pytest.param({"a": "x"}, False, False, id="one left out"),
        pytest.param({"a": "x", "b": 1, "c": 2}, False, True, id="one added"),
    ],
)
@pytest.mark.parametrize("tools", [(), (a_tool("t").model_copy(update={"input_schema": {"type": "object"}}),)])
def test_without_a_schema_values_alone_are_compared(
    given: dict[str, Any], strict: bool, lenient: bool, tools: tuple[ToolSpec, ...]
) -> None:
    expected, call = expected_call("t", {"a": "x", "b": 1}), a_call("t", given)

    assert (_fits(STRICT, expected, call, *tools), _fits(LENIENT, expected, call, *tools)) == (strict, lenient)


def test_what_the_reference_marks_optional_may_be_left_out_but_not_changed() -> None:
    expected = expected_call("search", {"query": "a", "ratio": 2}, optional=frozenset({"ratio"}))

    assert _fits(STRICT, expected, a_call("search", {"query": "a"}), SEARCH)
    assert not _fits(STRICT, expected, a_call("search", {"query": "a", "ratio": 3}), SEARCH)


def test_a_call_of_another_tool_or_with_malformed_arguments_never_fits() -> None:
    expected = expected_call("search")
    malformed = a_call("search", problem="malformed_arguments", raw_arguments="{")

    assert _why(STRICT, expected, a_call("find")) == ["find was called, not search"]
    assert _why(STRICT, expected, malformed) == ["the arguments are not a JSON object"]


@pytest.mark.parametrize(
    ("problem", "why"),
    [("unknown_tool", "no server offers the tool"), ("not_exposed", "the tool was not exposed")],
)
def test_a_call_that_was_refused_never_fits(problem: CallProblem, why: str) -> None:
    refused = a_call("search", {"query": "tea"}, problem=problem)

    assert _why(STRICT, expected_call("search", {"query": "tea"}), refused) == [why]


def test_the_exposed_name_may_stand_in_the_reference() -> None:
    tool = a_tool("mail_send", tool="send", server="mail")
    call = a_call("send", name="mail_send", server="mail")

    assert _fits(STRICT, expected_call("send"), call, tool)
    assert _fits(STRICT, expected_call("mail_send"), call, tool)


def test_a_tool_of_another_server_is_not_the_referenced_one() -> None:
    one, two = a_tool("a_get", tool="get", server="a"), a_tool("b_get", tool="get", server="b")
    call = a_call("get", name="a_get", server="a")

    assert _fits(STRICT, expected_call("get", server="a"), call, one, two)
    assert not _fits(STRICT, expected_call("get", server="b"), call, one, two)
    assert not _fits(STRICT, expected_call("get", server="b"), call, one), "also if the right server offers none"
    assert _fits(STRICT, expected_call("get"), call, one, two)


GEO = a_tool("geo", {"place": {"type": "string"}, "language": {"type": "string", "default": "en"}}, ("place",))
GEOCODE = a_tool(
    "geocode",
    {
        **{name: {"type": "string"} for name in ("place", "city", "language")},
        "zoom": {"type": "integer"},
        "exact": {"type": "boolean", "default": False},
    },
    ("place", "city"),
    server="other",
)
EITHER = expected_call("geo", {"place": "Rome"}, similar_tools=(SimilarTool(tool="geocode", server="other"),))


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        pytest.param({"place": "rome", "city": "x"}, True, id="its own required parameter"),
        pytest.param({"place": "rome", "city": "x", "zoom": 3}, False, id="its own optional parameter"),
        pytest.param({"place": "rome", "city": "x", "exact": False}, True, id="the default of its own parameter"),
        pytest.param({"place": "rome", "city": "x", "exact": True}, False, id="another value than the default"),
        pytest.param({"place": "rome"}, False, id="its own required parameter missing"),
        pytest.param({"place": "rome", "city": 5}, False, id="its own parameter of a wrong type"),
        pytest.param({"place": "rome", "city": "x", "page": 1}, False, id="no parameter of it"),
        pytest.param({"place": "oslo", "city": "x"}, False, id="a shared parameter differs"),
        pytest.param({"place": "rome", "city": "x", "language": "it"}, False, id="a shared parameter added"),
    ],
)
def test_of_a_similar_tool_only_shared_parameters_are_compared(given: dict[str, Any], fits: bool) -> None:
    assert _fits(STRICT, EITHER, a_call("geocode", given, server="other"), GEO, GEOCODE) is fits


def test_a_parameter_of_the_reference_that_a_similar_tool_lacks_is_not_asked_for() -> None:
    expected = expected_call("geocode", {"place": "a", "city": "b"}, similar_tools=(SimilarTool(tool="geo"),))

    assert _fits(STRICT, expected, a_call("geo", {"place": "a"}), GEO, GEOCODE)


def test_a_reference_to_a_result_means_the_value_that_was_obtained() -> None:
    first, second = (
        expected_call("search", {"query": "a"}),
        expected_call("search", {"query": "b", "limit": "<1_result>"}),
    )
    found, used = a_call("search", {"query": "a"}, result="7"), a_call("search", {"query": "b", "limit": 7})
    others = [a_call("search", {"query": "b", "limit": limit}) for limit in ("x", 8)]
    tools = ToolIndex.of([SEARCH])

    assert match_calls([first, second], [found, used], tools, STRICT).pairs == {0: 0, 1: 1}
    assert [match_calls([first, second], [found, other], tools, STRICT).pairs for other in others] == [{0: 0}, {0: 0}]
    assert match_calls([first, second], [used, found], tools, STRICT).pairs == {0: 1}


@pytest.mark.parametrize(
    ("reference", "argument", "fits"),
    [
        ("<1_result.items[0].id>", "p-1", True),
        ("<1_result.items[0].id>", "p-2", False),
        ("<1_result>", "p-2", True),
        ("<1_result>", "p-3", False),
        ("<1_result.lost>", "anything", True),
        ("<1_result.lost>", " ", False),
    ],
    ids=["path", "other path", "part", "not a part", "unknown path", "nothing"],
)
def test_a_reference_follows_its_path(reference: str, argument: str, fits: bool) -> None:
    expected = [expected_call("find", {}), expected_call("open", {"id": reference})]
    found = a_call("find", {}, result='{"items": [{"id": "p-1"}, {"id": "p-2"}]}')
    calls = [found, a_call("open", {"id": argument})]
    assert (1 in match_calls(expected, calls, ToolIndex.of([]), STRICT).pairs) is fits


def test_a_comparator_belongs_to_the_lenient_profile() -> None:
    with pytest.raises(ValueError, match="'lenient'"):
        CallComparison("strict", comparators={"path": "path"})

    lenient = CallComparison("lenient", comparators={"query": "path"})
    assert _fits(lenient, expected_call("search", {"query": "./a"}), a_call("search", {"query": "a"}), SEARCH)


def test_the_nearest_call_explains_what_is_missing() -> None:
    expected = [expected_call("search", {"query": "a", "limit": 5})]
    calls = [a_call("search", {"query": "b", "limit": 6}), a_call("search", {"query": "a", "limit": 6}), a_call("find")]
    matching = match_calls(expected, calls, ToolIndex.of([SEARCH]), STRICT)

    assert matching.nearest() == {0: 1}
    assert matching.reasons() == (
        "no call of search(query='a', limit=5); call 2: limit: expected 5, got 6",
        "call 1 is not expected: search(query='b', limit=6)",
        "call 3 is not expected: find()",
    )
    assert matching.reasons(with_extra=False) == matching.reasons()[:1]


def test_pairing_is_not_greedy() -> None:
    """The first call fits both references, and only it fits the second."""
    tools = ToolIndex.of([GEO, GEOCODE])
    loose = expected_call("geo", {"place": "Rome"}, similar_tools=(SimilarTool(tool="geocode"),))
    close = expected_call("geo", {"place": "Rome"})
    calls = [a_call("geo", {"place": "rome"}), a_call("geocode", {"place": "rome", "city": "x"}, server="other")]

    assert match_calls([loose, close], calls, tools, STRICT).pairs == {0: 1, 1: 0}


TYPES: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(max_size=6),
    "integer": st.integers(),
    "number": st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
    "boolean": st.booleans(),
}
NAMES = st.text("abcde_", min_size=1, max_size=4)


def _schemas(depth: int) -> st.SearchStrategy[tuple[dict[str, Any], Any]]:
    """A schema with a value that satisfies it."""
    plain = st.sampled_from(sorted(TYPES)).flatmap(lambda name: TYPES[name].map(lambda value: ({"type": name}, value)))
    nullable = plain.map(lambda pair: ({"anyOf": [pair[0], {"type": "null"}]}, pair[1]))
    if depth == 0:
        return plain | nullable
    inner = _schemas(depth - 1)
    lists = inner.map(lambda pair: ({"type": "array", "items": pair[0]}, [pair[1], pair[1]]))
    objects = st.dictionaries(NAMES, inner, max_size=3).map(
        lambda pairs: (
            {"type": "object", "properties": {name: pair[0] for name, pair in pairs.items()}},
            {name: pair[1] for name, pair in pairs.items()},
        )
    )
    return plain | nullable | lists | objects


@pytest.mark.extra
@settings(max_examples=150, deadline=None)
@given(st.dictionaries(NAMES, _schemas(2), max_size=4), st.data())
def test_calls_that_copy_the_reference_fit_whatever_the_schema(
    parameters: dict[str, tuple[dict[str, Any], Any]], data: st.DataObject
) -> None:
    required = data.draw(st.sets(st.sampled_from(sorted(parameters)))) if parameters else set()
    tool = a_tool("t", {name: pair[0] for name, pair in parameters.items()}, tuple(sorted(required)))
    arguments = {name: pair[1] for name, pair in parameters.items()}

    for comparison in (STRICT, LENIENT):
        assert _why(comparison, expected_call("t", arguments), a_call("t", arguments), tool) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["query", "limit"]), st.integers(0, 2)), max_size=5), st.data())
def test_the_order_of_calls_does_not_change_how_many_are_paired(
    arguments: list[dict[str, Any]], data: st.DataObject
) -> None:
    tools = ToolIndex.of([])
    references = [expected_call("t", one) for one in arguments]
    calls = [a_call("t", one) for one in data.draw(st.permutations(arguments))]

    assert len(match_calls(references, calls, tools, STRICT).pairs) == len(arguments)


def _why(comparison: CallComparison, expected: ExpectedCall, call: CallRecord, *tools: ToolSpec) -> list[str]:
    return [str(one) for one in comparison.mismatches(expected, call, ToolIndex.of(tools))]


def _fits(comparison: CallComparison, expected: ExpectedCall, call: CallRecord, *tools: ToolSpec) -> bool:
    return not _why(comparison, expected, call, *tools)
