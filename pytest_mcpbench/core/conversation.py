"""Conversation of an attempt: who said what."""

from typing import NamedTuple

from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.trajectory import Trajectory


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
