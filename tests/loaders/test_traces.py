import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.fidelity.trace import Trace, TracedCall
from pytest_mcpbench.core.tool import Content, ToolResult
from pytest_mcpbench.loaders.traces import read_traces

CALL = {"tool": "get", "arguments": {"id": 7}, "result": "seven"}


def lines(*traces: Any) -> str:
    return "\n".join(trace if isinstance(trace, str) else json.dumps(trace) for trace in traces)


def test_a_trace_is_a_line() -> None:
    first, second = read_traces(lines({"id": "a", "calls": [CALL]}, "", {"calls": [CALL]}), "t.jsonl")
    call = TracedCall(tool="get", arguments={"id": 7}, result=ToolResult.of_text("seven"))
    assert (first, second.id) == (Trace(id="a", calls=(call,)), "line-3")


@pytest.mark.parametrize(
    ("wire", "result"),
    [
        ({"content": [{"type": "text", "text": "x"}]}, ToolResult.of_text("x")),
        ({"content": [{"type": "text", "text": "x"}], "isError": True}, ToolResult.failure("x", "tool")),
        ({"content": [], "structuredContent": {"a": 1}}, ToolResult(structured={"a": 1})),
        (
            {"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]},
            ToolResult(content=(Content(type="image", data="AA==", mime_type="image/png"),)),
        ),
        (
            {"content": [{"type": "resource", "resource": {"uri": "file:///a", "text": "x"}}]},
            ToolResult(content=(Content(type="resource", uri="file:///a", text="x"),)),
        ),
    ],
    ids=["text", "error", "structured", "image", "resource"],
)
def test_results_are_written_as_mcp_does(wire: dict[str, Any], result: ToolResult) -> None:
    (trace,) = read_traces(lines({"calls": [{"tool": "get", "result": wire}]}), "t.jsonl")
    assert trace.calls[0].result == result
    assert json.loads(trace.model_dump_json(exclude_defaults=True))["calls"][0]["result"] == wire


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.jsonl: the file contains no trace."),
        ("{", "t.jsonl:1: not valid JSON"),
        (lines({"calls": []}), "t.jsonl:1: calls:"),
        (lines({"calls": [CALL], "wrold": {}}), "t.jsonl:1: wrold: there is no such field. Did you mean 'world'?"),
        (lines({"calls": [CALL], "files": {"../x": ""}}), "leads out of the server's directory"),
        (
            lines({"calls": [CALL]}, {"calls": [{"tool": "get"}]}),
            "t.jsonl:2: calls[0].result: the real server's result is missing. Record it with mcpbench record-traces",
        ),
    ],
    ids=["empty", "json", "no calls", "unknown key", "outside", "not recorded"],
)
def test_what_is_wrong_is_named_with_its_place(text: str, message: str) -> None:
    with pytest.raises(TaskError) as caught:
        read_traces(text, "t.jsonl")
    assert message in str(caught.value)


def test_traces_that_are_to_be_recorded_need_no_results() -> None:
    (trace,) = read_traces(lines({"calls": [{"tool": "get"}]}), "t.jsonl", require_results=False)
    assert trace.calls[0].result is None


def test_the_traces_of_the_reference_page_are_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "fidelity.md").read_text(encoding="utf-8")
    (example,) = (text for text in re.findall(r"```json\n(.*?)```", page, re.DOTALL) if '"calls"' in text)
    assert [trace.id for trace in read_traces(example, "page")] == ["rename", "search", "line-3"]
    used = {name for trace in read_traces(example, "page") for name in trace.model_fields_set}
    assert set(Trace.model_fields) - used == {"now"}
