"""What a dispatcher is to the rest: a request and tools in, a score for each tool out."""

from collections.abc import Sequence
from typing import Protocol

from pytest_mcpbench.core.tool import ToolSpec


class Dispatcher(Protocol):
    """Says which tools a request is about (MCPToolBench++ 3.1); one for many requests at once."""

    @property
    def name(self) -> str:
        """As the user wrote it, without what is secret in a URL."""
        ...

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """How well each tool fits, in the order of the tools; of whatever scale, higher is better.

        Raises:
            ModelError: a model was to be asked and could not.
        """
        ...
