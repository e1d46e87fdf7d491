"""Provider-independent messages, replies and settings of a conversation with a model."""

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, Content, ToolSearch
from pytest_mcpbench.core.trajectory import ParsedText, Trajectory
from pytest_mcpbench.core.usage import Usage

CONTEXT_FULL = "context_full"
"""Finish reason if the conversation exceeds the context window, so that no reply could be started."""

CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "MAX_TOKENS"})
"""Finish reasons of a reply that was truncated because it became too long."""

REFUSED = frozenset({"content_filter", "refusal", "safety", "SAFETY"})
"""Finish reasons of a reply that the model or its provider refused."""


@dataclass(frozen=True)
class ChatMessage:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    calls: tuple[Call, ...] = ()
    """The parallel calls of an assistant message."""
    call_id: str | None = None
    """The id of the call that a tool message answers."""
    content: tuple[Content, ...] = ()
    """Blocks of a tool message that are not text, for models that accept them; ``text`` has their placeholders."""
    echo: dict[str, JsonValue] = field(default_factory=dict)
    """The :attr:`Reply.echo` of an assistant message."""
    parsed: ParsedText | None = None
    """The :attr:`Reply.parsed` of an assistant message."""


class Reply(FrozenModel):
    """One assistant message as the model returned it."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    searches: tuple[ToolSearch, ...] = ()
    """Searches for tools that the provider made meanwhile."""
    usage: Usage = Usage()
    model: str | None = None
    """The model that answered, according to the provider, which may resolve an alias or change versions."""
    finish_reason: str | None = None
    """The provider's own term, or :data:`CONTEXT_FULL`."""
    seconds: float = 0.0
    """Time from sending the successful request to the last byte of its response, without waiting for rate limits."""
    first_token_seconds: float | None = None
    """``None`` if the reply was not streamed, and its server does not say it."""
    retries: int = 0
    """Number of requests that failed and were repeated before this reply."""
    echo: dict[str, JsonValue] = Field(default_factory=dict)
    """Provider data that must accompany this message in later requests (reasoning, signatures); never interpreted."""
    parsed: ParsedText | None = None
    """Text from which ``text`` and ``calls`` were parsed; ``None`` if the provider separated them itself."""

    @property
    def is_empty(self) -> bool:
        """Return whether the model wrote nothing at all."""
        return not (self.text or self.calls or (self.parsed and self.parsed.raw.strip()))


class ModelSettings(FrozenModel):
    """Settings of a model request; ``None`` leaves the choice to the provider."""

    temperature: float | None = Field(None, ge=0)
    top_p: float | None = Field(None, gt=0, le=1)
    reasoning_effort: str | None = None
    """The provider's own word, such as ``low`` or ``high``."""
    thinking_tokens: int | None = Field(None, ge=1)
    """Budget of tokens for thinking."""
    max_output_tokens: int | None = Field(None, ge=1)
    timeout_seconds: float = Field(600.0, gt=0)
    """Limit for one request, from sending it to the last byte of its response."""
    deadline: float | None = None
    """Deadline on the machine's monotonic clock until which the caller waits. A provider that still fails then is an
    error, not a late reply."""
    seed: int | None = None
    tool_choice: str | None = None
    """``auto``, ``required``, ``none`` or the name of a tool."""
    parallel_calls: bool | None = None
    """True if one reply may contain several calls."""
    takes_images: bool = False
    """True if the model receives images in results; if not, it reads their placeholders."""
    prompt_caching: bool = False
    """True if the request marks the parts that the provider must cache."""
    streaming: bool = False
    """True if the reply arrives in pieces, so that the time to the first token is known."""
    extra: dict[str, JsonValue] = Field(default_factory=dict)
    """Additional request fields, passed on unchanged (``reasoning_effort``, ``response_format``, …)."""


# Conversation of an attempt: who said what.

_MARKS = r"^[ \t>*_#]*(?:{})[ \t*_]*:"
_LINE_OF_USER = re.compile(_MARKS.format("User|Human|Customer"), re.MULTILINE | re.IGNORECASE)
_LINE_OF_AGENT = re.compile(_MARKS.format("Assistant|AI|Agent|Bot"), re.MULTILINE | re.IGNORECASE)


class Exchange(NamedTuple):
    """One turn: a message of the user, and what the agent replied."""

    user: str
    agent: str
    """Empty if the turn ended without a text for the user."""


def user_messages(task: Task, trajectory: Trajectory | None) -> tuple[str, ...]:
    """Return all messages of the user: those of a user that answered, or else those of the task."""
    if trajectory is not None and trajectory.conversation is not None:
        return tuple(message.text for message in trajectory.conversation.messages if message.text)
    return tuple(turn.user for turn in task.turns)


def before_invented_exchange(text: str) -> str:
    """Return the text of an agent up to a line of the user, such as ``User: Yes.``, that a line of its own follows.

    A line of the user alone may be a field of what the agent reports.
    """
    user = _LINE_OF_USER.search(text)
    if user is None or _LINE_OF_AGENT.search(text, user.end()) is None:
        return text
    return text[: user.start()]
