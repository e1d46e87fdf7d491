"""What workers and the provider process say to each other: pickled values, each behind its length.

Both ends are this package in the same version, run by the same user; the socket lies in a directory of that user alone.
"""

import asyncio
import pickle
import struct
from dataclasses import dataclass, field
from typing import Any

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.tool import ToolSpec

_LENGTH = struct.Struct("!I")


@dataclass(frozen=True)
class Complete:
    """Ask a model; answered with a :class:`~pytest_mcpbench.core.chat.Reply`."""

    model: str
    """As the user names it."""
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...]
    settings: ModelSettings


@dataclass(frozen=True)
class Decide:
    """Ask a judge; answered with a :class:`~pytest_mcpbench.core.judgement.Verdict`."""

    judge: str
    question: Question


@dataclass(frozen=True)
class Make:
    """Make an attempt; answered with what :meth:`pytest_mcpbench.runtime.remote.runner.AttemptRunner.make` gives."""

    request: bytes


@dataclass(frozen=True)
class Give:
    """A parcel for attempts; answered with ``None``."""

    content: bytes
    is_archive: bool


Request = Complete | Decide | Make | Give


@dataclass(frozen=True)
class Ask:
    """A request; its number is the connection's own."""

    number: int
    what: Request


@dataclass(frozen=True)
class Cancel:
    """Nobody waits for the answer to this request any more."""

    number: int


@dataclass(frozen=True)
class Answer:
    """What came of a request: its value, or the error to raise."""

    number: int
    value: Any = None
    error: Exception | None = field(default=None)


async def receive(reader: asyncio.StreamReader) -> Any:
    """The next message. Raises ``IncompleteReadError`` or ``ConnectionError`` where the other side is gone."""
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    return pickle.loads(await reader.readexactly(length))


def encoded(message: Ask | Cancel | Answer) -> bytes:
    """A message as bytes."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content
