"""Messages that servers ask the client's model for during a call (sampling)."""

from typing import Literal

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.usage import NO_USAGE, Usage


class Sampling(FrozenModel):
    """One request of a server, with the reply of a model."""

    messages: tuple[tuple[Literal["system", "user", "assistant"], str], ...]
    """Role and text of each message; the role of the server's instructions is ``system``."""
    max_tokens: int | None = None
    temperature: float | None = None
    reply: str = ""
    model: str = ""
    """Model that replied, as it is named in the suite."""
    finish_reason: str | None = None
    usage: Usage = NO_USAGE
    seconds: float = 0.0
    """Time that the model took, which is not the agent's."""

    @property
    def prompt(self) -> str:
        """Return the messages as people read them."""
        return "\n".join(f"{role}: {text}" for role, text in self.messages)
