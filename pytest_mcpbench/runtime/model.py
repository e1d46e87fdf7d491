"""Interface of a language model: messages and tools in, one reply out."""

from collections.abc import Sequence
from typing import Protocol

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.tool import ToolSpec


class Model(Protocol):
    """Language model behind a provider; one instance serves many requests of agents and judges at the same time."""

    @property
    def name(self) -> str:
        """Name of the model as the user wrote it, without secrets."""
        ...

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """Return the model's next message.

        Raises:
            ModelError: the provider did not return a usable reply.
        """
        ...
