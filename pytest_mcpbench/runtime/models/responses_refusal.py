"""Refusals in bodies of OpenAI's responses API, which litellm leaves out of its replies (seen in litellm 1.106.2)."""

import json
from collections.abc import Iterator
from typing import Any

from pytest_mcpbench.core.surrogates import replace_surrogates

_EVENT = b"data:"


def refusal_in(body: bytes) -> str:
    """Return the text of the refusals in a response, or in the events of a streamed one; empty without any."""
    if b'"refusal"' not in body:
        return ""
    return "\n".join(text for response in _responses(body) for text in _refusals(response))


def _responses(body: bytes) -> Iterator[Any]:
    """Yield the complete response."""
    if body.lstrip().startswith(b"{"):
        yield _decoded(body)
        return
    events = (_decoded(line.removeprefix(_EVENT)) for line in body.splitlines() if line.startswith(_EVENT))
    yield from (event["response"] for event in events if _is_end(event))


def _is_end(event: Any) -> bool:
    ends = ("response.completed", "response.incomplete")
    return isinstance(event, dict) and event.get("type") in ends and "response" in event


def _decoded(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _refusals(response: Any) -> Iterator[str]:
    output = response.get("output") if isinstance(response, dict) else None
    for item in output if isinstance(output, list) else ():
        match item:
            case {"type": "message", "content": [*parts]}:
                yield from (replace_surrogates(part["refusal"]) for part in parts if _is_refusal(part))


def _is_refusal(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "refusal" and isinstance(part.get("refusal"), str)
