"""Serializer of messages, tools and settings to the body of a chat-completions request."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.tool import Call, Content, ToolSpec
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
        optional["tool_choice"] = _wire_choice(settings.tool_choice, names)
        optional["parallel_tool_calls"] = settings.parallel_calls
    body.update({name: value for name, value in optional.items() if value is not None})
    return {**body, **settings.extra}


def _wire_tool(tool: ToolSpec, names: ToolNames) -> dict[str, Any]:
    parameters = {key: value for key, value in tool.input_schema.items() if key != "$schema"}
    parameters = {"type": "object", "properties": {}, **parameters}
    function = {"name": names.to_provider(tool.name), "description": tool.description, "parameters": parameters}
    deferral = {"defer_loading": True} if tool.is_deferred else {}
    return {"type": "function", "function": function, **deferral}


def _wire_choice(choice: str | None, names: ToolNames) -> str | dict[str, Any] | None:
    if choice in (None, "auto", "required", "none"):
        return choice
    return {"type": "function", "function": {"name": names.to_provider(choice)}}


def _wire_messages(
    messages: Sequence[ChatMessage], settings: ModelSettings, names: ToolNames
) -> Iterator[dict[str, Any]]:
    """Yield the messages; images of tool results follow in a user message, as tool messages accept only text."""
    for _, group in groupby(messages, key=lambda message: message.role):
        batch = list(group)
        yield from (_wire_message(message, names) for message in batch)
        images = [block for message in batch for block in message.content if block.type == "image" and block.data]
        if images and settings.takes_images:
            yield {"role": "user", "content": [*map(_wire_image, images)]}


def _wire_message(message: ChatMessage, names: ToolNames) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    if not message.calls:
        return {"role": message.role, "content": message.text, **_echoed_fields(message)}
    calls = [_wire_call(call, names, message.echo) for call in message.calls]
    return {"role": "assistant", "content": message.text or None, "tool_calls": calls, **_echoed_fields(message)}


def _echoed_fields(message: ChatMessage) -> dict[str, Any]:
    fields = message.echo.get("message")
    return fields if isinstance(fields, dict) else {}


def _wire_call(call: Call, names: ToolNames, echo: dict[str, Any]) -> dict[str, Any]:
    function = {"name": names.to_provider(call.name), "arguments": _wire_arguments(call)}
    fields = echo.get("calls", {}).get(call.id, {})
    return {"id": call.id, "type": "function", "function": function, **fields}


def _wire_arguments(call: Call) -> str:
    """Encode the arguments; malformed ones are wrapped in an object.

    Several servers parse the arguments of earlier calls and would refuse the conversation.
    """
    if call.raw_arguments is None:
        return json.dumps(call.arguments, ensure_ascii=False)
    return json.dumps({"not_a_json_object": call.raw_arguments[:_LONGEST_MALFORMED]}, ensure_ascii=False)


def _wire_image(block: Content) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:{block.mime_type or 'image/png'};base64,{block.data}"}}


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
