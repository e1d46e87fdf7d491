"""Questions of stages to a model, whose replies are read into values, stored and counted."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

import anyio
from pydantic import BaseModel, ValidationError

from pytest_mcpbench.core.chat import CUT_OFF, ChatMessage, ModelSettings
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.files.line_file import first_fault
from pytest_mcpbench.generation.pipeline.reply_cache import ReplyCache, question_key
from pytest_mcpbench.generation.pipeline.stages import Stage
from pytest_mcpbench.models.chat_request import RequestForms
from pytest_mcpbench.models.model import Model

RETRIES = 2
"""Number of further requests after a reply that cannot be read."""
_MOST_OBJECTS = 1000
"""Number of opening braces in a reply at which JSON may begin."""

Value = TypeVar("Value", bound=BaseModel)


class UnreadableReplyError(McpBenchError):
    """Several replies in a row that do not have the requested form. The candidate is dropped, and the run continues."""

    kind = "model"


@dataclass
class Questions:
    """The model that the stages of a run ask.

    Replies come from the cache if the same question was asked before. If a reply does not have the requested form, the
    model is asked again and told what is wrong.
    """

    model: Model
    cache: ReplyCache
    identity: str = ""
    """Model, address and settings behind the name, by which replies are stored; by default the name."""
    seed: int = 0
    most_reply_tokens: int | None = None
    """Tokens after which a reply is cut off, for small models, which otherwise may never end one."""
    asked: int = 0
    """Number of requests to the model."""
    _forms: RequestForms = field(
        default_factory=lambda: RequestForms("schema", "plain", "bare"), init=False, repr=False
    )
    _locks: dict[str, anyio.Lock] = field(default_factory=dict, init=False, repr=False)
    """Locks of the questions by their keys."""

    async def ask(
        self, instructions: str, prompt: str, reply: type[Value], schema: dict[str, Any] | None = None
    ) -> Value:
        """Return the model's reply.

        Args:
            instructions: System prompt.
            prompt: The question.
            reply: Form of the reply.
            schema: JSON schema that is sent along; by default that of the form.

        Raises:
            UnreadableReplyError: no reply has the form.
            BudgetError: the budget of the cache is used up.
            ModelError: the provider did not return a usable reply.
        """
        schema = schema or _without_titles(reply.model_json_schema())
        form = (
            "Reply with one JSON object in one line that fits this schema, and nothing else:\n"
            f"{json.dumps(schema, ensure_ascii=False)}"
        )
        messages = [ChatMessage("system", f"{instructions}\n\n{form}"), ChatMessage("user", prompt)]
        problem = ""
        for _ in range(1 + RETRIES):
            text = await self._text(messages, schema)
            value, problem = read_reply(text, reply)
            if value is not None:
                return value
            messages += [ChatMessage("assistant", text or "(empty)"), ChatMessage("user", f"{problem}. {form}")]
        raise UnreadableReplyError(f"{1 + RETRIES} replies of {self.model.name} in a row; of the last one, {problem}")

    async def _text(self, messages: list[ChatMessage], schema: dict[str, Any]) -> str:
        key = question_key(self.identity or self.model.name, self.seed, [each.text for each in messages])
        # Candidates with the same question at the same time wait for the first one's reply.
        async with self._locks.setdefault(key, anyio.Lock()):
            stored = self.cache.get(key)
            if stored is not None:
                return stored
            self.cache.check_budget(self.model.name)
            reply = await self._forms.complete(self.model, messages, lambda form: self._settings(form, schema))
            self.asked += 1
            text = "" if reply.finish_reason in CUT_OFF else reply.text
            self.cache.put(key, prompt=messages[-1].text, reply=text, usage=reply.usage)
            return text

    @property
    def usage(self) -> Usage:
        """Return the usage of all replies in the work directory."""
        return self.cache.usage

    def _settings(self, form: str, schema: dict[str, Any]) -> ModelSettings:
        """Return temperature 0 with the schema (``schema``), temperature 0 alone (``plain``), or neither (``bare``)."""
        described = {"name": "reply", "strict": False, "schema": schema}
        return ModelSettings(
            temperature=None if form == "bare" else 0.0,
            seed=None if form == "bare" else self.seed,
            max_output_tokens=self.most_reply_tokens,
            extra={"response_format": {"type": "json_schema", "json_schema": described}} if form == "schema" else {},
        )


def _without_titles(schema: Any) -> Any:
    """Return a schema without the titles that pydantic makes of the names, which tell a model nothing."""
    if isinstance(schema, list):
        return [_without_titles(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    # A property may be called "title"; its schema is no text.
    return {
        name: _without_titles(part) for name, part in schema.items() if name != "title" or not isinstance(part, str)
    }


def read_reply(text: str, reply: type[Value]) -> tuple[Value | None, str]:
    """Return the first JSON object in a text that fits a form, or ``None`` and what is wrong."""
    problem = "it contains no JSON object"
    decoder = json.JSONDecoder()
    for match in islice(re.finditer(r"\{", text), _MOST_OBJECTS):
        try:
            value = decoder.raw_decode(text, match.start())[0]
        except (ValueError, RecursionError):
            continue
        try:
            return reply.model_validate(value), ""
        except ValidationError as error:
            problem = first_fault(error)
    return None, problem


# Estimate of the questions to a model, before the first one is asked.


@dataclass(frozen=True)
class GenerationEstimate:
    """Questions of the stages that remain, if none of them drops a candidate."""

    questions: float
    prompt_tokens: float
    reply_tokens: float
    cost_usd: float | None
    """``None`` if the price is unknown."""

    @property
    def sentence(self) -> str:
        """Return the estimate in words."""
        cost = "at an unknown price" if self.cost_usd is None else f"about ${self.cost_usd:.2f}"
        tokens = f"{self.prompt_tokens:,.0f} tokens to read and {self.reply_tokens:,.0f} to write"
        return f"about {self.questions:,.0f} questions, {tokens}, {cost}"


def estimate(stages: Sequence[Stage], candidates: int, cost: Callable[[Usage], float | None]) -> GenerationEstimate:
    """Return the estimate for a number of candidates; ``cost`` returns the USD of one request."""
    questions, read, written, costs = 0.0, 0.0, 0.0, []
    for asks in (stage.asks for stage in stages if stage.asks):
        count = asks.questions * (candidates if asks.candidates is None else asks.candidates)
        questions += count
        read += count * asks.prompt_tokens
        written += count * asks.reply_tokens
        one = cost(Usage(input_tokens=round(asks.prompt_tokens), output_tokens=round(asks.reply_tokens)))
        costs.append(None if one is None else one * count)
    known = [each for each in costs if each is not None]
    return GenerationEstimate(questions, read, written, sum(known) if len(known) == len(costs) else None)
