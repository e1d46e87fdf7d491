"""Arguments that a model proposes for tools, where schemas, descriptions and results of others tell none."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import Field, JsonValue

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.generation.pipeline.questions import Questions, UnreadableReplyError
from pytest_mcpbench.generation.pipelines.tools.values import KnownValues

_INSTRUCTIONS = """\
The author of an MCP server needs a first test for one of its tools. Propose up to three sets of arguments for a call \
that returns a result on the server as it is. Prefer values that the server is known to have, and harmless ones. The \
server's answers decide; do not explain."""
_MOST = 3
_MOST_KNOWN = 60
"""Names of members whose values the model is told."""
_VALUES_OF_A_NAME = 4


class _Suggestions(FrozenModel):
    """Reply of the model."""

    arguments: tuple[dict[str, JsonValue], ...] = Field(max_length=_MOST)


class ModelSuggestions:
    """Questions to a model about the tools of one server."""

    def __init__(self, questions: Questions, server: ServerDefinition) -> None:
        self._questions = questions
        self._names = [tool.name for tool in server.tools]

    async def __call__(self, tool: ToolDefinition, problem: str, known: KnownValues) -> Sequence[dict[str, Any]]:
        """Return the arguments that the model proposes; none if its replies cannot be read.

        Raises:
            ModelError: the provider did not return a usable reply.
        """
        values = {name: list(known.by_name[name])[:_VALUES_OF_A_NAME] for name in list(known.by_name)[:_MOST_KNOWN]}
        prompt = (
            f"The tool:\n{json.dumps(dict(tool.canonical), ensure_ascii=False)}\n\n"
            f"All tools of the server: {', '.join(self._names)}\n"
            f"Values in results of the server, by name: {json.dumps(values, ensure_ascii=False, default=str)}\n"
            f"So far: {problem}"
        )
        try:
            reply = await self._questions.ask(_INSTRUCTIONS, prompt, _Suggestions)
        except UnreadableReplyError:
            return ()
        return [dict(arguments) for arguments in reply.arguments]
