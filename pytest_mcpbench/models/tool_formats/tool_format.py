"""Interface of a form in which tools, calls and results are written as text."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.tool import Call, ToolSpec

# Reply of a model, parsed from its text: calls, an answer, or the reason why it cannot be read.


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


class TextFormat(Protocol):
    """Form of text; it has no state."""

    @property
    def name(self) -> Literal["json", "react"]:
        """Name of the format in aliases and records."""
        ...

    @property
    def reminder(self) -> str:
        """Sentence about the form of a reply, for a model whose reply could not be read."""
        ...

    def instructions(self, tools: Sequence[ToolSpec]) -> str:
        """Return the part of the system prompt that describes the tools and the form of a reply."""
        ...

    def write_calls(self, text: str, calls: Sequence[Call]) -> str:
        """Return calls as the model would have written them after its thoughts."""
        ...

    def write_answer(self, text: str) -> str:
        """Return an answer as the model would have written it."""
        ...

    def write_results(self, results: Sequence[tuple[str, str]]) -> str:
        """Return the message with the results of calls; each has the name of its tool and a text."""
        ...

    def request_fields(self, tools: Sequence[ToolSpec], settings: ModelSettings) -> dict[str, Any]:
        """Return fields of the request that constrain the reply, which a provider may reject."""
        ...

    def parse(self, text: str, tools: Collection[str]) -> ParsedReply:
        """Return the calls or the answer in a text."""
        ...


def described(tool: ToolSpec) -> dict[str, Any]:
    """Return what a model reads of a tool."""
    schema = {key: value for key, value in tool.input_schema.items() if key != "$schema"}
    return {"name": tool.name, "description": tool.description, "parameters": schema}
