"""Reads recorded conversations in the form of OpenAI's chat messages."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.task import ExpectedCall
from pytest_mcpbench.loaders.complaint import FieldError, kind_of


@dataclass(frozen=True)
class ChatMessage:
    """One message; ``calls`` of an assistant already hold the results that later messages give them."""

    role: str
    text: str
    calls: tuple[ExpectedCall, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True)
class Conversation:
    """The messages in order, with what in them was odd."""

    messages: tuple[ChatMessage, ...]
    warnings: tuple[str, ...] = ()


def conversation(value: Any, field: str, *, results: bool = True) -> Conversation:
    """The messages of a list. Raises :class:`FieldError` with ``field`` where it is not one.

    Args:
        value: The list of messages.
        field: Its name in the record.
        results: Whether the calls keep what the tools answered.
    """
    if not isinstance(value, list) or not value:
        raise FieldError(field, "is empty." if value == [] else f"must be a list of messages, not {kind_of(value)}.")
    for index, message in enumerate(value):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise FieldError(f"{field}[{index}]", "must be an object with a role.")
    return _Reader(field, value, _answers(value) if results else {}).read()


def content_text(content: Any) -> str:
    """The text of a message's content: a text, a list of blocks, or any JSON value."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(block, dict | str) for block in content):
        return "\n".join(filter(None, (_block_text(block) for block in content)))
    return json.dumps(content, ensure_ascii=False)


def _block_text(block: Mapping[str, Any] | str) -> str:
    if isinstance(block, str):
        return block
    text = block.get("text")
    return text if isinstance(text, str) else json.dumps(block, ensure_ascii=False)


def _answers(messages: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Id of a call -> what the tool answered."""
    answered = (message for message in messages if message["role"] in ("tool", "function"))
    return {
        str(message["tool_call_id"]): content_text(message.get("content"))
        for message in answered
        if message.get("tool_call_id")
    }


@dataclass
class _Reader:
    field: str
    written: Sequence[Mapping[str, Any]]
    answers: Mapping[str, str]
    made: int = 0

    def read(self) -> Conversation:
        messages: list[ChatMessage] = []
        warnings: list[str] = []
        for index, message in enumerate(self.written):
            calls, odd = self._calls(message, f"{self.field}[{index}]")
            warnings += odd
            call_id = message.get("tool_call_id")
            text = content_text(message.get("content"))
            messages.append(ChatMessage(message["role"], text, calls, str(call_id) if call_id else None))
        return Conversation(tuple(messages), tuple(warnings))

    def _calls(self, message: Mapping[str, Any], where: str) -> tuple[tuple[ExpectedCall, ...], list[str]]:
        written = message.get("tool_calls") or []
        if not isinstance(written, list):
            raise FieldError(f"{where}.tool_calls", f"must be a list, not {kind_of(written)}.")
        calls: list[ExpectedCall] = []
        warnings: list[str] = []
        for index, call in enumerate(written):
            arguments, odd = _arguments(call, f"{where}.tool_calls[{index}]")
            warnings += odd
            calls.append(self._call(call, arguments))
        return tuple(calls), warnings

    def _call(self, call: Mapping[str, Any], arguments: dict[str, Any]) -> ExpectedCall:
        self.made += 1
        upstream = call.get("id")
        name = _function(call)["name"].strip()
        result = self.answers.get(str(upstream)) if upstream else None
        return ExpectedCall(id=str(upstream or self.made), tool=name, arguments=arguments, result=result)


def _function(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """Where a call has its name and arguments: under ``function``, or, in older records, in itself."""
    function = call.get("function")
    return function if isinstance(function, dict) else call


def _arguments(call: Any, where: str) -> tuple[dict[str, Any], Iterator[str]]:
    """The arguments of a call; a warning and none where they are no JSON object."""
    if (
        not isinstance(call, dict)
        or not isinstance(_function(call).get("name"), str)
        or not _function(call)["name"].strip()
    ):
        raise FieldError(where, "names no tool.")
    written = _function(call).get("arguments")
    if isinstance(written, dict):
        return written, iter(())
    if written in (None, ""):
        return {}, iter(())
    try:
        value = json.loads(written)
    except (ValueError, TypeError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value, iter(())
    return {}, iter((f"{where}: the arguments are no JSON object; they were left out",))


def groups_of(messages: Sequence[ChatMessage]) -> Iterator[tuple[ExpectedCall, ...]]:
    """The calls of each assistant message that made any."""
    for message in messages:
        if message.role == "assistant" and message.calls:
            yield message.calls
