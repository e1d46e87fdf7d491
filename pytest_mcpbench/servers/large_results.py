"""Large results of tools, decoded in a thread, so that the event loop goes on serving the other servers.

mcp's client validates each content block of a result twice, on the event loop: two seconds for 100,000 blocks. A large
result gets past it without its blocks, which travel as Python objects in ``_meta``.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import mcp_types as types
from mcp_types import JSONRPCMessage, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import JsonValue, TypeAdapter, ValidationError

from pytest_mcpbench.core.frozen import DEFERRED
from pytest_mcpbench.core.tool import Content
from pytest_mcpbench.text.normal_forms import replace_surrogates, without_surrogates

LARGE = 512 * 1024
"""Bytes of a message that is decoded in a thread."""
_CHUNK = 500
"""Blocks that are validated at a time: a thread lets others run between two calls only."""
_BLOCKS: TypeAdapter[list[types.ContentBlock]] = TypeAdapter(list[types.ContentBlock], config=DEFERRED)
DECODED = "mcpbench/content"
_in_threads = 0
"""Number of large messages that threads of this process decode at present."""
Given = TypeVar("Given")
Decoded = TypeVar("Decoded")


async def in_thread(function: Callable[[Given], Decoded], content: Given) -> Decoded:
    """Return what a function makes of a large message, in a thread."""
    global _in_threads
    _in_threads += 1
    try:
        return await asyncio.to_thread(function, content)
    finally:
        _in_threads -= 1


def is_decoding() -> bool:
    """Return whether large messages are being decoded, so that replies have come that nobody has read yet."""
    return _in_threads > 0


def decode(line: bytes) -> JSONRPCMessage:
    """Return a message. Raises ValueError if the line is none."""
    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    if isinstance(message, JSONRPCResponse) and is_large(message.result):
        message.result = without_blocks(message.result)
    return message


def is_large(result: Mapping[str, Any]) -> bool:
    """Return whether a result has so many content blocks that their validation takes long."""
    blocks = result.get("content")
    return isinstance(blocks, list) and len(blocks) > _CHUNK and isinstance(result.get("_meta", {}), dict)


def content_of(result: types.CallToolResult) -> tuple[Content, ...]:
    """Return the content blocks of a result, in texts that can be encoded."""
    decoded = (result.meta or {}).get(DECODED)
    # Only this module puts a tuple there: what comes from JSON is a list.
    return decoded if isinstance(decoded, tuple) else tuple(map(_content, result.content))


def without_blocks(result: dict[str, Any]) -> dict[str, Any]:
    """Return a large result with its blocks decoded; if one is not valid, the result as it was.

    The client's own validation then says what is wrong with it.
    """
    blocks = result["content"]
    decoded: list[Content] = []
    try:
        for start in range(0, len(blocks), _CHUNK):
            chunk = _BLOCKS.validate_python(blocks[start : start + _CHUNK], by_name=False)
            decoded += map(_content, chunk)
    except ValidationError:
        return result
    return {**result, "content": [], "_meta": {**result.get("_meta", {}), DECODED: tuple(decoded)}}


def _content(block: types.ContentBlock) -> Content:
    listing = _listing(block)
    match block:
        case types.TextContent():
            return Content(type="text", text=replace_surrogates(block.text), listing=listing)
        case types.ImageContent():
            return Content(type="image", mime_type=block.mime_type, data=block.data, listing=listing)
        case types.AudioContent():
            return Content(type="audio", mime_type=block.mime_type, data=block.data, listing=listing)
        case types.ResourceLink():
            described = f" ({block.description})" if block.description else ""
            text = f"[resource_link: {block.title or block.name}, {block.uri}]{described}"
            return Content(
                type="resource_link",
                text=replace_surrogates(text),
                mime_type=block.mime_type,
                uri=str(block.uri),
                listing=listing,
            )
        case types.EmbeddedResource():
            resource = block.resource
            place = {"mime_type": resource.mime_type, "uri": str(resource.uri)}
            if isinstance(resource, types.TextResourceContents):
                return Content(type="resource", text=replace_surrogates(resource.text), listing=listing, **place)
            return Content(type="resource", data=resource.blob, listing=listing, **place)


def _listing(block: types.ContentBlock) -> dict[str, JsonValue]:
    """Return what only programs use of a block; of most blocks that is nothing, and there may be many."""
    if block.annotations is None and block.meta is None and not isinstance(block, types.ResourceLink):
        return {}
    rest = {"annotations", "meta", "name", "title", "description", "size", "icons"}
    listing: dict[str, JsonValue] = without_surrogates(
        block.model_dump(mode="json", by_alias=True, exclude_none=True, include=rest)
    )
    return listing
