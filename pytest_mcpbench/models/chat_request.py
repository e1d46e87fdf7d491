"""Serializer of messages, tools and settings to the body of a chat-completions request."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.models.provider_error import REJECTED
from pytest_mcpbench.models.tool_names import ToolNames

_LONGEST_MALFORMED = 2000
"""Characters of malformed arguments that are sent back."""


def request_body(
    messages: Sequence[ChatMessage],
    tools: Sequence[ToolSpec],
    settings: ModelSettings,
    names: ToolNames,
    max_tokens_field: str = "max_tokens",
) -> dict[str, Any]:
    """Return the body without the name of the model; settings that are ``None`` are omitted."""
    body: dict[str, Any] = {"messages": [*_wire_messages(messages, settings, names)]}
    optional: dict[str, Any] = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "reasoning_effort": settings.reasoning_effort,
        max_tokens_field: settings.max_output_tokens,
        "seed": settings.seed,
    }
    if tools:
        # Deferred tools need a search of the provider's own. This is OpenAI's form, which litellm translates.
        search = [{"type": "tool_search"}] if any(tool.is_deferred for tool in tools) else []
        body["tools"] = [*search, *(_wire_tool(tool, names) for tool in tools)]
        choice = settings.tool_choice
        optional["tool_choice"] = (
            choice
            if choice in (None, "auto", "required", "none")
            else {"type": "function", "function": {"name": names.to_provider(choice)}}
        )
        optional["parallel_tool_calls"] = settings.parallel_calls
    body.update({name: value for name, value in optional.items() if value is not None})
    return {**body, **settings.extra}


def _wire_tool(tool: ToolSpec, names: ToolNames) -> dict[str, Any]:
    parameters = {key: value for key, value in tool.input_schema.items() if key != "$schema"}
    parameters = {"type": "object", "properties": {}, **parameters}
    function = {"name": names.to_provider(tool.name), "description": tool.description, "parameters": parameters}
    deferral = {"defer_loading": True} if tool.is_deferred else {}
    return {"type": "function", "function": function, **deferral}


def _wire_messages(
    messages: Sequence[ChatMessage], settings: ModelSettings, names: ToolNames
) -> Iterator[dict[str, Any]]:
    """Yield the messages; images of tool results follow in a user message, as tool messages accept only text."""
    for _, group in groupby(messages, key=lambda message: message.role):
        batch = list(group)
        yield from (_wire_message(message, names) for message in batch)
        images = [block for message in batch for block in message.content if block.type == "image" and block.data]
        if images and settings.takes_images:
            urls = [f"data:{block.mime_type or 'image/png'};base64,{block.data}" for block in images]
            yield {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}} for url in urls]}


def _wire_message(message: ChatMessage, names: ToolNames) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    echoed = message.echo.get("message")
    echoed = echoed if isinstance(echoed, dict) else {}
    if not message.calls:
        return {"role": message.role, "content": message.text, **echoed}
    echoed_calls: Any = message.echo.get("calls", {})
    calls = []
    for call in message.calls:
        arguments: dict[str, Any] = call.arguments
        if call.raw_arguments is not None:
            # Several servers parse the arguments of earlier calls, and would refuse malformed ones.
            arguments = {"not_a_json_object": call.raw_arguments[:_LONGEST_MALFORMED]}
        function = {"name": names.to_provider(call.name), "arguments": json.dumps(arguments, ensure_ascii=False)}
        fields = echoed_calls.get(call.id, {})
        calls.append({"id": call.id, "type": "function", "function": function, **fields})
    return {"role": "assistant", "content": message.text or None, "tool_calls": calls, **echoed}


# Forms of a request, from the richest to the barest, for providers that reject some of them.


class RequestForms:
    """Names of the forms that a model may accept; one that it rejects is not tried again."""

    def __init__(self, *forms: str) -> None:
        self._left = list(forms)

    async def complete(
        self, model: Model, messages: Sequence[ChatMessage], settings: Callable[[str], ModelSettings]
    ) -> Reply:
        """Return the reply to the richest form that the provider accepts, with the settings of that form.

        Raises:
            ModelError: the request failed for another reason, or in its barest form.
        """
        while True:
            form = self._left[0]
            try:
                return await model.complete(messages, (), settings(form))
            except ModelError as error:
                if error.status not in REJECTED or len(self._left) == 1:
                    raise
                # A concurrent request may have removed this form already.
                if self._left[0] == form:
                    self._left.pop(0)
