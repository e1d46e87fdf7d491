"""Models and judges of a worker, which the run's provider process asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.runtime.judges.prompts import TEMPLATES
from pytest_mcpbench.runtime.model import Model
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.models.paced import PacedModel
from pytest_mcpbench.runtime.provider.channel import Channel, ProviderUnavailableError
from pytest_mcpbench.runtime.provider.messages import Complete, Decide

_GONE = "the process that asks the models for all workers did not answer ({}); it is started again for later requests"


@dataclass(frozen=True)
class SharedModel:
    """A model that the provider process asks."""

    name: str
    asked_for: str
    """The user's name, by which the process knows it; may hold a password, unlike :attr:`name`."""
    channel: Channel

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        try:
            request = Complete(self.asked_for, tuple(messages), tuple(tools), settings)
            reply: Reply = await self.channel.ask(request)
        except ProviderUnavailableError as error:
            raise ModelError(_GONE.format(error), self.name) from None
        return reply


@dataclass(frozen=True)
class SharedJudge:
    """A judge in the provider process, where verdicts are kept for all workers."""

    name: str
    asked_for: str
    channel: Channel

    async def decide(self, question: Question) -> Verdict:
        try:
            verdict: Verdict = await self.channel.ask(Decide(self.asked_for, question))
        except ProviderUnavailableError as error:
            version = TEMPLATES[question.kind].version
            return Verdict(label=None, judge=self.name, prompt_version=version, error=_GONE.format(error))
        return verdict


class SharedModels(Models):
    """The models of one worker. Names are resolved here, so that wrong ones are refused where the user sees it."""

    def __init__(self, aliases: Mapping[str, Any], address: Path) -> None:
        super().__init__(aliases)
        self._channel = Channel(address)

    def remote_judge(self, name: str) -> SharedJudge | None:
        """Return the provider's judge with that model; ``None`` for a model of this process, such as a script."""
        model = self.get(name)
        return SharedJudge(model.name, model.asked_for, model.channel) if isinstance(model, SharedModel) else None

    async def aclose(self) -> None:
        await self._channel.close()
        await super().aclose()

    def _make(self, name: str) -> Model:
        model = super()._make(name)
        return SharedModel(model.name, name, self._channel) if isinstance(model, PacedModel) else model
