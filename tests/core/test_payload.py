from typing import Any

import pytest

from pytest_mcpbench.core.placeholders import payload, payloads
from pytest_mcpbench.core.tool import Content, ToolResult


def _texts(*texts: str) -> tuple[Content, ...]:
    return tuple(Content(type="text", text=text) for text in texts)


@pytest.mark.parametrize(
    ("result", "value"),
    [
        (ToolResult.of_text('{"a": 1}'), {"a": 1}),
        (ToolResult.of_text("not json"), "not json"),
        (ToolResult(content=_texts('{"a": 1}', '{"a": 2}')), [{"a": 1}, {"a": 2}]),
        (ToolResult(content=_texts('{"a":', "1}")), {"a": 1}),
        (ToolResult(content=_texts("1"), structured={"a": 1}), {"a": 1}),
        (ToolResult(), ""),
    ],
)
def test_a_result_is_decoded(result: ToolResult, value: Any) -> None:
    assert payload(result) == value


def test_a_result_may_be_read_as_its_structured_value_and_as_its_text() -> None:
    assert payloads(ToolResult(content=_texts("one"), structured={"result": 1})) == ({"result": 1}, "one")
    assert payloads(ToolResult(content=_texts('{"a": 1}'), structured={"a": 1})) == ({"a": 1},)
