"""Dispatchers, which rank tools for a request; those without a model compare words."""

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from pytest_mcpbench.agents.lexical.tool_ranking import ToolRanking
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.text.bounded_pattern import BoundedPattern
from pytest_mcpbench.text.words import terms, words

# Interface of a dispatcher: a request and tools in, one relevance score for each tool out.


class Dispatcher(Protocol):
    """Ranking of tools by their relevance to a request (MCPToolBench++ 3.1); serves many requests at the same time."""

    @property
    def name(self) -> str:
        """Name of the dispatcher as the user wrote it, without the secrets of a URL."""
        ...

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Return one relevance score for each tool, in the order of the tools; higher is better, the scale is free.

        Raises:
            ModelError: the dispatcher uses a model that cannot be reached.
        """
        ...


# Factory of dispatchers by name.

BM25 = "bm25"
REGEX = "regex"
LEXICAL = (BM25, REGEX)
"""The dispatchers without a model."""


class Dispatchers:
    """Dispatchers of one process; equal names share one dispatcher and its cached vectors.

    Args:
        models: Source of embedding models.
        others: Function that returns the dispatcher of a name that is none of these, ``None`` for an unknown name.
    """

    def __init__(
        self, models: Models | None = None, others: Callable[[str], Dispatcher | None] = lambda _name: None
    ) -> None:
        self._models = models or Models({})
        self._others = others
        self._owns_models = models is None
        self._dispatchers: dict[str, Dispatcher] = {}

    def get(self, name: str) -> Dispatcher:
        """Return the dispatcher with that name: ``bm25``, ``regex``, or an embedding model.

        Raises:
            UsageError: the name is none of them.
        """
        if name not in self._dispatchers:
            self._dispatchers[name] = self._create(name)
        return self._dispatchers[name]

    async def aclose(self) -> None:
        """Close the connections of models that no other owner closes."""
        if self._owns_models:
            await self._models.aclose()

    def _create(self, name: str) -> Dispatcher:
        if (other := self._others(name)) is not None:
            return other
        if name == BM25:
            return Bm25Dispatcher()
        if name == REGEX:
            return RegexDispatcher()
        from pytest_mcpbench.agents.embedding_dispatcher import EmbeddingDispatcher

        try:
            model = self._models.embedder(name)
        except UsageError as error:
            raise UsageError(f"the dispatcher {name!r} is neither {BM25} nor {REGEX} nor a model: {error}") from None
        return EmbeddingDispatcher(model.name, model)


# Dispatchers without a model: they compare the words of the request with names, descriptions and parameters of tools.


class Bm25Dispatcher:
    """Ranking by the index of the lexical agent (docs/explanation/lexical.md) with all words of the request."""

    name = "bm25"

    def __init__(self) -> None:
        self._index: ToolRanking | None = None

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Return a score for each tool; 0 if it shares no word with the request."""
        return self._index_of(tuple(tools)).word_scores(request)

    def _index_of(self, tools: tuple[ToolSpec, ...]) -> ToolRanking:
        """Return the index of these tools, which is cached because most tasks of a suite offer the same tools."""
        if self._index is None or self._index.tools != tools:
            self._index = ToolRanking(tools)
        return self._index


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


PATTERN = "a Python regular expression, looked for in names, descriptions and parameters, without regard to case"
"""Query of a tool search that :class:`PatternDispatcher` ranks."""
_NAME_SCORE = 2.0
"""Score of a tool whose name matches a pattern; one whose other texts match has 1."""


class PatternDispatcher:
    """Ranking by a regular expression that a model writes, as in the tool search of Claude's API.

    Like there, names, descriptions, and names and descriptions of parameters are searched.
    """

    name = REGEX

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
