"""The dispatcher without a model: words of the request in names, descriptions and parameters."""

from collections.abc import Sequence

from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.agents.lexical.choice import Toolbox


class Bm25Dispatcher:
    """Ranks by the index of the lexical agent (docs/explanation/lexical.md) and the words of the whole request."""

    name = "bm25"

    def __init__(self) -> None:
        self._toolbox: Toolbox | None = None

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """A tool that no word points to has 0."""
        return self._toolbox_of(tuple(tools)).word_scores(request)

    def _toolbox_of(self, tools: tuple[ToolSpec, ...]) -> Toolbox:
        """The index of these tools; that of the last ones is kept, as most tasks of a suite offer the same."""
        if self._toolbox is None or self._toolbox.tools != tools:
            self._toolbox = Toolbox(tools)
        return self._toolbox
