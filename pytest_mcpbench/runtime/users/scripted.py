"""User that replies by rules, without a model."""

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.bounded_pattern import BoundedPattern
from pytest_mcpbench.core.conversation import Exchange
from pytest_mcpbench.core.simulated_user import ScriptedReply
from pytest_mcpbench.core.trajectory import UserMessage
from pytest_mcpbench.runtime.user import UserReply


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
