"""Fields of requests that only litellm's providers have: a budget for thinking, and marks of what is to be cached."""

from typing import Any

from pytest_mcpbench.core.chat import ModelSettings

RESPONSES_FIELDS = {"include": ["reasoning.encrypted_content"]}
"""Fields for OpenAI's responses API: without its reasoning, a model begins to think anew after each call."""
STATED_FIELDS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "reasoning_effort": "reasoning_effort",
    "thinking_tokens": "thinking",
    "max_output_tokens": "max_tokens",
}
"""Setting of an alias -> field of the request, of which some providers do not have all."""
_CACHED = {"type": "ephemeral"}


def litellm_fields(settings: ModelSettings) -> dict[str, Any]:
    """Return the fields that the settings add to a request through litellm."""
    if settings.thinking_tokens is None:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": settings.thinking_tokens}}


def mark_cached_parts(body: dict[str, Any]) -> None:
    """Mark the ends of the tools, of the instructions and of the conversation, the three longest common prefixes."""
    if body.get("tools"):
        *others, last = body["tools"]
        body["tools"] = [*others, {**last, "cache_control": _CACHED}]
    messages = [*body["messages"]]
    system = [index for index, message in enumerate(messages) if message["role"] == "system"]
    for index in {*system[-1:], len(messages) - 1}:
        message = messages[index]
        content = message.get("content")
        if message["role"] == "tool":
            messages[index] = {**message, "cache_control": _CACHED}
        elif isinstance(content, str) and content:
            messages[index] = {**message, "content": [{"type": "text", "text": content, "cache_control": _CACHED}]}
        elif isinstance(content, list) and content:
            messages[index] = {**message, "content": [*content[:-1], {**content[-1], "cache_control": _CACHED}]}
    body["messages"] = messages
