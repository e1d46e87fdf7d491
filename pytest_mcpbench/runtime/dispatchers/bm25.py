"""Dispatcher without a model: it compares the words of the request with names, descriptions and parameters of tools."""

from collections.abc import Sequence

from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.agents.lexical.tool_ranking import ToolIndex


class Bm25Dispatcher:
    """Ranking by the index of the lexical agent (docs/explanation/lexical.md) with all words of the request."""

    name = "bm25"

    def __init__(self) -> None:
        self._index: ToolIndex | None = None

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Return a score for each tool; 0 if it shares no word with the request."""
        return self._index_of(tuple(tools)).word_scores(request)

    def _index_of(self, tools: tuple[ToolSpec, ...]) -> ToolIndex:
        """Return the index of these tools, which is cached because most tasks of a suite offer the same tools."""
        if self._index is None or self._index.tools != tools:
            self._index = ToolIndex(tools)
        return self._index
