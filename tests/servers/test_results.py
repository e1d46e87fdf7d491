"""Conversion of every kind of result into our own values."""

import mcp_types as types
import pytest

from pytest_mcpbench.core.tool import Content, ToolResult, ToolSpec
from pytest_mcpbench.servers.results import tool_result, tool_spec, tools_hash
from tests.builders import a_tool


@pytest.mark.parametrize(
    ("block", "content"),
    [
        pytest.param(types.TextContent(text="hello"), Content(type="text", text="hello"), id="text"),
        pytest.param(
            types.ImageContent(data="aGk=", mime_type="image/png"),
            Content(type="image", data="aGk=", mime_type="image/png"),
            id="image",
        ),
        pytest.param(
            types.AudioContent(data="aGk=", mime_type="audio/wav"),
            Content(type="audio", data="aGk=", mime_type="audio/wav"),
            id="audio",
        ),
        pytest.param(
            types.EmbeddedResource(resource=types.TextResourceContents(uri="a://b", text="hello", mime_type="text/x")),
            Content(type="resource", text="hello", mime_type="text/x", uri="a://b"),
            id="text resource",
        ),
        pytest.param(
            types.EmbeddedResource(resource=types.BlobResourceContents(uri="a://b", blob="aGk=")),
            Content(type="resource", data="aGk=", uri="a://b"),
            id="binary resource",
        ),
        pytest.param(
            types.ResourceLink(name="plan", uri="a://b", description="The plan.", mime_type="text/plain"),
            Content(
                type="resource_link",
                text="[resource_link: plan, a://b] (The plan.)",
                mime_type="text/plain",
                uri="a://b",
                listing={"name": "plan", "description": "The plan."},
            ),
            id="link",
        ),
    ],
)
def test_a_block_is_kept_whole(block: types.ContentBlock, content: Content) -> None:
    assert tool_result(types.CallToolResult(content=[block])) == ToolResult(content=(content,))


def test_structured_content_is_kept_beside_the_text() -> None:
    result = types.CallToolResult(content=[types.TextContent(text="3")], structured_content={"n": 3})
    assert tool_result(result) == ToolResult(content=(Content(type="text", text="3"),), structured={"n": 3})


def test_structured_content_alone_becomes_text_too() -> None:
    result = types.CallToolResult(content=[], structured_content={"city": "Zürich"})
    expected = Content(type="text", text='{"city": "Zürich"}')
    assert tool_result(result) == ToolResult(content=(expected,), structured={"city": "Zürich"})


def test_an_empty_result_is_empty() -> None:
    assert tool_result(types.CallToolResult(content=[])) == ToolResult()


def test_an_error_of_the_tool_is_marked() -> None:
    result = types.CallToolResult(content=[types.TextContent(text="no such file")], is_error=True)
    assert tool_result(result) == ToolResult.failure("no such file", "tool")


def test_a_tool_keeps_its_schemas_and_hints() -> None:
    tool = types.Tool(
        name="read",
        title="Read",
        description="Reads.",
        input_schema={"type": "object", "properties": {"path": {"type": "string"}}},
        output_schema={"type": "object"},
        annotations=types.ToolAnnotations(read_only_hint=True),
    )
    assert tool_spec("files", tool) == ToolSpec(
        name="read",
        server="files",
        tool="read",
        description="Reads.",
        input_schema={"type": "object", "properties": {"path": {"type": "string"}}},
        output_schema={"type": "object"},
        annotations={"title": "Read", "readOnlyHint": True},
        listing={"title": "Read", "annotations": {"readOnlyHint": True}},
    )


def test_the_hash_of_tools_tells_their_descriptions_and_order_but_not_what_no_model_reads() -> None:
    read, write = a_tool("read"), a_tool("write")
    same = a_tool("read", server="other", listing={"icons": [{"src": "data:,"}]})
    assert tools_hash((read, write)) == tools_hash((same, write))
    changed = a_tool("read", description="Reads a file.")
    assert len({tools_hash(tools) for tools in ((read, write), (write, read), (changed, write), (read,))}) == 4


def test_lone_surrogates_are_replaced_before_anyone_reads_them() -> None:
    result = types.CallToolResult(
        content=[types.TextContent(text="a\ud800b")], structured_content={"\udc00": ["\ud800é"]}
    )
    expected = ToolResult(content=(Content(type="text", text="a\ufffdb"),), structured={"\ufffd": ["\ufffdé"]})
    assert tool_result(result) == expected
