"""Interface of a form in which tools, calls and results are written as text."""

from collections.abc import Collection, Sequence
from typing import Any, Literal, Protocol

from pytest_mcpbench.core.chat import ModelSettings
from pytest_mcpbench.core.tool import Call, ToolSpec
from pytest_mcpbench.runtime.models.tool_formats.parsed_reply import ParsedReply


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
