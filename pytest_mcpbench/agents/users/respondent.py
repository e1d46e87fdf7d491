"""Respondent of one attempt: it answers the questions that servers ask the user (elicitation)."""

import asyncio
import math
import time
from collections.abc import Awaitable
from typing import TypeVar

import anyio

from pytest_mcpbench.agents.users.dialogue import Dialogue, User
from pytest_mcpbench.core.chat import ChatMessage, ModelSettings
from pytest_mcpbench.core.elicitation import Elicitation, fitting_content, form_fault
from pytest_mcpbench.core.errors import McpBenchError, TaskError
from pytest_mcpbench.core.sampling import Sampling
from pytest_mcpbench.core.suite import place_of
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.models.model import Model

SCRIPT = "script"
Answer = TypeVar("Answer")


class Respondent:
    """User of a task towards its servers: the rules of the task answer, or the model that plays the user does."""

    def __init__(self, task: Task, user: User | None = None, sampler: Model | None = None) -> None:
        self._task = task
        self._user = user
        self._sampler = sampler
        self._dialogue: Dialogue | None = None
        self._clock = anyio.CancelScope()
        # Nobody reads two questions at once, and what a model answers depends on the order.
        self._turn = asyncio.Lock()

    @property
    def is_prepared(self) -> bool:
        """Return whether the task expects questions of servers, or a model answers them."""
        if self._sampler is not None:
            return True
        return bool(self._task.elicit) or (self._task.user is not None and bool(self._task.user.goal))

    def attend(self, dialogue: Dialogue, clock: anyio.CancelScope) -> None:
        """Let the user know the conversation from now on, and stop the agent's clock while the user answers."""
        self._dialogue, self._clock = dialogue, clock

    async def answer(self, asked: Elicitation, *, server: str, tool: str) -> Elicitation:
        """Return the question with the answer of the user.

        Raises:
            TaskError: nobody answers the question, or the answer of a rule does not fit the form.
            ModelError: the model that plays the user failed.
        """
        event = f"server {server!r} asks the user during a call of {tool}"
        answered, seconds = await self._timed(self._answer(asked, event))
        return answered.model_copy(update={"seconds": seconds})

    async def sample(self, asked: Sampling) -> Sampling | None:
        """Return a request for a message with the reply of the model that answers servers; ``None`` without one.

        Raises:
            ModelError: the model failed.
        """
        if self._sampler is None:
            return None
        messages = [ChatMessage(role, text) for role, text in asked.messages]
        settings = ModelSettings(max_output_tokens=asked.max_tokens, temperature=asked.temperature)
        reply, seconds = await self._timed(self._sampler.complete(messages, (), settings))
        return asked.model_copy(
            update={
                "reply": reply.text,
                "model": self._sampler.name,
                "finish_reason": reply.finish_reason,
                "usage": reply.usage,
                "seconds": seconds,
            }
        )

    async def _timed(self, answer: Awaitable[Answer]) -> tuple[Answer, float]:
        """Return an answer and how long it took, during which the agent's clock stands still."""
        async with self._turn:
            started, deadline = time.perf_counter(), self._clock.deadline
            self._clock.deadline = math.inf
            try:
                answered = await answer
            finally:
                seconds = time.perf_counter() - started
                self._clock.deadline = deadline + seconds
        return answered, seconds

    async def _answer(self, asked: Elicitation, event: str) -> Elicitation:
        try:
            expecting = ((index, rule) for index, rule in enumerate(self._task.elicit) if rule.expects(asked))
            index, rule = next(expecting, (0, None))
        except ValueError as error:
            raise self._error(f"{event}, and a rule cannot be searched: {error}.", None) from None
        if rule is not None:
            content = fitting_content(rule.content, asked.fields) if rule.action == "accept" else {}
            if rule.action == "accept" and (fault := form_fault(content, asked.fields)):
                raise self._error(
                    f"{event}: {asked.question!r}, and the answer of the rule does not fit: {fault}.", None, index
                )
            return asked.answered(rule.action, SCRIPT, content)
        if self._dialogue is None:
            self._dialogue = Dialogue(self._task, self._user)
        answered = await self._dialogue.elicited(asked)
        if answered is None:
            problem = f"{event}, and nobody answers: {asked.question!r}."
            raise self._error(problem, f"Expect it, as in `elicit: {_example(asked)}`, or let a model play a `user`.")
        return answered

    def _error(self, problem: str, remedy: str | None, index: int | None = None) -> McpBenchError:
        field = "elicit" if index is None else f"elicit[{index}]"
        return TaskError(problem, place_of(self._task), field, remedy)


def _example(asked: Elicitation) -> str:
    """Return a rule that accepts the question, as the author of a task writes it."""
    if asked.url is not None:
        return "{match: …, action: accept}"
    return f"{{{', '.join(f'{name}: …' for name in asked.field_names)}}}" if asked.field_names else "accept"
