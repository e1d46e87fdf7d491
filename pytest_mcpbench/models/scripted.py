"""Model that plays replies from a script, for tests and demonstrations without a network."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
from pydantic import ValidationError

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError, UsageError
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.files.line_file import first_fault
from pytest_mcpbench.models.chat_reply import parse_arguments
from pytest_mcpbench.text.json_reading import read_json

Replies = Sequence[Reply]


class ScriptedModel:
    """Model that plays its replies in order, starting again in each conversation.

    The n-th reply of ``replies`` follows n earlier replies in the conversation. ``by_prompt`` contains replies to user
    messages that include a text; its n-th reply follows n earlier replies since that message. A reply with ``seconds``
    is delayed by that time.
    """

    def __init__(
        self, replies: Replies = (), by_prompt: Mapping[str, Replies] | None = None, *, name: str = "scripted"
    ) -> None:
        self._replies = tuple(replies)
        self._by_prompt = {text: tuple(script) for text, script in (by_prompt or {}).items()}
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @classmethod
    def from_file(cls, path: Path) -> "ScriptedModel":
        """Read a JSON list of replies, or an object ``{text in the user's message: list of replies}``.

        A reply is a string, or an object with any of ``text``, ``calls`` (``name``, ``arguments``), ``usage``,
        ``finish_reason``, ``seconds``.

        Raises:
            UsageError: the file cannot be read or is not a script.
        """
        try:
            content = read_json(path.read_bytes())
            return cls._from_json(content, f"scripted:{path}")
        except OSError as error:
            raise UsageError(f"scripted:{path}: cannot be read: {error.strerror}") from None
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            fault = f"{type(error).__name__}: {error}".splitlines()[0]
            if isinstance(error, ValidationError):
                fault = first_fault(error)
            raise UsageError(f"scripted:{path}: is not a valid script: {fault}") from None

    @classmethod
    def _from_json(cls, content: Any, name: str) -> "ScriptedModel":
        if isinstance(content, list):
            return cls([*map(_parse_reply, content)], name=name)
        return cls(by_prompt={text: [*map(_parse_reply, script)] for text, script in content.items()}, name=name)

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec],  # noqa: ARG002 - required by the protocol
        settings: ModelSettings,  # noqa: ARG002 - required by the protocol
    ) -> Reply:
        prompts = [index for index, message in enumerate(messages) if message.role == "user"]
        prompt = messages[prompts[-1]].text if prompts else ""
        script = next((script for text, script in self._by_prompt.items() if text in prompt), None)
        since = messages if script is None or not prompts else messages[prompts[-1] :]
        replies_so_far = sum(message.role == "assistant" for message in since)
        script = self._replies if script is None else script
        if replies_so_far >= len(script):
            raise ModelError(
                f"the script has {len(script)} replies to {prompt[:80]!r}, reply {replies_so_far + 1} is missing",
                self._name,
            )
        reply = script[replies_so_far]
        if reply.seconds:
            await anyio.sleep(reply.seconds)
        return reply


def _parse_reply(raw: Any) -> Reply:
    if isinstance(raw, str):
        return Reply(text=raw)
    calls = []
    for number, call in enumerate(raw.get("calls", ()), 1):
        arguments, raw_arguments = parse_arguments(call.get("arguments"))
        call_id = call.get("id") or f"call_{number}"
        calls.append(Call(id=call_id, name=call["name"], arguments=arguments, raw_arguments=raw_arguments))
    return Reply.model_validate({**raw, "calls": calls})
