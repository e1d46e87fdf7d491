"""Judge that asks a language model."""

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import anyio

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings
from pytest_mcpbench.core.errors import McpBenchError, ModelError
from pytest_mcpbench.core.judgement import POINTS, Question, Verdict
from pytest_mcpbench.core.secrets import NO_SECRETS
from pytest_mcpbench.core.thoughts import without_thoughts
from pytest_mcpbench.core.usage import NO_USAGE, Usage
from pytest_mcpbench.judges.cache import VerdictCache
from pytest_mcpbench.judges.prompts import (
    GROUP_VERSION,
    MOST_CHARACTERS,
    TEMPLATES,
    group_reply_schema,
    group_system_prompt,
    group_user_prompt,
    reminder,
    reply_schema,
    system_prompt,
    user_prompt,
)
from pytest_mcpbench.models.chat_request import RequestForms
from pytest_mcpbench.models.model import Model

# Parser of a judge's reply: JSON, JSON inside other text, or plain text with one label.

_MOST_CHARACTERS_OF_REASON = 1000
_MOST_OBJECTS = 1000
"""Opening braces of a reply at which JSON is looked for."""
_LABELLED = re.compile(r"^[^\w\n]*+(?:label|verdict)\W++(\w[\w ]*+)[^\w\n]*+$", re.IGNORECASE | re.MULTILINE)
"""A line with nothing but a label."""


class JudgeReply(NamedTuple):
    """Label and reason from a reply."""

    label: str
    reason: str


def parse_reply(text: str, question: Question) -> JudgeReply | None:
    """Return the label and the reason, or ``None`` if the reply has no label of the question or several.

    Labels in the judge's thoughts do not count.
    """
    said = without_thoughts(text)
    objects: list[JudgeReply] = []
    decoder = json.JSONDecoder()
    end_of_last = 0
    for start in (match.start() for match in islice(re.finditer(r"\{", said), _MOST_OBJECTS)):
        if start < end_of_last:
            continue
        try:
            value, end = decoder.raw_decode(said, start)
        except (ValueError, RecursionError):
            continue
        label = _label(value.get("label"), question)
        if label is not None:
            end_of_last = end
            objects.append(
                JudgeReply(label, NO_SECRETS.shorten(str(value.get("reason", "")), _MOST_CHARACTERS_OF_REASON))
            )
    if not objects:
        written = _LABELLED.findall(said)
        labels = {label for label in (_label(one, question) for one in written) if label} or _labels_in(said, question)
        if len(labels) != 1:
            return None
        return JudgeReply(labels.pop(), NO_SECRETS.shorten(" ".join(said.split()), _MOST_CHARACTERS_OF_REASON))
    return objects[0] if len({each.label for each in objects}) == 1 else None


def parse_group_reply(text: str, questions: Sequence[Question]) -> Iterator[tuple[Question, JudgeReply]]:
    """Yield each question with the label and the reason that the reply gives under its number, if there is one label.

    A reply to a single question needs no number.
    """
    if len(questions) == 1 and (alone := parse_reply(text, questions[0])) is not None:
        yield questions[0], alone
        return
    found: dict[int, list[JudgeReply]] = {}
    said = without_thoughts(text)
    decoder = json.JSONDecoder()
    # The objects may stand in a list, in another object or in text: each is read where it begins.
    for start in (match.start() for match in islice(re.finditer(r"\{", said), _MOST_OBJECTS)):
        try:
            item, _ = decoder.raw_decode(said, start)
        except (ValueError, RecursionError):
            continue
        number = item.get("number")
        if isinstance(number, int) and 1 <= number <= len(questions):
            label = _label(item.get("label"), questions[number - 1])
            if label is not None:
                reason = NO_SECRETS.shorten(str(item.get("reason", "")), _MOST_CHARACTERS_OF_REASON)
                found.setdefault(number, []).append(JudgeReply(label, reason))
    for number, question in enumerate(questions, 1):
        replies = found.get(number, [])
        if len({reply.label for reply in replies}) == 1:
            yield question, replies[0]


def _labels_in(text: str, question: Question) -> set[str]:
    """Return the labels that the text contains as words; ``not_fulfilled`` does not also count as ``fulfilled``."""
    longest_first = sorted(question.labels, key=len, reverse=True)
    pattern = "|".join(re.escape(label).replace("_", r"[_\s-]") for label in longest_first)
    found = re.findall(rf"(?<![\w-])({pattern})(?![\w-])", text, re.IGNORECASE)
    return {label for label in (_label(one, question) for one in found) if label}


def _label(written: object, question: Question) -> str | None:
    if not isinstance(written, str):
        return None
    plain = re.sub(r"[\s-]+", "_", written.strip().lower())
    return next((label for label in question.labels if label.lower() == plain), None)


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
            stored = self._stored_verdict(question)
            if stored is not None:
                return stored
            verdict = await self._verdict_of_model(question)
            self._store(question, verdict)
            return verdict

    async def decide_together(self, questions: Sequence[Question], context: Mapping[str, str]) -> list[Verdict]:
        """Return the verdicts on questions about one attempt, asked in one request.

        Stored verdicts are reused, and the others are stored, whether the questions are asked alone or together.
        A question that the reply leaves out is asked alone.
        """
        found = {question.key: self._stored_verdict(question) for question in questions}
        left = tuple(question for question in questions if found[question.key] is None)
        usage = NO_USAGE
        if left:
            async with self._limiter():
                replied, usage = await self._request_together(left, context)
            found |= replied
        verdicts = [found[question.key] or await self.decide(question) for question in questions]
        first = next((i for i, question in enumerate(questions) if question in left), 0)
        # The request is paid once; its usage stands in the first verdict that it was sent for.
        verdicts[first] = verdicts[first].model_copy(update={"usage": usage + verdicts[first].usage})
        return verdicts

    async def _request_together(
        self, questions: Sequence[Question], context: Mapping[str, str]
    ) -> tuple[dict[str, Verdict], Usage]:
        """Return the verdicts of one reply by key, and its usage; none of a request that fails."""
        messages = [
            ChatMessage(role="system", text=group_system_prompt(questions)),
            ChatMessage(role="user", text=group_user_prompt(questions, context, self.most_characters)),
        ]
        schema = group_reply_schema(questions)
        try:
            reply = await self._forms.complete(self.model, messages, functools.partial(_settings, schema=schema))
        except McpBenchError:
            return {}, NO_USAGE
        verdicts: dict[str, Verdict] = {}
        for question, parsed in parse_group_reply(reply.text, questions):
            verdict = self._verdict(question, NO_USAGE, label=parsed.label, reason=parsed.reason)
            version = f"{verdict.prompt_version} {GROUP_VERSION}"
            verdicts[question.key] = verdict.model_copy(update={"prompt_version": version})
            self._store(question, verdicts[question.key])
        return verdicts, reply.usage

    def _stored_verdict(self, question: Question) -> Verdict | None:
        version = TEMPLATES[question.kind].version
        stored = self.cache.get(self.identity or self.name, version, question) if self.cache is not None else None
        return None if stored is None else stored.model_copy(update={"judge": self.name})

    def _store(self, question: Question, verdict: Verdict) -> None:
        if self.cache is not None:
            version = TEMPLATES[question.kind].version
            self.cache.put(question, verdict, judge=self.identity or self.name, prompt_version=version)

    async def _verdict_of_model(self, question: Question) -> Verdict:
        async with self._limiter():
            messages = [
                ChatMessage(role="system", text=system_prompt(question)),
                ChatMessage(role="user", text=user_prompt(question, self.most_characters)),
            ]
            last_reply, usage = "", NO_USAGE
            for _ in range(1 + RETRIES):
                try:
                    reply = await self._forms.complete(
                        self.model, messages, functools.partial(_settings, schema=reply_schema(question))
                    )
                except McpBenchError as error:
                    is_refused = isinstance(error, ModelError) and error.is_refused
                    return self._verdict(question, usage, error=str(error)).model_copy(
                        update={"is_refused": is_refused}
                    )
                usage += reply.usage
                parsed = parse_reply(reply.text, question)
                if parsed is not None:
                    return self._verdict(question, usage, label=parsed.label, reason=parsed.reason)
                last_reply = reply.text
                messages += [
                    ChatMessage(role="assistant", text=last_reply),
                    ChatMessage(role="user", text=reminder(question)),
                ]
            shown = NO_SECRETS.shorten(last_reply, 200)
            problem = f"no label could be read from {1 + RETRIES} replies; the last was {shown!r}"
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


def _settings(form: str, schema: Mapping[str, Any]) -> ModelSettings:
    """Return temperature 0 with the schema (``schema``), temperature 0 alone (``plain``), or neither (``bare``)."""
    return ModelSettings(
        temperature=None if form == "bare" else 0.0,
        extra={"response_format": schema} if form == "schema" else {},
    )
