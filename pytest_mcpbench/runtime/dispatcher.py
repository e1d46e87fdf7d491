"""Interface of a dispatcher: a request and tools in, one relevance score for each tool out."""

from collections.abc import Sequence
from typing import Protocol

from pytest_mcpbench.core.tool import ToolSpec


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
