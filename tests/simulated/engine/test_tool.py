# ruff: noqa: N803 (a parameter as a real server names it)
from typing import Annotated, Any, Literal, NotRequired

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict, Unpack

from pytest_mcpbench.simulated.engine import FASTMCP, ZOD, Dialect, SimulatedTool, ToolFailure


class Size(TypedDict):
    width: NotRequired[Annotated[float, Field(description="In pixels")]]
    unit: NotRequired[Literal["px", "cm"]]


class Point(BaseModel):
    x: int
    y: int = 0


def paint(
    state: list[Any],
    colourName: Annotated[str, Field(description="What it is called")],
    layers: list[str] | None = None,
    opacity: float = 1,
    **size: Unpack[Size],
) -> str:
    """Put paint on the canvas."""
    state.append((colourName, layers, opacity, size))
    return "painted"


def move(state: list[Any], to: Point, note: str | None = None) -> str:
    """Move the brush."""
    state.append((to, note))
    return "moved"


def import_(state: list[Any]) -> str:
    """Import."""
    return "imported"


def a_tool(function: Any, dialect: Dialect = ZOD) -> SimulatedTool:
    return SimulatedTool(function, dialect)


def test_a_tool_takes_name_description_and_schema_from_its_function() -> None:
    tool = a_tool(paint)
    assert (tool.name, tool.description) == ("paint", "Put paint on the canvas.")
    assert tool.input_schema == {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "colourName": {"type": "string", "description": "What it is called"},
            "layers": {"type": "array", "items": {"type": "string"}},
            "opacity": {"type": "number", "default": 1},
            "width": {"type": "number", "description": "In pixels"},
            "unit": {"type": "string", "enum": ["px", "cm"]},
        },
        "required": ["colourName"],
        "additionalProperties": False,
    }


def test_a_schema_of_the_python_sdk_is_pydantics() -> None:
    assert a_tool(move, FASTMCP).input_schema == {
        "$defs": {
            "Point": {
                "properties": {
                    "x": {"title": "X", "type": "integer"},
                    "y": {"default": 0, "title": "Y", "type": "integer"},
                },
                "required": ["x"],
                "title": "Point",
                "type": "object",
            }
        },
        "properties": {
            "to": {"$ref": "#/$defs/Point"},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "title": "Note"},
        },
        "required": ["to"],
        "title": "moveArguments",
        "type": "object",
    }


def test_a_tool_without_parameters_takes_an_empty_object() -> None:
    tool = a_tool(import_)
    assert tool.name == "import"
    assert tool.input_schema["properties"] == {}
    assert tool.call([], {}) == "imported"


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [
        ({"colourName": "red"}, ("red", None, 1, {})),
        ({"colourName": "red", "opacity": 2, "unit": "cm"}, ("red", None, 2, {"unit": "cm"})),
        ({"colourName": "red", "layers": [], "width": 1.5}, ("red", [], 1, {"width": 1.5})),
    ],
    ids=str,
)
def test_a_function_gets_what_was_sent(arguments: dict[str, Any], seen: tuple[Any, ...]) -> None:
    state: list[Any] = []
    assert a_tool(paint).call(state, arguments) == "painted"
    assert state == [seen]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, '"path": [\n      "colourName"\n    ],\n    "message": "Required"'),
        ({"colourName": 5}, '"message": "Expected string, received number"'),
        ({"colourName": "x", "layers": "a"}, '"message": "Expected array, received string"'),
        ({"colourName": "x", "layers": ["a", 1]}, '"path": [\n      "layers",\n      1\n    ]'),
        ({"colourName": "x", "layers": None}, '"message": "Expected array, received null"'),
        ({"colourName": "x", "opacity": True}, '"message": "Expected number, received boolean"'),
        ({"colourName": "x", "opacity": "1"}, '"message": "Expected number, received string"'),
        ({"colourName": "x", "unit": "in"}, "Invalid enum value. Expected 'px' | 'cm', received 'in'"),
        ({"colourName": "x", "unit": 1}, "Expected 'px' | 'cm', received number"),
        ({"colourName": "x", "extra": 1}, "Unrecognized key(s) in object: 'extra'"),
    ],
    ids=str,
)
def test_arguments_that_do_not_fit_are_refused_in_the_words_of_zod(arguments: dict[str, Any], message: str) -> None:
    state: list[Any] = []
    with pytest.raises(ToolFailure) as caught:
        a_tool(paint).call(state, arguments)
    assert message in str(caught.value)
    assert state == []


def test_arguments_that_do_not_fit_are_refused_in_the_words_of_pydantic() -> None:
    with pytest.raises(ToolFailure) as caught:
        a_tool(move, FASTMCP).call([], {"to": {"y": "a"}})
    assert str(caught.value).startswith(
        "Error executing tool move: 2 validation errors for moveArguments\nto.x\n  Field required"
    )


def test_the_python_sdk_converts_text_and_passes_over_what_it_does_not_know() -> None:
    state: list[Any] = []
    a_tool(move, FASTMCP).call(state, {"to": {"x": "3"}, "note": None, "extra": 1})
    assert state == [(Point(x=3), None)]


def order(state: list[Any], currency: Literal["USD"], count: Annotated[int, Field(ge=1, le=9)]) -> str:
    """Order something."""
    return "ordered"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"currency": "EUR", "count": 1}, 'Invalid literal value, expected \\"USD\\"'),
        ({"currency": "USD", "count": 0}, "Number must be greater than or equal to 1"),
        ({"currency": "USD", "count": 10}, "Number must be less than or equal to 9"),
    ],
)
def test_zod_says_what_a_value_must_be(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolFailure) as refused:
        a_tool(order).call([], arguments)
    assert message in str(refused.value)


def test_a_whole_number_may_be_written_with_a_decimal_point() -> None:
    state: list[Any] = []
    a_tool(move).call(state, {"to": {"x": 3.0}})

    assert state == [(Point(x=3), None)]
    with pytest.raises(ToolFailure):
        a_tool(move).call(state, {"to": {"x": 3.5}})
    with pytest.raises(ToolFailure):
        a_tool(move).call(state, {"to": {"x": "3"}})


@pytest.mark.parametrize("dialect", [ZOD, FASTMCP], ids=["strict", "lenient"])
def test_deep_nesting_is_invalid_json(dialect: Dialect) -> None:
    layers: list[Any] = []
    for _ in range(600):
        layers = [layers]
    with pytest.raises(ToolFailure, match=r"Invalid JSON: .*recursion"):
        a_tool(paint, dialect).call([], {"colourName": "red", "layers": layers})
