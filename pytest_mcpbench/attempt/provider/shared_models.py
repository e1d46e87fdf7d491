"""Models and judges of a worker that send their requests to the provider process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_mcpbench.attempt.provider.channel import Channel, ProviderUnavailableError
from pytest_mcpbench.attempt.provider.messages import CompleteChat, DecideQuestion, DecideTogether
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.judgement import Question, Verdict
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.judges.prompts import TEMPLATES
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.models.rate_limited_model import RateLimitedModel
from pytest_mcpbench.servers.secret_filter import SecretFilter

_UNAVAILABLE = (
    "the process that asks the models for all workers did not answer ({}); it is started again for later requests"
)


@dataclass(frozen=True)
class SharedModel:
    """Model that the provider process asks."""

    name: str
    requested_name: str
    """Name by which the process looks the model up; unlike :attr:`name`, it may contain a password."""
    channel: Channel

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """Return the model's next message, see :class:`~pytest_mcpbench.models.model.Model`."""
        try:
            command = CompleteChat(self.requested_name, tuple(messages), tuple(tools), settings)
            reply: Reply = await self.channel.send(command)
        except ProviderUnavailableError as error:
            raise ModelError(_UNAVAILABLE.format(error), self.name) from None
        return reply


@dataclass(frozen=True)
class SharedJudge:
    """Judge in the provider process, which caches verdicts for all workers."""

    name: str
    requested_name: str
    channel: Channel
    secrets: SecretFilter
    identity: str = ""

    async def decide(self, question: Question) -> Verdict:
        """Return the verdict on a question, see :class:`~pytest_mcpbench.core.judgement.Judge`."""
        try:
            verdict: Verdict = await self.channel.send(
                DecideQuestion(self.requested_name, question, self.secrets.secrets)
            )
        except ProviderUnavailableError as error:
            version = TEMPLATES[question.kind].version
            return Verdict(label=None, judge=self.name, prompt_version=version, error=_UNAVAILABLE.format(error))
        return verdict

    async def decide_together(self, questions: Sequence[Question], context: Mapping[str, str]) -> list[Verdict]:
        """Return the verdicts on several questions, see :class:`~pytest_mcpbench.core.judgement.GroupJudge`."""
        command = DecideTogether(self.requested_name, tuple(questions), dict(context), self.secrets.secrets)
        try:
            verdicts: list[Verdict] = await self.channel.send(command)
        except ProviderUnavailableError:
            return [await self.decide(question) for question in questions]
        return verdicts


class SharedModels(Models):
    """Models of one worker, all of which share one channel to the provider process.

    Names are resolved in the worker, so that an unknown name is reported there, where the user sees the error.
    """

    def __init__(self, aliases: Mapping[str, Any], address: Path, secrets: SecretFilter | None = None) -> None:
        super().__init__(aliases)
        self._secrets = secrets or SecretFilter()
        self._channel = Channel(address)

    def judge(self, name: str) -> SharedJudge | None:
        """Return the judge with that model; ``None`` for a model that runs in this process, such as a script."""
        model = self.get(name)
        if not isinstance(model, SharedModel):
            return None
        return SharedJudge(model.name, model.requested_name, model.channel, self._secrets, self.identity(name))

    async def aclose(self) -> None:
        await self._channel.close()
        await super().aclose()

    def _make(self, name: str) -> Model:
        model = self._connect(name)
        # Only models that are paced by a limiter are shared; a script is cheap, and its position is the worker's own.
        if not isinstance(model, RateLimitedModel):
            return self._in_tool_format(name, model)
        # The provider process finds out the tool format once for all workers.
        return SharedModel(model.name, name, self._channel)
