"""Dispatcher whose scores are recorded on a tape, or come from one."""

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.cassettes.recording import RecordingTape
from pytest_mcpbench.runtime.cassettes.replaying import ReplayingTape
from pytest_mcpbench.runtime.dispatcher import Dispatcher


@dataclass(frozen=True)
class RecordedDispatcher:
    """Dispatcher that records its scores."""

    dispatcher: Dispatcher
    tape: RecordingTape

    @property
    def name(self) -> str:
        return self.dispatcher.name

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Ask the dispatcher and record its scores."""
        scores = await self.dispatcher.scores(request, tools)
        self.tape.add_scores(self.name, request, tools, scores)
        return scores


@dataclass(frozen=True)
class ReplayedDispatcher:
    """Dispatcher whose model is never asked."""

    name: str
    tape: ReplayingTape

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Return the recorded scores. Raises CassetteError if there are none."""
        return self.tape.scores(self.name, request, tools)
