"""Model that receives tools in its system prompt and whose calls are parsed from the text of its replies."""

from collections.abc import Sequence
from typing import Any

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.core.trajectory import ParsedText
from pytest_mcpbench.runtime.model import Model
from pytest_mcpbench.runtime.models.call_arguments import parse_arguments
from pytest_mcpbench.runtime.models.provider_error import REJECTED
from pytest_mcpbench.runtime.models.tool_formats.conversation import TextConversation
from pytest_mcpbench.runtime.models.tool_formats.parsed_reply import ParsedReply, WrittenCall
from pytest_mcpbench.runtime.models.tool_formats.tool_format import TextFormat
from pytest_mcpbench.runtime.models.tool_names import ToolNames

MOST_OUTPUT_TOKENS = 4096
"""Limit of a reply if no other is set: a constrained model that does not find the end of a value writes forever."""


class TextToolModel:
    """Model whose tools and calls are text. A request without tools is passed on unchanged."""

    def __init__(self, model: Model, text_format: TextFormat, *, most_output_tokens: int = MOST_OUTPUT_TOKENS) -> None:
        self._model = model
        self._format = text_format
        self._most_output_tokens = most_output_tokens
        self._is_constrained = True
        """Whether the provider accepts the fields that constrain a reply, as far as is known."""

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """Return the model's next message, see :class:`~pytest_mcpbench.runtime.model.Model`."""
        if not tools or settings.tool_choice == "none":
            return await self._model.complete(messages, tools, settings)
        written = TextConversation(self._format).rewrite(messages, tools)
        reply = await self._ask(written, self._without_tools(settings), self._format.request_fields(tools, settings))
        if reply.calls or not reply.text:
            return reply
        calls_before = sum(len(message.calls) for message in messages)
        return _with_calls(reply, self._format, [tool.name for tool in tools], calls_before)

    async def _ask(self, messages: list[ChatMessage], settings: ModelSettings, fields: dict[str, Any]) -> Reply:
        """Ask with the fields that constrain the reply until the provider rejects them."""
        constrained = settings.model_copy(update={"extra": {**fields, **settings.extra}})
        if not self._is_constrained:
            return await self._model.complete(messages, (), settings)
        try:
            return await self._model.complete(messages, (), constrained)
        except ModelError as error:
            if error.status not in REJECTED:
                raise
        reply = await self._model.complete(messages, (), settings)
        self._is_constrained = False
        return reply

    def _without_tools(self, settings: ModelSettings) -> ModelSettings:
        changes = {
            "tool_choice": None,
            "parallel_calls": None,
            "max_output_tokens": settings.max_output_tokens or self._most_output_tokens,
        }
        return settings.model_copy(update=changes)


def _with_calls(reply: Reply, text_format: TextFormat, tools: list[str], calls_before: int) -> Reply:
    """Return the reply with what was parsed from its text."""
    names = ToolNames(tools)
    parsed = text_format.parse(reply.text, tools)
    calls = tuple(_call(call, number, names) for number, call in enumerate(parsed.calls, calls_before + 1))
    raw = ParsedText(format=text_format.name, raw=reply.text, problem=parsed.problem)
    return reply.model_copy(update={"text": _text(parsed), "calls": calls, "parsed": raw})


def _text(parsed: ParsedReply) -> str:
    """Return the text of the step; none for a reply that cannot be read, so that it is not taken for the answer."""
    return "" if parsed.problem else parsed.text


def _call(written: WrittenCall, number: int, names: ToolNames) -> Call:
    arguments, raw_arguments = parse_arguments(written.arguments)
    name = names.from_provider(written.name)
    return Call(id=f"call_{number}", name=name, arguments=arguments, raw_arguments=raw_arguments)
