from typing import Any

import pytest

from pytest_mcpbench.core.context.journal import ABSENT
from pytest_mcpbench.core.placeholders import payload, payloads
from pytest_mcpbench.core.tool import Content, ToolResult
from pytest_mcpbench.metrics.comparison.dotted_path import value_at


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


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (None, {"a": {"b": [{"c.d": 1}]}}),
        ("a.b[0].c.d", 1),
        ("a.b.0", {"c.d": 1}),
        ("a.b[1]", ABSENT),
        ("a.x.y", ABSENT),
        ("a.b.c", ABSENT),
    ],
)
def test_a_dotted_path_leads_to_a_part(path: str | None, value: Any) -> None:
    assert value_at({"a": {"b": [{"c.d": 1}]}}, path) == value
