"""Running total of the model usage of a process."""

from dataclasses import dataclass, field

from pytest_mcpbench.core.chat import Reply
from pytest_mcpbench.core.speed import Speed
from pytest_mcpbench.core.usage import NO_USAGE, Usage


@dataclass
class Ledger:
    """Number and usage of all replies to agents and judges, including those of unfinished attempts."""

    replies: int = 0
    usage: Usage = NO_USAGE
    speeds: dict[str, Speed] = field(default_factory=dict)
    """Speeds of the models whose servers say when they had read a prompt, by name."""

    def add(self, model: str, reply: Reply) -> None:
        """Count one reply."""
        self.replies += 1
        self.usage += reply.usage
        if reply.first_token_seconds is not None:
            self.speeds[model] = self.speeds.get(model, Speed()).with_reply(
                reply.usage, read_seconds=reply.first_token_seconds, seconds=reply.seconds
            )
