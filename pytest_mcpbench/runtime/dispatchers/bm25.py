"""The dispatcher without a model: words of the request in names, descriptions and parameters."""

from collections.abc import Sequence

from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.agents.lexical.tool_ranking import ToolIndex


class Bm25Dispatcher:
    """Ranks by the index of the lexical agent (docs/explanation/lexical.md) and the words of the whole request."""

    name = "bm25"

    def __init__(self) -> None:
        self._index: ToolIndex | None = None

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """A tool that no word points to has 0."""
        return self._index_of(tuple(tools)).word_scores(request)

    def _index_of(self, tools: tuple[ToolSpec, ...]) -> ToolIndex:
        """The index of these tools; that of the last ones is kept, as most tasks of a suite offer the same."""
        if self._index is None or self._index.tools != tools:
            self._index = ToolIndex(tools)
        return self._index
