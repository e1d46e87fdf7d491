"""A language model as a judge."""

from dataclasses import dataclass, field

import anyio

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import McpBenchError, ModelError
from pytest_mcpbench.core.judgement import POINTS, Question, Verdict
from pytest_mcpbench.core.trajectory import NO_USAGE, Usage
from pytest_mcpbench.runtime.judges.cache import VerdictCache
from pytest_mcpbench.runtime.judges.prompts import (
    MOST_CHARACTERS,
    TEMPLATES,
    reminder,
    reply_schema,
    system_prompt,
    user_prompt,
)
from pytest_mcpbench.runtime.judges.reply import read_reply
from pytest_mcpbench.runtime.model import Model

RETRIES = 2
"""How often a model is asked again after a reply that cannot be read."""

_REFUSED = frozenset({400, 404, 415, 422, 501})
"""Statuses with which a provider refuses a request that it does not understand."""


@dataclass
class LlmJudge:
    """Asks a model at temperature 0 for a JSON object with a label; reads plain text where there is no JSON.

    The provider's JSON schema is used until it is refused, and likewise the temperature. What cannot be read is asked
    again :data:`RETRIES` times. Whatever fails becomes a verdict with an error, never an exception.
    """

    model: Model
    cache: VerdictCache | None = None
    concurrency: int = 8
    """How many questions are with the model at once."""
    most_characters: int = MOST_CHARACTERS
    """Of the evidence that is shown."""
    _forms: list[str] = field(default_factory=lambda: ["schema", "plain", "bare"], init=False, repr=False)
    _turns: dict[str, anyio.Lock] = field(default_factory=dict, init=False, repr=False)
    """By the question's key."""
    _places: anyio.CapacityLimiter | None = field(default=None, init=False, repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    async def decide(self, question: Question) -> Verdict:
        if self.cache is None:
            return await self._asked(question)
        # One at a time: who asks the same meanwhile finds the verdict kept.
        async with self._turns.setdefault(question.key, anyio.Lock()):
            kept = self.cache.get(self.name, TEMPLATES[question.kind].version, question)
            if kept is not None:
                return kept
            verdict = await self._asked(question)
            self.cache.put(question, verdict)
            return verdict

    async def _asked(self, question: Question) -> Verdict:
        async with self._limiter():
            return await self._read(question)

    async def _read(self, question: Question) -> Verdict:
        messages = [
            ChatMessage(role="system", text=system_prompt(question)),
            ChatMessage(role="user", text=user_prompt(question, self.most_characters)),
        ]
        said, usage = "", NO_USAGE
        for _ in range(1 + RETRIES):
            try:
                reply = await self._complete(messages, question)
            except McpBenchError as error:
                return self._verdict(question, usage, error=str(error))
            usage += reply.usage
            read = read_reply(reply.text, question)
            if read is not None:
                return self._verdict(question, usage, label=read.label, reason=read.reason)
            said = reply.text
            messages += [ChatMessage(role="assistant", text=said), ChatMessage(role="user", text=reminder(question))]
        problem = f"no label could be read from {1 + RETRIES} replies; the last was {said[:200]!r}"
        return self._verdict(question, usage, error=problem)

    async def _complete(self, messages: list[ChatMessage], question: Question) -> Reply:
        """The reply to the fullest form of the request that the provider takes."""
        while True:
            form = self._forms[0]
            try:
                return await self.model.complete(messages, (), _settings(form, question))
            except ModelError as error:
                if error.status not in _REFUSED or form == "bare":
                    raise
                # Another question may have found out the same in the meantime.
                if self._forms[0] == form:
                    self._forms.pop(0)

    def _verdict(
        self, question: Question, usage: Usage, *, label: str | None = None, reason: str = "", error: str | None = None
    ) -> Verdict:
        return Verdict(
            label=label,
            score=POINTS.get(label) if label else None,
            reason=reason,
            judge=self.name,
            prompt_version=TEMPLATES[question.kind].version,
            error=error,
            usage=usage,
        )

    def _limiter(self) -> anyio.CapacityLimiter:
        # Made when first needed: it belongs to the loop that it is made in.
        if self._places is None:
            self._places = anyio.CapacityLimiter(self.concurrency)
        return self._places


def _settings(form: str, question: Question) -> ModelSettings:
    """``schema``: temperature 0 with the reply's schema; ``plain``: temperature 0; ``bare``: neither."""
    return ModelSettings(
        temperature=None if form == "bare" else 0.0,
        extra={"response_format": reply_schema(question)} if form == "schema" else {},
    )
