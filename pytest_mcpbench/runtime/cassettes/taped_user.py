"""User whose messages are recorded on a tape, or come from one."""

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.conversation import Exchange
from pytest_mcpbench.runtime.cassettes.recording import RecordingTape
from pytest_mcpbench.runtime.cassettes.replaying import ReplayingTape
from pytest_mcpbench.runtime.user import User, UserReply


@dataclass(frozen=True)
class RecordedUser:
    """User that records each message."""

    user: User
    tape: RecordingTape

    @property
    def name(self) -> str:
        return self.user.name

    @property
    def identity(self) -> str:
        return self.user.identity

    async def reply(self, exchanges: Sequence[Exchange]) -> UserReply:
        """Ask the user and record the message."""
        reply = await self.user.reply(exchanges)
        self.tape.add_user_message(self.identity, tuple(exchanges), reply.message, reply.end)
        return reply


@dataclass(frozen=True)
class ReplayedUser:
    """User that is never asked."""

    name: str
    identity: str
    tape: ReplayingTape

    async def reply(self, exchanges: Sequence[Exchange]) -> UserReply:
        """Return the recorded message. Raises CassetteError if there is none."""
        line = self.tape.user_message(self.identity, tuple(exchanges))
        return UserReply(line.message, line.end)
