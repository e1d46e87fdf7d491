from typing import Any

import pytest

from pytest_mcpbench.core.score import Score
from pytest_mcpbench.core.task import SimilarTool
from pytest_mcpbench.metrics.bfcl import Bfcl
from tests.builders import a_call, a_task, a_tool, evidence_of, expected_call

TOOL = a_tool(
    "find",
    {
        "where": {"type": "string"},
        "count": {"type": ["integer", "null"]},
        "ratio": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "about": {"type": "object"},
        "people": {"type": "array", "items": {"type": "object"}},
        "names": {"type": "array"},
    },
    ("where",),
)


@pytest.mark.parametrize(
    ("reference", "given", "error_type"),
    [
        pytest.param({"where": "New York"}, {"where": "new-york"}, None, id="text is standardized"),
        pytest.param({"where": "a", "ratio": 5}, {"where": "a", "ratio": 5.0}, None, id="number is float"),
        pytest.param({"where": "a", "count": 5}, {"where": "a", "count": 5.0}, "type_error:simple", id="integer"),
        pytest.param({"where": "a", "about": {"b": "X"}}, {"where": "a", "about": {"b": "x"}}, None, id="object"),
        pytest.param({"where": "a", "people": [{"b": 1}]}, {"where": "a", "people": [{"b": 1}]}, None, id="objects"),
        pytest.param({"where": "a", "names": ["b"]}, {"where": "a", "names": ["B"]}, None, id="array without items"),
        pytest.param(
            {"where": "a", "count": 5}, {"where": "a"}, "simple_function_checker:missing_optional", id="left out"
        ),
        pytest.param(
            {"where": "a"}, {"where": "a", "count": 5}, "simple_function_checker:unexpected_param", id="added"
        ),
        pytest.param({"where": "a"}, {}, "simple_function_checker:missing_required", id="required"),
    ],
)
def test_mcp_calls_are_put_into_bfcls_form(
    reference: dict[str, Any], given: dict[str, Any], error_type: str | None
) -> None:
    score = Bfcl()(a_task((expected_call("find", reference),)), evidence_of((a_call("find", given),), tools=(TOOL,)))

    assert score.value == (error_type is None)
    assert error_type is None or error_type in score.reasons[0]


@pytest.mark.parametrize(
    ("given", "value"),
    [({"a": "X", "b": [1.5], "c": {"d": 1}}, 1), ({"a": "x", "b": ["1.5"], "c": {"d": 1}}, 0), ({"a": "x"}, 0)],
    ids=["equal", "another type", "left out"],
)
def test_without_a_schema_types_are_those_of_the_reference(given: dict[str, Any], value: float) -> None:
    task = a_task((expected_call("find", {"a": "x", "b": [1.5], "c": {"d": 1}}),))

    assert Bfcl()(task, evidence_of((a_call("find", given),))).value == value


def test_reference_arguments_may_be_lists_of_acceptable_values() -> None:
    task = a_task((expected_call("find", {"where": ["Rome", "Roma"], "count": [5, ""]}),))
    runs = [evidence_of((a_call("find", {"where": where}),), tools=(TOOL,)) for where in ("roma", "oslo")]

    assert [Bfcl(possible_answers=True)(task, evidence).value for evidence in runs] == [1, 0]


def test_what_the_task_marks_optional_may_be_left_out() -> None:
    task = a_task((expected_call("find", {"where": "a", "count": 5}, optional=frozenset({"count"})),))

    assert Bfcl()(task, evidence_of((a_call("find", {"where": "a"}),), tools=(TOOL,))).value == 1


def test_of_a_similar_tool_only_its_own_parameters_are_asked_for() -> None:
    other = a_tool("seek", {"where": {"type": "string"}}, ("where",))
    reference = expected_call("find", {"where": "a", "count": 5}, similar_tools=(SimilarTool(tool="seek"),))

    assert Bfcl()(a_task((reference,)), evidence_of((a_call("seek", {"where": "a"}),), tools=(TOOL, other))).value == 1


def test_another_tool_and_malformed_arguments_are_wrong() -> None:
    task = a_task((expected_call("find", {"where": "a"}),))
    malformed = a_call("find", problem="malformed_arguments", raw_arguments="{")

    refused = a_call("find", {"where": "a"}, problem="not_exposed")

    assert [Bfcl()(task, evidence_of((wrong,))).value for wrong in (malformed, refused)] == [0, 0]
    assert Bfcl()(task, evidence_of((a_call("seek"),))) == Score.of(
        0, ["no call of find(where='a')", "call 1 is not expected: seek()"], matched=0, expected=1, called=1
    )
