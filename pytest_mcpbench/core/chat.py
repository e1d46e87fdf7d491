"""What is said to a model and what it says back, in no provider's dialect."""

from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.tool import Call, Content
from pytest_mcpbench.core.trajectory import Usage

CONTEXT_FULL = "context_full"
"""Finish reason of a reply that could not be begun because the conversation is longer than the model can read."""

CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "MAX_TOKENS"})
"""Finish reasons of a reply that was cut off because it became too long."""

REFUSED = frozenset({"content_filter", "refusal", "safety", "SAFETY"})
"""Finish reasons of a reply that the model or its provider would not give."""


@dataclass(frozen=True)
class ChatMessage:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    calls: tuple[Call, ...] = ()
    """assistant: the calls that it made at once."""
    call_id: str | None = None
    """tool: the call that it answers."""
    content: tuple[Content, ...] = ()
    """tool: the blocks that are not text, for a model that takes them; ``text`` holds their placeholders."""
    echo: dict[str, JsonValue] = field(default_factory=dict)
    """assistant: :attr:`Reply.echo`."""


class Reply(FrozenModel):
    """One assistant message as a model gave it."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: Usage = Usage()
    model: str | None = None
    """Which model answered, as the provider says: aliases hide it, and providers change it."""
    finish_reason: str | None = None
    """In the provider's word, or :data:`CONTEXT_FULL`."""
    seconds: float = 0.0
    """From sending the request that was answered to its last byte; waiting for a rate limit is not in it."""
    first_token_seconds: float | None = None
    """``None`` where the reply was not streamed."""
    retries: int = 0
    """Requests that had to be repeated before this reply."""
    echo: dict[str, JsonValue] = Field(default_factory=dict)
    """What the provider wants to see again with this message (reasoning, signatures): kept as it came, never read."""


class ModelSettings(FrozenModel):
    """How a model is to answer; ``None`` leaves it to the provider."""

    temperature: float | None = Field(None, ge=0)
    max_output_tokens: int | None = Field(None, ge=1)
    timeout_seconds: float = Field(600.0, gt=0)
    """For one request, from sending it to its last byte."""
    patience_ends: float | None = None
    """Until when, by the machine's monotonic clock, whoever asks waits: a provider that fails until then is an error,
    not a late reply."""
    seed: int | None = None
    tool_choice: str | None = None
    """``auto``, ``required``, ``none`` or the name of a tool."""
    parallel_calls: bool | None = None
    """Whether one reply may hold several calls."""
    takes_images: bool = False
    """Whether images in results are shown to the model; else it reads their placeholders."""
    extra: dict[str, JsonValue] = Field(default_factory=dict)
    """Further fields of the request, passed on as they are (``reasoning_effort``, ``response_format``, …)."""
