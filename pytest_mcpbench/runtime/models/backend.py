"""Interface of a backend: it sends one request to a provider and returns the reply."""

from collections.abc import Sequence
from typing import Protocol

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.tool import ToolSpec


class Backend(Protocol):
    """Connection to a provider that sends each request once, without retries and rate limits."""

    async def complete(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], settings: ModelSettings
    ) -> Reply:
        """Return the reply of the model.

        Raises:
            ProviderError: the request failed.
        """
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text.

        Raises:
            ProviderError: the request failed.
        """
        ...

    async def aclose(self) -> None:
        """Close all connections; must run on the event loop that used them."""
        ...
