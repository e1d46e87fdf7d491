from typing import Any

import pytest

from pytest_mcpbench.core.placeholders import fill_placeholders
from pytest_mcpbench.core.tool import ToolResult

TEXT = ToolResult.of_text("42")
PAGE = ToolResult.of_text('{"items": [{"id": 7, "name": "tea"}]}')
WRAPPED = ToolResult(structured={"result": [1, 2]})
WRAPPED_TEXT = ToolResult(structured={"result": '{"id": "7"}'})
RESULTS = {"1": TEXT, "page": PAGE, "w": WRAPPED, "json": WRAPPED_TEXT, "price": ToolResult.of_text("4.20")}


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        pytest.param("<1_result>", {"type": "string"}, "42", id="text for a string"),
        pytest.param("<1_result>", {"type": "number"}, 42, id="number for a number"),
        pytest.param("<1_result>", None, 42, id="decoded without a schema"),
        pytest.param("<page_result.items[0].id>", {"type": "integer"}, 7, id="path with an index"),
        pytest.param("<page_result.items.0.name>", {"type": "string"}, "tea", id="path with a dotted index"),
        pytest.param("<page_result.items.0.id>", {"type": "array"}, [7], id="one value where a list is due"),
        pytest.param("<json_result.id>", {"type": "string"}, "7", id="path into JSON in a wrapped text"),
        pytest.param("<w_result>", {"type": "array"}, [1, 2], id="structured list without its wrapping"),
        pytest.param(
            "about <1_result> of <page_result.items[0].name>", {"type": "string"}, "about 42 of tea", id="text"
        ),
        pytest.param("<price_result>", {"type": "string"}, "4.20", id="text as it came"),
        pytest.param("<9_result>", {"type": "string"}, "<9_result>", id="no such call"),
        pytest.param("<page_result.nothing>", {"type": "string"}, "<page_result.nothing>", id="no such path"),
        pytest.param("1 < 2 and <b>", {"type": "string"}, "1 < 2 and <b>", id="no placeholder"),
    ],
)
def test_a_placeholder_becomes_what_the_schema_wants(value: str, schema: dict[str, Any] | None, expected: Any) -> None:
    assert fill_placeholders(value, RESULTS, schema) == expected


def test_placeholders_inside_lists_and_objects_are_filled_by_their_own_schemas() -> None:
    schema = {"properties": {"ids": {"items": {"type": "string"}}, "to": {"properties": {"n": {"type": "number"}}}}}

    assert fill_placeholders({"ids": ["<1_result>"], "to": {"n": "<1_result>"}, "flag": True}, RESULTS, schema) == {
        "ids": ["42"],
        "to": {"n": 42},
        "flag": True,
    }


@pytest.mark.parametrize("schema", ["x", {"properties": "x"}, {"properties": {"ids": 1}}, {"properties": {"ids": []}}])
def test_schemas_of_any_form_are_read(schema: object) -> None:
    assert fill_placeholders({"ids": ["<1_result>"]}, RESULTS, schema) == {"ids": [42]}
