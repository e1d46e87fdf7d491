"""Reply of a model, parsed from its text: calls, an answer, or the reason why it cannot be read."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class WrittenCall:
    """Call as a model wrote it."""

    name: str
    arguments: Any = field(default_factory=dict)


@dataclass(frozen=True)
class ParsedReply:
    """Parts of a reply: ``text`` is the answer or, beside calls, the model's thoughts."""

    text: str = ""
    calls: tuple[WrittenCall, ...] = ()
    problem: str = ""
    kept: str | None = None
    """Part of the text that the model reads again in later requests; ``None``: all of it."""


def without_leading_thoughts(text: str) -> str:
    """Return the text after ``<think>…</think>``, which a server without a reasoning parser leaves in it."""
    thoughts, end, rest = text.partition("</think>")
    is_at_start = "<think>" not in thoughts.lstrip().removeprefix("<think>")
    return (rest if end and is_at_start else text).strip()
