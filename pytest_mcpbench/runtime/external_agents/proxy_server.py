"""MCP server that stands for one server of an attempt: it lists the exposed tools and relays the calls."""

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from pytest_mcpbench.core.prompt import NOT_MADE
from pytest_mcpbench.core.tool import CallRecord, Content, ToolResult, ToolSpec
from pytest_mcpbench.runtime.external_agents.call_recorder import CallRecorder
from pytest_mcpbench.runtime.external_agents.proxy_settings import ProxySettings


def proxy_server(
    name: str, tools: tuple[ToolSpec, ...], recorder: CallRecorder, settings: ProxySettings, instructions: str = ""
) -> "Server[Any]":
    """Return the MCP server of a proxy.

    Args:
        name: Name of the server in the suite.
        tools: Its exposed tools.
        recorder: Executor of the calls.
        settings: Names of the tools, and the length of their results.
        instructions: What the server tells agents about itself.
    """
    listed = [_tool(tool, settings) for tool in tools]

    async def list_tools(_context: object, _parameters: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        _context: ServerRequestContext[Any], parameters: types.CallToolRequestParams
    ) -> types.CallToolResult:
        record = await recorder.call(name, parameters.name, parameters.arguments or {})
        return _result(record, settings.result_characters)

    return Server(name, instructions=instructions or None, on_list_tools=list_tools, on_call_tool=call_tool)


def _tool(tool: ToolSpec, settings: ProxySettings) -> types.Tool:
    hints = {name: value for name, value in tool.annotations.items() if name != "title"}
    title = tool.annotations.get("title")
    return types.Tool(
        name=tool.tool if settings.tool_names == "own" else tool.name,
        title=title,
        description=tool.description,
        input_schema=tool.input_schema,
        # A client checks structured results against it, and results that are cut have none.
        output_schema=tool.output_schema if settings.result_characters is None else None,
        annotations=types.ToolAnnotations.model_validate({**hints, "title": title}) if tool.annotations else None,
    )


def _result(record: CallRecord, most_characters: int | None) -> types.CallToolResult:
    result = record.result or ToolResult.failure(NOT_MADE, "protocol")
    if most_characters is not None:
        return types.CallToolResult(content=_cut(result.content, most_characters), is_error=result.is_error)
    structured = result.structured if isinstance(result.structured, dict) else None
    content = [_block(block) for block in result.content]
    return types.CallToolResult(content=content, structured_content=structured, is_error=result.is_error)


def _cut(content: tuple[Content, ...], most: int) -> list[types.ContentBlock]:
    """Return the blocks with at most that many characters of text, with a note where they are cut."""
    blocks: list[types.ContentBlock] = []
    for block in content:
        text = block.text or ""
        if len(text) > most:
            note = f"\n[cut: {most} of {len(text)} characters are shown]"
            return [*blocks, types.TextContent(text=text[:most] + note)]
        most -= len(text)
        blocks.append(_block(block))
    return blocks


def _block(block: Content) -> types.ContentBlock:
    media = block.mime_type or "application/octet-stream"
    if block.type == "image":
        return types.ImageContent(data=block.data or "", mime_type=media)
    if block.type == "audio":
        return types.AudioContent(data=block.data or "", mime_type=media)
    if block.type == "resource" and block.text is not None:
        text = types.TextResourceContents(uri=block.uri or "resource:", mime_type=block.mime_type, text=block.text)
        return types.EmbeddedResource(resource=text)
    if block.type == "resource":
        blob = types.BlobResourceContents(
            uri=block.uri or "resource:", mime_type=block.mime_type, blob=block.data or ""
        )
        return types.EmbeddedResource(resource=blob)
    # A link is recorded as the text that describes it.
    return types.TextContent(text=block.text or "")
