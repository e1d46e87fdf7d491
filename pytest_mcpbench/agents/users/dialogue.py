"""Dialogue of one attempt: the user's messages, asked for as the agent's turns end."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import anyio

from pytest_mcpbench.core.chat import Exchange
from pytest_mcpbench.core.elicitation import Elicitation
from pytest_mcpbench.core.errors import ModelError, TaskError
from pytest_mcpbench.core.simulated_user import ConversationEnd, ScriptedReply
from pytest_mcpbench.core.suite import place_of
from pytest_mcpbench.core.task import Task, Turn
from pytest_mcpbench.core.trajectory import Conversation, Step, UserMessage, said_to_user
from pytest_mcpbench.core.usage import NO_USAGE
from pytest_mcpbench.reporting.forms.number_formats import money
from pytest_mcpbench.text.bounded_pattern import BoundedPattern

# Interface of a user: it reads the conversation so far and writes the next message.


@dataclass(frozen=True)
class UserReply:
    """Next message of a user; one that ends the conversation is not answered, and may be empty."""

    message: UserMessage
    end: ConversationEnd | None = None


class User(Protocol):
    """User of one attempt. It sees what the agent says, never its calls, their results or the reference."""

    @property
    def name(self) -> str:
        """``script``, or the name of the model that plays the user."""
        ...

    @property
    def identity(self) -> str:
        """Everything beside the conversation that determines the messages, as text; empty if they need no model."""
        ...

    async def reply(self, exchanges: Sequence[Exchange]) -> UserReply:
        """Return the message that follows these exchanges, of which there is at least one.

        Raises:
            ModelError: the model that plays the user failed, which says nothing about the agent.
        """
        ...

    async def elicited(self, exchanges: Sequence[Exchange], asked: Elicitation) -> Elicitation | None:
        """Return a server's question with the user's answer; ``None`` if this user answers no questions of servers.

        Args:
            exchanges: The conversation, with the user's last message and an empty reply to it at the end.
            asked: Question of a server.

        Raises:
            ModelError: the model that plays the user failed.
        """
        ...


@dataclass(frozen=True)
class WrappedUser:
    """Base of a user that passes on what another one says."""

    user: User

    @property
    def name(self) -> str:
        """Return the name of the user."""
        return self.user.name

    @property
    def identity(self) -> str:
        """Return the identity of the user."""
        return self.user.identity


# User whose messages the task has written down.


@dataclass(frozen=True)
class FixedUser:
    """User that says the same whatever the agent replies."""

    messages: tuple[str, ...]
    name: str = "task"
    identity: str = ""

    async def reply(self, exchanges: Sequence[Exchange]) -> UserReply:
        """Return the next message, until there is none."""
        if len(exchanges) == len(self.messages):
            return UserReply(UserMessage(text=""), end="turn_limit")
        return UserReply(UserMessage(text=self.messages[len(exchanges)]))

    async def elicited(self, _exchanges: Sequence[Exchange], _asked: Elicitation) -> None:
        """Return ``None``: rules of the task answer servers."""


class Dialogue:
    """Messages of the user in one attempt.

    Args:
        task: Task with the first message.
        user: User that answers; ``None`` if the messages are those of the task.
    """

    def __init__(self, task: Task, user: User | None) -> None:
        if task.user is not None and user is None:
            raise TaskError("nobody plays the user of the task.", place_of(task), "user", "Give the user a `script`.")
        self._task = task
        self._user = user or FixedUser(tuple(turn.user for turn in task.turns))
        self._messages = [UserMessage(text=task.turns[0].user)]
        self._exchanges: list[Exchange] = []
        self._end: ConversationEnd | None = None
        self._elicited = NO_USAGE
        """Usage of the user's answers to servers."""
        self.turns: list[Turn] = [task.turns[0]]
        """Turns that the user has opened."""
        self.seconds = 0.0
        """Time that the user took, which is not the agent's."""

    @property
    def is_open(self) -> bool:
        """Return whether the user may write another message."""
        return self._end is None

    @property
    def record(self) -> Conversation | None:
        """Return what the user said; ``None`` if the messages are those of the task."""
        if self._task.user is None:
            return None
        return Conversation(user=self._user.name, messages=tuple(self._messages), end=self._end)

    async def next_turn(self, said: str) -> Turn | None:
        """Return the turn that the user opens after this text of the agent; ``None`` if the conversation is over.

        A user that answers gives up if the agent says nothing.

        Raises:
            ModelError: the model that plays the user failed.
        """
        self._exchanges.append(Exchange(self._messages[-1].text, said))
        if self._task.user is not None and not said.strip():
            self._end = "gave_up"
            return None
        self._check_budget()
        started = time.perf_counter()
        try:
            reply = await self._user.reply(self._exchanges)
        finally:
            self.seconds += time.perf_counter() - started
        self._messages.append(reply.message)
        index = len(self.turns)
        self._end = reply.end
        if reply.end is None and self._task.user is not None and index >= self._task.user.turns:
            self._end = "turn_limit"
        if self._end is not None:
            return None
        self.turns.append(self._task.turns[index] if index < len(self._task.turns) else Turn(user=reply.message.text))
        return self.turns[-1]

    async def ask(self, last: Step | None, clock: anyio.CancelScope) -> None:
        """Ask for the message that follows a turn with this last step, with the clock of the attempt stopped."""
        deadline, before = clock.deadline, self.seconds
        clock.deadline = math.inf
        try:
            await self.next_turn(said_to_user(last))
        finally:
            clock.deadline = deadline + self.seconds - before

    async def elicited(self, asked: Elicitation) -> Elicitation | None:
        """Return a server's question with the user's answer; ``None`` if the user answers no questions of servers.

        Raises:
            ModelError: the model that plays the user failed.
        """
        self._check_budget()
        started = time.perf_counter()
        try:
            answered = await self._user.elicited([*self._exchanges, Exchange(self._messages[-1].text, "")], asked)
        finally:
            self.seconds += time.perf_counter() - started
        self._elicited += answered.usage if answered is not None else NO_USAGE
        return answered

    def _check_budget(self) -> None:
        """Raise ModelError if the user may not cost more: that says nothing about the agent."""
        limit = self._task.user.cost_usd if self._task.user is not None else None
        if limit is None:
            return
        spent = sum((message.usage for message in self._messages), self._elicited).cost_usd
        if spent is None:
            raise ModelError(
                f"the user may cost ${limit:g}, and what a message of it costs is unknown", self._user.name
            )
        if spent >= limit:
            raise ModelError(f"the user may cost ${limit:g}, and {money(spent)} is spent", self._user.name)


# User that replies by rules, without a model.


@dataclass(frozen=True)
class ScriptedUser:
    """User that gives the reply of the first rule that matches what the agent said; without one they give up."""

    script: tuple[ScriptedReply, ...]
    name: str = "script"
    identity: str = ""

    async def reply(self, exchanges: Sequence[Exchange]) -> UserReply:
        """Return the reply of the first matching rule to the last exchange."""
        said = exchanges[-1].agent
        for rule in self.script:
            if BoundedPattern(rule.match, ignores_case=True).is_found(said):
                return UserReply(UserMessage(text=rule.reply), end=rule.end)
        return UserReply(UserMessage(text=""), end="gave_up")

    async def elicited(self, _exchanges: Sequence[Exchange], _asked: Elicitation) -> None:
        """Return ``None``: rules of the task answer servers."""
