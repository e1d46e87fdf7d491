"""Decoding of tool results."""

import json
from typing import Any

from pytest_mcpbench.core.tool import ToolResult


def payload(result: ToolResult) -> Any:
    """Return the structured value; else the text as JSON; else, of several blocks, each one's; else the text itself."""
    if result.structured is not None:
        return result.structured
    texts = [block.text for block in result.content if block.text is not None]
    whole = decode_json("\n".join(texts))
    if len(texts) > 1 and isinstance(whole, str):
        return [decode_json(text) for text in texts]
    return whole


def payloads(result: ToolResult) -> tuple[Any, ...]:
    """Return all readings of a result: its structured value and, if different, its text."""
    first = payload(result)
    text = payload(result.model_copy(update={"structured": None}))
    return (first,) if first == text else (first, text)


def decode_json(text: str) -> Any:
    """Return a text's JSON value, or the text itself if it is not valid JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
