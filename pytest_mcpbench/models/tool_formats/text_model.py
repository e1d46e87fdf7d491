"""Model that receives tools in its system prompt and whose calls are parsed from the text of its replies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.core.trajectory import ParsedText
from pytest_mcpbench.models.chat_reply import parse_arguments
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.models.provider_error import REJECTED
from pytest_mcpbench.models.tool_formats.tool_format import (
    TextFormat,
    without_leading_thoughts,
)
from pytest_mcpbench.models.tool_names import ToolNames

# Conversation with tools, rewritten to one in text: no message has calls, and results are messages of the user.


@dataclass(frozen=True)
class TextConversation:
    """Writer of conversations in one format."""

    format: TextFormat

    def rewrite(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec]) -> list[ChatMessage]:
        """Return the messages as the model receives them, with the tools at the end of its instructions."""
        system = [message.text for message in messages if message.role == "system"]
        instructions = "\n\n".join([*system, self.format.instructions(tools)])
        names = [tool.name for tool in tools]
        written = [*self._written([message for message in messages if message.role != "system"], names)]
        rewritten = [ChatMessage("system", instructions)]
        for role, group in groupby(written, key=lambda message: message.role):
            batch = [*group]
            if role == "user" and len(batch) > 1:
                # Some chat templates demand that roles alternate.
                text = "\n\n".join(message.text for message in batch)
                content = tuple(block for message in batch for block in message.content)
                batch = [replace(batch[0], text=text, content=content)]
            rewritten += batch
        return rewritten

    def _written(self, messages: Sequence[ChatMessage], tools: Sequence[str]) -> Iterator[ChatMessage]:
        called: dict[str | None, str] = {}
        for role, group in groupby(messages, key=lambda message: message.role):
            batch = [*group]
            if role == "tool":
                results = [(called.get(message.call_id, "a call"), message.text) for message in batch]
                content = tuple(block for message in batch for block in message.content)
                yield ChatMessage("user", self.format.write_results(results), content=content)
                continue
            for message in batch:
                called |= {call.id: call.name for call in message.calls}
                yield from self._said(message, tools) if role == "assistant" else [message]

    def _said(self, message: ChatMessage, tools: Sequence[str]) -> Iterator[ChatMessage]:
        """Yield a message of the model and, if it could not be read, what was wrong with it."""
        parsed = message.parsed
        if parsed is not None and parsed.format == self.format.name:
            kept = self.format.parse(parsed.raw, tools).kept
            yield ChatMessage("assistant", without_leading_thoughts(parsed.raw) if kept is None else kept)
            if parsed.problem:
                yield ChatMessage("user", f"Your reply could not be read: {parsed.problem}. {self.format.reminder}")
        elif message.calls:
            yield ChatMessage("assistant", self.format.write_calls(message.text, message.calls))
        else:
            yield ChatMessage("assistant", self.format.write_answer(message.text))


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
        """Return the model's next message, see :class:`~pytest_mcpbench.models.model.Model`."""
        if not tools or settings.tool_choice == "none":
            return await self._model.complete(messages, tools, settings)
        if any(tool.is_deferred for tool in tools):
            raise ModelError("its tools are text, which its provider cannot search", self.name)
        written = TextConversation(self._format).rewrite(messages, tools)
        without_tools = settings.model_copy(
            update={
                "tool_choice": None,
                "parallel_calls": None,
                "max_output_tokens": settings.max_output_tokens or self._most_output_tokens,
            }
        )
        reply = await self._ask(written, without_tools, self._format.request_fields(tools, settings))
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


def _with_calls(reply: Reply, text_format: TextFormat, tools: list[str], calls_before: int) -> Reply:
    """Return the reply with what was parsed from its text."""
    names = ToolNames(tools)
    parsed = text_format.parse(reply.text, tools)
    calls = []
    for number, written in enumerate(parsed.calls, calls_before + 1):
        arguments, raw_arguments = parse_arguments(written.arguments)
        name = names.from_provider(written.name)
        calls.append(Call(id=f"call_{number}", name=name, arguments=arguments, raw_arguments=raw_arguments))
    raw = ParsedText(format=text_format.name, raw=reply.text, problem=parsed.problem)
    # The text of an unreadable reply must not be taken for the answer.
    text = "" if parsed.problem else parsed.text
    return reply.model_copy(update={"text": text, "calls": tuple(calls), "parsed": raw})
