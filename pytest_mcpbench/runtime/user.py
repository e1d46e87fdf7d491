"""Interface of a user: it reads the conversation so far and writes the next message."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pytest_mcpbench.core.conversation import Exchange
from pytest_mcpbench.core.simulated_user import ConversationEnd
from pytest_mcpbench.core.trajectory import UserMessage


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
