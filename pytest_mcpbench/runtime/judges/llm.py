"""Judge that asks a language model."""

import functools
from dataclasses import dataclass, field

import anyio

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings
from pytest_mcpbench.core.errors import McpBenchError
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
from pytest_mcpbench.runtime.judges.reply import parse_reply
from pytest_mcpbench.runtime.model import Model
from pytest_mcpbench.runtime.models.request_forms import RequestForms

RETRIES = 2
"""Number of further requests after a reply that cannot be read."""


@dataclass
class LlmJudge:
    """Judge that requests a JSON object with a label from a model at temperature 0; plain text is read too.

    Requests carry a JSON schema and a temperature until the provider rejects them. A reply that cannot be read is
    requested again up to :data:`RETRIES` times. A failure becomes a verdict with an error, never an exception.
    """

    model: Model
    cache: VerdictCache | None = None
    concurrency: int = 8
    """Largest number of simultaneous requests."""
    identity: str = ""
    """Model, address and settings behind the name, by which verdicts are stored; by default the name."""
    most_characters: int = MOST_CHARACTERS
    """Length to which the evidence is shortened."""
    _forms: RequestForms = field(
        default_factory=lambda: RequestForms("schema", "plain", "bare"), init=False, repr=False
    )
    _locks: dict[str, anyio.Lock] = field(default_factory=dict, init=False, repr=False)
    """Locks by the key of the question."""
    _capacity: anyio.CapacityLimiter | None = field(default=None, init=False, repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    async def decide(self, question: Question) -> Verdict:
        if self.cache is None:
            return await self._verdict_of_model(question)
        # One request at a time: a second task with the same question then finds the stored verdict.
        async with self._locks.setdefault(question.key, anyio.Lock()):
            identity = self.identity or self.name
            stored = self.cache.get(identity, TEMPLATES[question.kind].version, question)
            if stored is not None:
                return stored.model_copy(update={"judge": self.name})
            verdict = await self._verdict_of_model(question)
            self.cache.put(question, verdict, judge=identity)
            return verdict

    async def _verdict_of_model(self, question: Question) -> Verdict:
        async with self._limiter():
            return await self._request_verdict(question)

    async def _request_verdict(self, question: Question) -> Verdict:
        messages = [
            ChatMessage(role="system", text=system_prompt(question)),
            ChatMessage(role="user", text=user_prompt(question, self.most_characters)),
        ]
        last_reply, usage = "", NO_USAGE
        for _ in range(1 + RETRIES):
            try:
                reply = await self._forms.complete(
                    self.model, messages, functools.partial(_settings, question=question)
                )
            except McpBenchError as error:
                return self._verdict(question, usage, error=str(error))
            usage += reply.usage
            parsed = parse_reply(reply.text, question)
            if parsed is not None:
                return self._verdict(question, usage, label=parsed.label, reason=parsed.reason)
            last_reply = reply.text
            messages += [
                ChatMessage(role="assistant", text=last_reply),
                ChatMessage(role="user", text=reminder(question)),
            ]
        problem = f"no label could be read from {1 + RETRIES} replies; the last was {last_reply[:200]!r}"
        return self._verdict(question, usage, error=problem)

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
        # Created on first use, because a limiter belongs to the event loop in which it is created.
        if self._capacity is None:
            self._capacity = anyio.CapacityLimiter(self.concurrency)
        return self._capacity


def _settings(form: str, question: Question) -> ModelSettings:
    """Return temperature 0 with the schema (``schema``), temperature 0 alone (``plain``), or neither (``bare``)."""
    return ModelSettings(
        temperature=None if form == "bare" else 0.0,
        extra={"response_format": reply_schema(question)} if form == "schema" else {},
    )
