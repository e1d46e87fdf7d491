"""What a dispatcher picked of the tools that there were."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.task import ExpectedCall, SimilarTool
from pytest_mcpbench.core.tool import ToolSpec

NOTE = "dispatcher"
"""Where a run notes it."""


class Dispatch(FrozenModel):
    """The order into which a dispatcher brought the tools, as far as a score needs it."""

    dispatcher: str
    top_k: int = Field(ge=1)
    ranking: tuple[tuple[str, str], ...]
    """Server and own name of every tool that there was, the best first."""

    def rank(self, wanted: ExpectedCall | SimilarTool) -> int | None:
        """The place, from 1, of the tool that a reference means; ``None`` where there was none.

        A reference may name a tool by its own name or by ``<server>_<tool>``; its server counts where several offer it.
        """
        named = [
            (place, server)
            for place, (server, tool) in enumerate(self.ranking, start=1)
            if wanted.tool in (tool, f"{server}_{tool}")
        ]
        of_server = [place for place, server in named if wanted.server in (None, server)]
        if of_server:
            return of_server[0]
        return named[0][0] if len(named) == 1 else None


@dataclass(frozen=True)
class Picked:
    """The tools that are left, in the order in which they were, and what is to be noted."""

    tools: tuple[ToolSpec, ...]
    dispatch: Dispatch


def pick(tools: Sequence[ToolSpec], scores: Sequence[float], *, dispatcher: str, top_k: int) -> Picked:
    """The ``top_k`` tools with the highest scores; of equal ones the first."""
    ranked = [tool for _, tool in sorted(zip(scores, tools, strict=True), key=lambda pair: -pair[0])]
    kept = {tool.name for tool in ranked[:top_k]}
    ranking = tuple((tool.server, tool.tool) for tool in ranked)
    return Picked(
        tools=tuple(tool for tool in tools if tool.name in kept),
        dispatch=Dispatch(dispatcher=dispatcher, top_k=top_k, ranking=ranking),
    )
