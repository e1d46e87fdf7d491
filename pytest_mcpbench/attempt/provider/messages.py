"""Messages between workers and the provider process: pickled values, each preceded by its length."""

import asyncio
import pickle
import struct
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.secrets import NO_SECRETS, Secrets
from pytest_mcpbench.core.tool import ToolSpec

_LENGTH = struct.Struct("!I")


@dataclass(frozen=True)
class CompleteChat:
    """Command to ask a model; its result is a :class:`~pytest_mcpbench.core.chat.Reply`."""

    model: str
    """Name of the model as the user wrote it."""
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...]
    settings: ModelSettings


@dataclass(frozen=True)
class DecideQuestion:
    """Command to ask a judge; its result is a :class:`~pytest_mcpbench.core.judgement.Verdict`."""

    judge: str
    """Name of the judge's model as the user wrote it."""
    question: Question
    secrets: Secrets = NO_SECRETS
    """Secrets that the worker knows, for the cache of verdicts."""


@dataclass(frozen=True)
class DecideTogether:
    """Command to ask a judge several questions about one attempt; its result is a list of verdicts."""

    judge: str
    """Name of the judge's model as the user wrote it."""
    questions: tuple[Question, ...]
    context: dict[str, str]
    """Texts of the attempt, by heading."""
    secrets: Secrets = NO_SECRETS
    """Secrets that the worker knows, for the cache of verdicts."""


@dataclass(frozen=True)
class RunAttempt:
    """Command to run an attempt; request and result are those of ``AttemptRunner.run_attempt``."""

    request: bytes


@dataclass(frozen=True)
class StoreBlob:
    """Command to store a blob for later attempts; its result is ``None``."""

    content: bytes
    is_archive: bool


Command = CompleteChat | DecideQuestion | DecideTogether | RunAttempt | StoreBlob


@dataclass(frozen=True)
class ProviderRequest:
    """Command with a number that is unique within its connection."""

    number: int
    command: Command


@dataclass(frozen=True)
class Cancellation:
    """Message that a request is no longer needed."""

    number: int


@dataclass(frozen=True)
class ProviderResponse:
    """Result of a request, or the error to raise."""

    number: int
    value: Any = None
    error: Exception | None = None


async def receive(reader: asyncio.StreamReader) -> Any:
    """Return the next message.

    Raises:
        IncompleteReadError: the other side closed the connection.
        ConnectionError: the connection was lost.
    """
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    # Unpickling is safe here: both ends are the same version of this package and run as the same user, and the socket
    # lies in a directory that only this user can enter.
    return pickle.loads(await reader.readexactly(length))


def encode(message: ProviderRequest | Cancellation | ProviderResponse) -> bytes:
    """Return a message as bytes."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content
