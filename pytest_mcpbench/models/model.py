"""Language models as agents and judges use them, and backends, which send their requests."""

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
