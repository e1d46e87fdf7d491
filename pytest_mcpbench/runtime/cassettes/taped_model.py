"""Model whose replies are recorded on a tape, or come from one."""

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.cassettes.recording import RecordingTape
from pytest_mcpbench.runtime.cassettes.replaying import ReplayingTape
from pytest_mcpbench.runtime.cassettes.requests import ModelRequest
from pytest_mcpbench.runtime.model import Model


@dataclass(frozen=True)
class RecordedModel:
    """Model that records each reply."""

    model: Model
    tape: RecordingTape

    @property
    def name(self) -> str:
        return self.model.name

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """Ask the model and record its reply."""
        # Before the model is asked: the agent goes on to append to its list of messages.
        request = ModelRequest.of(self.tape.ref.model, messages, tools, settings)
        reply = await self.model.complete(messages, tools, settings)
        self.tape.add_reply(request, reply)
        return reply


@dataclass(frozen=True)
class ReplayedModel:
    """Model that is never asked."""

    name: str
    tape: ReplayingTape

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """Return the recorded reply. Raises CassetteError if there is none."""
        return self.tape.reply(ModelRequest.of(self.tape.ref.model, messages, tools, settings))
