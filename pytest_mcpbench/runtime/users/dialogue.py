"""Dialogue of one attempt: the user's messages, asked for as the agent's turns end."""

import math
import time

import anyio

from pytest_mcpbench.core.conversation import Exchange
from pytest_mcpbench.core.errors import ModelError, TaskError
from pytest_mcpbench.core.simulated_user import ConversationEnd
from pytest_mcpbench.core.task import Task, Turn
from pytest_mcpbench.core.task_place import place_of
from pytest_mcpbench.core.trajectory import NO_USAGE, Conversation, Step, UserMessage, said_to_user
from pytest_mcpbench.runtime.user import User, UserReply
from pytest_mcpbench.runtime.users.fixed import FixedUser


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
        reply = await self._timed_reply()
        self._messages.append(reply.message)
        self._end = reply.end or self._turn_limit()
        if self._end is not None:
            return None
        self.turns.append(self._turn(reply.message.text))
        return self.turns[-1]

    async def ask(self, last: Step | None, clock: anyio.CancelScope) -> None:
        """Ask for the message that follows a turn with this last step, with the clock of the attempt stopped."""
        deadline, before = clock.deadline, self.seconds
        clock.deadline = math.inf
        try:
            await self.next_turn(said_to_user(last))
        finally:
            clock.deadline = deadline + self.seconds - before

    def _turn_limit(self) -> ConversationEnd | None:
        """Return the end of a conversation whose user has opened all turns that the task grants."""
        user = self._task.user
        return "turn_limit" if user is not None and len(self.turns) >= user.turns else None

    async def _timed_reply(self) -> UserReply:
        self._check_budget()
        started = time.perf_counter()
        try:
            return await self._user.reply(self._exchanges)
        finally:
            self.seconds += time.perf_counter() - started

    def _check_budget(self) -> None:
        """Raise ModelError if the user may not cost more: that says nothing about the agent."""
        limit = self._task.user.cost_usd if self._task.user is not None else None
        if limit is None:
            return
        spent = sum((message.usage for message in self._messages), NO_USAGE).cost_usd
        if spent is None:
            raise ModelError(
                f"the user may cost ${limit:g}, and what a message of it costs is unknown", self._user.name
            )
        if spent >= limit:
            raise ModelError(f"the user may cost ${limit:g}, and ${spent:.6g} is spent", self._user.name)

    def _turn(self, text: str) -> Turn:
        index = len(self.turns)
        return self._task.turns[index] if index < len(self._task.turns) else Turn(user=text)
