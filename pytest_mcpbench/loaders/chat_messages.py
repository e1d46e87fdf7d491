"""Parser of recorded conversations in OpenAI's chat message format."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.task import ExpectedCall
from pytest_mcpbench.loaders.field_errors import FieldError, type_name
from pytest_mcpbench.text.json_reading import read_json


@dataclass(frozen=True)
class RecordedMessage:
    """One message. The calls of an assistant message carry the results found in later tool messages."""

    role: str
    text: str
    calls: tuple[ExpectedCall, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True)
class RecordedConversation:
    """Messages in order, with a warning for each irregularity."""

    messages: tuple[RecordedMessage, ...]
    warnings: tuple[str, ...] = ()


def parse_conversation(value: Any, field: str, *, results: bool = True) -> RecordedConversation:
    """Parse a list of chat messages. Raises :class:`FieldError` if the value is not a list of messages.

    Args:
        value: The list of messages.
        field: Name of the list in the record, for error messages.
        results: Attach the tools' results to the calls.
    """
    if not isinstance(value, list) or not value:
        raise FieldError(field, "is empty." if value == [] else f"must be a list of messages, not {type_name(value)}.")
    for index, message in enumerate(value):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise FieldError(f"{field}[{index}]", "must be an object with a role.")
    tool_messages = [message for message in value if message["role"] in ("tool", "function")] if results else []
    results_by_id = {
        str(message["tool_call_id"]): content_text(message.get("content"))
        for message in tool_messages
        if message.get("tool_call_id")
    }
    return _Reader(field, value, results_by_id).read()


def content_text(content: Any) -> str:
    """Return the text of a message's content, which may be a string, a list of blocks, or any JSON value."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(block, dict | str) for block in content):
        texts: list[str] = []
        for block in content:
            text = block if isinstance(block, str) else block.get("text")
            texts.append(text if isinstance(text, str) else json.dumps(block, ensure_ascii=False))
        return "\n".join(filter(None, texts))
    return json.dumps(content, ensure_ascii=False)


@dataclass
class _Reader:
    """Converter of raw messages; it numbers calls that have no id."""

    field: str
    messages: Sequence[Mapping[str, Any]]
    results: Mapping[str, str]
    call_count: int = 0

    def read(self) -> RecordedConversation:
        messages: list[RecordedMessage] = []
        warnings: list[str] = []
        for index, message in enumerate(self.messages):
            field = f"{self.field}[{index}].tool_calls"
            raw_calls = message.get("tool_calls") or []
            if not isinstance(raw_calls, list):
                raise FieldError(field, f"must be a list, not {type_name(raw_calls)}.")
            calls: list[ExpectedCall] = []
            for call_index, call in enumerate(raw_calls):
                arguments, call_warnings = _arguments(call, f"{field}[{call_index}]")
                warnings += call_warnings
                self.call_count += 1
                upstream = call.get("id")
                name = _function(call)["name"].strip()
                result = self.results.get(str(upstream)) if upstream else None
                call_id = str(upstream or self.call_count)
                calls.append(ExpectedCall(id=call_id, tool=name, arguments=arguments, result=result))
            answered = message.get("tool_call_id")
            text = content_text(message.get("content"))
            messages.append(RecordedMessage(message["role"], text, tuple(calls), str(answered) if answered else None))
        return RecordedConversation(tuple(messages), tuple(warnings))


def _function(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object with a call's name and arguments: its ``function``, or the call itself in older records."""
    function = call.get("function")
    return function if isinstance(function, dict) else call


def _arguments(call: Any, where: str) -> tuple[dict[str, Any], Iterator[str]]:
    """Return a call's arguments; arguments that are not a JSON object are dropped with a warning."""
    if (
        not isinstance(call, dict)
        or not isinstance(_function(call).get("name"), str)
        or not _function(call)["name"].strip()
    ):
        raise FieldError(where, "has no tool name.")
    messages = _function(call).get("arguments")
    if isinstance(messages, dict):
        return messages, iter(())
    if messages in (None, ""):
        return {}, iter(())
    try:
        value = read_json(messages)
    except (ValueError, TypeError):
        value = None
    if isinstance(value, dict):
        return value, iter(())
    return {}, iter((f"{where}: the arguments are not a JSON object and were left out",))


def call_groups(messages: Sequence[RecordedMessage]) -> Iterator[tuple[ExpectedCall, ...]]:
    """Yield the calls of each assistant message that has any."""
    for message in messages:
        if message.role == "assistant" and message.calls:
            yield message.calls
