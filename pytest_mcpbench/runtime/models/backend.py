"""What a way to reach providers is: one request, one reply or the reason why there is none."""

from collections.abc import Sequence
from typing import Protocol

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.tool import ToolSpec


class Backend(Protocol):
    """Sends requests as they are: no retries, no pacing."""

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """Raises :class:`~pytest_mcpbench.runtime.models.provider_error.ProviderError` where no reply came."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text. Raises as :meth:`complete`."""
        ...

    async def aclose(self) -> None:
        """Give back connections; to be called on the loop that used them."""
        ...
