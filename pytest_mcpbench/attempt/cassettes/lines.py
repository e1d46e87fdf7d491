"""Lines of a tape: what was asked of a model, a judge or a server, and what came back."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, JsonValue, TypeAdapter

from pytest_mcpbench.core.chat import ChatMessage, Reply
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.frozen import DEFERRED, FrozenModel
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.sandbox import replaced_in_json
from pytest_mcpbench.core.simulated_user import ConversationEnd
from pytest_mcpbench.core.tool import ToolResult, ToolSpec
from pytest_mcpbench.core.trajectory import UserMessage


class TapeHeader(FrozenModel):
    """First line: the attempt that was recorded."""

    kind: Literal["attempt"] = "attempt"
    version: Literal[1, 2] = 2
    """Version of the tape's format; without one it is 1 or 2, which replaying reads alike."""
    task: str
    trial: int
    """Counted from 1; from 0 in a tape of version 1. Replaying does not look at it."""
    model: str
    """As :attr:`~pytest_mcpbench.attempt.cassettes.tape_ref.TapeRef.model`."""


class ReplyLine(FrozenModel):
    """One reply of the agent's model."""

    kind: Literal["reply"] = "reply"
    key: str
    """Digest of everything that determines the reply."""
    settings: dict[str, JsonValue]
    tools: str = Field(pattern="^[0-9a-f]*$")
    """Digest of the tool definitions, which lie in ``tools/`` of the cassette; empty if the model saw no tools."""
    after: str = ""
    """Key of the reply whose conversation this one continues; empty at the beginning of a conversation."""
    messages: tuple[ChatMessage, ...]
    """Messages since the reply :attr:`after`, or all of them."""
    reply: Reply


class VerdictLine(FrozenModel):
    """One verdict of a judge that is a model."""

    kind: Literal["verdict"] = "verdict"
    key: str
    judge: str
    question: Question
    verdict: Verdict


class UserLine(FrozenModel):
    """One message of a model that plays the user."""

    kind: Literal["user"] = "user"
    key: str
    """Digest of the model, the user's goal and persona, the seed, and the conversation so far."""
    said: str
    """What the agent said last."""
    message: UserMessage
    end: ConversationEnd | None = None


class ServerLine(FrozenModel):
    """A server that was recorded, with the tools that it listed."""

    kind: Literal["server"] = "server"
    server: str
    facts: ServerFacts
    tools: tuple[ToolSpec, ...]
    warnings: tuple[str, ...] = ()


class CallLine(FrozenModel):
    """One call of a tool."""

    kind: Literal["call"] = "call"
    server: str
    tool: str
    arguments: dict[str, JsonValue]
    result: ToolResult


class ResourceLine(FrozenModel):
    """One read of a resource; ``text`` is ``None`` if the server has no such resource."""

    kind: Literal["resource"] = "resource"
    server: str
    uri: str
    text: str | None


class ScoresLine(FrozenModel):
    """Relevance of tools to a request, according to a dispatcher that is a model."""

    kind: Literal["scores"] = "scores"
    key: str
    dispatcher: str
    request: str
    scores: tuple[float, ...]
    """One for each tool, in their order."""


TapeLine = TapeHeader | ReplyLine | VerdictLine | UserLine | ServerLine | CallLine | ResourceLine | ScoresLine

LINE: TypeAdapter[TapeLine] = TypeAdapter(Annotated[TapeLine, Field(discriminator="kind")], config=DEFERRED)
"""Parser of a line."""


def encode(line: TapeLine) -> bytes:
    """Return the line without fields that have their default, to be readable; a header states its version."""
    version = {"version": line.version} if isinstance(line, TapeHeader) else {}
    content = {"kind": line.kind, **version, **line.model_dump(mode="json", exclude_defaults=True)}
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


# Values as they are written on a tape: without secrets, and without the path of the attempt's scratch directory.

Value = TypeVar("Value")

_PLACEHOLDER = "{mcpbench:sandbox}"


@dataclass(frozen=True)
class PortableForm:
    """Conversion of values between their form in an attempt and the one on a tape, which is the same in every run."""

    sandbox: Path
    remove_secrets: Callable[[str], str]
    """Function that returns a text, such as JSON, without the secrets in it."""

    def of(self, adapter: TypeAdapter[Value], value: Value) -> Value:
        """Return the value with a placeholder for the path, and without secrets."""
        content = adapter.dump_json(value).decode()
        portable = self.remove_secrets(replaced_in_json(content, str(self.sandbox), _PLACEHOLDER))
        return value if portable == content else adapter.validate_json(portable)

    def restore(self, adapter: TypeAdapter[Value], value: Value) -> Value:
        """Return the value with the path of this attempt in place of the placeholder."""
        content = adapter.dump_json(value).decode()
        restored = replaced_in_json(content, _PLACEHOLDER, str(self.sandbox))
        return value if restored == content else adapter.validate_json(restored)
