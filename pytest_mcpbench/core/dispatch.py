"""Selection of tools by a dispatcher."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.task import ExpectedCall, SimilarTool
from pytest_mcpbench.core.tool import ToolSpec


class Dispatch(FrozenModel):
    """Ranking of the available tools by a dispatcher."""

    dispatcher: str
    top_k: int = Field(ge=1)
    ranking: tuple[tuple[str, str], ...]
    """Server and the server's own name of every available tool, best first."""

    def rank(self, reference: ExpectedCall | SimilarTool) -> int | None:
        """Return the rank, from 1, of the referenced tool; ``None`` if it was not available.

        A reference may use the server's own name of the tool or ``<server>_<tool>``. Its server matters only if several
        servers offer the tool.
        """
        named = [
            (place, server)
            for place, (server, tool) in enumerate(self.ranking, start=1)
            if reference.tool in (tool, f"{server}_{tool}")
        ]
        of_server = [place for place, server in named if reference.server in (None, server)]
        if of_server:
            return of_server[0]
        return named[0][0] if len(named) == 1 else None


@dataclass(frozen=True)
class ToolSelection:
    """Selected tools in their original order, with the ranking behind the selection."""

    tools: tuple[ToolSpec, ...]
    dispatch: Dispatch


def select_tools(tools: Sequence[ToolSpec], scores: Sequence[float], *, dispatcher: str, top_k: int) -> ToolSelection:
    """Select the ``top_k`` tools with the highest scores; ties go to the earlier tool."""
    ranked = [tool for _, tool in sorted(zip(scores, tools, strict=True), key=lambda pair: -pair[0])]
    kept = {tool.name for tool in ranked[:top_k]}
    ranking = tuple((tool.server, tool.tool) for tool in ranked)
    return ToolSelection(
        tools=tuple(tool for tool in tools if tool.name in kept),
        dispatch=Dispatch(dispatcher=dispatcher, top_k=top_k, ranking=ranking),
    )
