"""What a language model is to the rest: one question with tools, one reply."""

from collections.abc import Sequence
from typing import Protocol

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.tool import ToolSpec


class Model(Protocol):
    """A model behind some provider, used by agents and by judges, by many at once."""

    @property
    def name(self) -> str:
        """As the user wrote it; holds no secret."""
        ...

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """The model's next message.

        Raises :class:`~pytest_mcpbench.core.errors.ModelError` where the provider gave none.
        """
        ...
