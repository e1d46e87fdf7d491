"""Dispatchers, which rank tools for a request, by name."""

from collections.abc import Callable, Sequence
from typing import Protocol

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.models.factory import Models

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
PATTERN = "a Python regular expression, looked for in names, descriptions and parameters, without regard to case"
"""Query of a tool search whose model writes a pattern."""


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

    def get_search(self, name: str) -> Dispatcher:
        """Return the dispatcher of a tool search: with ``regex``, the request is a pattern and no text."""
        if name != REGEX:
            return self.get(name)
        from pytest_mcpbench.agents.word_dispatchers import PatternDispatcher

        return PatternDispatcher()

    async def aclose(self) -> None:
        """Close the connections of models that no other owner closes."""
        if self._owns_models:
            await self._models.aclose()

    def _create(self, name: str) -> Dispatcher:
        if (other := self._others(name)) is not None:
            return other
        # Imported here: only runs with this kind of dispatcher need it.
        if name in LEXICAL:
            from pytest_mcpbench.agents.word_dispatchers import Bm25Dispatcher, RegexDispatcher

            return Bm25Dispatcher() if name == BM25 else RegexDispatcher()
        from pytest_mcpbench.agents.embedding_dispatcher import EmbeddingDispatcher

        try:
            model = self._models.embedder(name)
        except UsageError as error:
            raise UsageError(f"the dispatcher {name!r} is neither {BM25} nor {REGEX} nor a model: {error}") from None
        return EmbeddingDispatcher(model.name, model)
