"""Conversion of mcp's types into the values of this package."""

import hashlib
import json

import mcp_types as types

from pytest_mcpbench.core.tool import Content, ToolResult, ToolSpec
from pytest_mcpbench.servers.large_results import DECODED, content_of
from pytest_mcpbench.text.normal_forms import without_surrogates


def tool_spec(server: str, tool: types.Tool) -> ToolSpec:
    """Return a tool under the server's own name for it."""
    hints = tool.annotations.model_dump(mode="json", by_alias=True, exclude_none=True) if tool.annotations else {}
    return ToolSpec(
        name=tool.name,
        server=server,
        tool=tool.name,
        description=tool.description or "",
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations={"title": tool.title, **hints} if tool.title else hints,
        listing=tool.model_dump(
            mode="json", by_alias=True, exclude_none=True, include={"title", "annotations", "icons", "meta"}
        ),
    )


def tools_hash(tools: tuple[ToolSpec, ...]) -> str:
    """Return a digest of everything that a model can read about the tools; their order counts."""
    content = [tool.model_dump(mode="json", exclude={"name", "server", "is_deferred"}) for tool in tools]
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def tool_result(result: types.CallToolResult) -> ToolResult:
    """Return the result of a call with all its content blocks, in texts that can be encoded."""
    structured = without_surrogates(result.structured_content)
    content = content_of(result)
    # A result with structured content only also gets it as text, because models read text.
    if not content and structured is not None:
        content = (Content(type="text", text=json.dumps(structured, ensure_ascii=False)),)
    reserved = ("progressToken", DECODED)
    meta = {
        key: value
        for key, value in (result.meta or {}).items()
        if not key.startswith("io.modelcontextprotocol/") and key not in reserved
    }
    return ToolResult(
        content=content,
        structured=structured,
        is_error=bool(result.is_error),
        meta=without_surrogates(meta),
        error_kind="tool" if result.is_error else None,
    )
