"""Requests to a server about its resources and prompts, with answers as results that an agent can read."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp import Client

from pytest_mcpbench.core.tool import Content, ContextMethod, ToolResult
from pytest_mcpbench.servers.pages import every_page
from pytest_mcpbench.text.normal_forms import without_surrogates


async def request_context(client: Client, method: ContextMethod, arguments: Mapping[str, Any]) -> ToolResult:
    """Return the answer to a request: lists and prompts as JSON, the contents of a resource as blocks.

    Args:
        client: Open connection.
        method: What is asked for.
        arguments: ``uri`` of a resource, or ``name`` and ``arguments`` of a prompt; nothing for a list.
    """
    match method:
        case "resources/list":
            return await _listing(method, "resources", lambda cursor: client.list_resources(cursor=cursor))
        case "resources/templates/list":
            templates = client.list_resource_templates
            return await _listing(method, "resourceTemplates", lambda cursor: templates(cursor=cursor))
        case "prompts/list":
            return await _listing(method, "prompts", lambda cursor: client.list_prompts(cursor=cursor))
        case "resources/read":
            contents = (await client.read_resource(str(arguments["uri"]))).contents
            return ToolResult(content=tuple(map(_content, contents)))
        case "prompts/get":
            # The protocol has the arguments of a prompt as text.
            given = {
                name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                for name, value in (arguments.get("arguments") or {}).items()
            }
            prompt = await client.get_prompt(str(arguments["name"]), given)
            return _structured(prompt.model_dump(mode="json", by_alias=True, exclude_none=True))


async def _listing(
    method: str, name: str, request_page: Callable[[str | None], Awaitable[types.PaginatedResult]]
) -> ToolResult:
    """Return all pages of a list under its name in the protocol."""
    entries: list[Any] = []
    async for page in every_page(method, request_page):
        entries += page.model_dump(mode="json", by_alias=True, exclude_none=True)[name]
    return _structured({name: entries})


def _structured(value: dict[str, Any]) -> ToolResult:
    return ToolResult(structured=without_surrogates(value))


def _content(part: types.TextResourceContents | types.BlobResourceContents) -> Content:
    where = {"uri": str(part.uri), "mime_type": part.mime_type}
    if isinstance(part, types.TextResourceContents):
        return Content(type="resource", text=str(without_surrogates(part.text)), **where)
    return Content(type="resource", data=part.blob, **where)
