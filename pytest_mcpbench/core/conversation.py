"""Conversation of an attempt: who said what."""

import re
from typing import NamedTuple

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Trajectory

_MARKS = r"^[ \t>*_#]*(?:{})[ \t*_]*:"
_LINE_OF_USER = re.compile(_MARKS.format("User|Human|Customer"), re.MULTILINE | re.IGNORECASE)
_LINE_OF_AGENT = re.compile(_MARKS.format("Assistant|AI|Agent|Bot"), re.MULTILINE | re.IGNORECASE)


class Exchange(NamedTuple):
    """One turn: a message of the user, and what the agent replied."""

    user: str
    agent: str
    """Empty if the turn ended without a text for the user."""


def user_messages(task: Task, trajectory: Trajectory | None) -> tuple[str, ...]:
    """Return all messages of the user: those of a user that answered, or else those of the task."""
    if trajectory is not None and trajectory.conversation is not None:
        return tuple(message.text for message in trajectory.conversation.messages if message.text)
    return tuple(turn.user for turn in task.turns)


def before_invented_exchange(text: str) -> str:
    """Return the text of an agent up to a line of the user, such as ``User: Yes.``, that a line of its own follows.

    A line of the user alone may be a field of what the agent reports.
    """
    user = _LINE_OF_USER.search(text)
    if user is None or _LINE_OF_AGENT.search(text, user.end()) is None:
        return text
    return text[: user.start()]
