"""User whose messages the task has written down."""

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.conversation import Exchange
from pytest_mcpbench.core.trajectory import UserMessage
from pytest_mcpbench.runtime.user import UserReply


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
