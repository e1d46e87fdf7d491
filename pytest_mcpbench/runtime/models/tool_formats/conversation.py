"""Conversation with tools, rewritten to one in text: no message has calls, and results are messages of the user."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pytest_mcpbench.core.chat import ChatMessage
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.models.tool_formats.parsed_reply import without_leading_thoughts
from pytest_mcpbench.runtime.models.tool_formats.tool_format import TextFormat


@dataclass(frozen=True)
class TextConversation:
    """Writer of conversations in one format."""

    format: TextFormat

    def rewrite(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec]) -> list[ChatMessage]:
        """Return the messages as the model receives them, with the tools at the end of its instructions.

        Neighbouring messages of the user are one, because some chat templates demand that roles alternate.
        """
        system = [message.text for message in messages if message.role == "system"]
        instructions = "\n\n".join([*system, self.format.instructions(tools)])
        names = [tool.name for tool in tools]
        written = [*self._written([message for message in messages if message.role != "system"], names)]
        return [ChatMessage("system", instructions), *_merged(written)]

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


def _merged(messages: Sequence[ChatMessage]) -> Iterator[ChatMessage]:
    for role, group in groupby(messages, key=lambda message: message.role):
        batch = [*group]
        if role != "user" or len(batch) == 1:
            yield from batch
            continue
        content = tuple(block for message in batch for block in message.content)
        yield replace(batch[0], text="\n\n".join(message.text for message in batch), content=content)
