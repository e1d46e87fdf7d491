"""Dispatchers without a model: they compare a request with names, descriptions and parameters of tools."""

import re
from collections.abc import Sequence

from pytest_mcpbench.agents.lexical.tool_ranking import ToolRanking
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.text.bounded_pattern import BoundedPattern
from pytest_mcpbench.text.words import terms, words


class Bm25Dispatcher:
    """Ranking by the index of the lexical agent (docs/explanation/lexical.md) with all words of the request."""

    name = "bm25"

    def __init__(self) -> None:
        self._index: ToolRanking | None = None

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Return a score for each tool; 0 if it shares no word with the request."""
        offered = tuple(tools)
        # Cached, because most tasks of a suite offer the same tools.
        if self._index is None or self._index.tools != offered:
            self._index = ToolRanking(offered)
        return self._index.word_scores(request)


class RegexDispatcher:
    """Ranking by the pattern ``word|word|…`` of the request's content words, as a model writes it for a tool search.

    Like the tool search of Claude's API it looks at names, descriptions, and names and descriptions of parameters.
    """

    name = "regex"

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Return the number of different words of the request that begin a word of each tool."""
        # A word also begins inside of ``getWeather`` and ``get_weather``, which ``words`` divides.
        patterns = [re.compile(rf"(?<![a-z0-9]){re.escape(term)}") for term in dict.fromkeys(terms(request))]
        texts = [" ".join(words(_searched_text(tool))) for tool in tools]
        return [float(sum(pattern.search(text) is not None for pattern in patterns)) for text in texts]


_NAME_SCORE = 2.0
"""Score of a tool whose name matches a pattern; one whose other texts match has 1."""


class PatternDispatcher:
    """Ranking by a regular expression that a model writes, as in the tool search of Claude's API.

    Like there, names, descriptions, and names and descriptions of parameters are searched.
    """

    name = "regex"

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Return 2 for a tool whose name matches, 1 for another one that matches, 0 for the others.

        Raises:
            ValueError: the request is not a regular expression, or its search takes too long.
        """
        pattern = BoundedPattern(request, ignores_case=True)
        return [
            _NAME_SCORE if pattern.is_found(tool.name) else float(pattern.is_found(_searched_text(tool)))
            for tool in tools
        ]


def _searched_text(tool: ToolSpec) -> str:
    """Return name and description of a tool, and names and descriptions of its parameters."""
    described = (schema.get("description", "") for schema in tool.properties.values() if isinstance(schema, dict))
    return " ".join(map(str, (tool.tool, tool.description, *tool.properties, *described)))
