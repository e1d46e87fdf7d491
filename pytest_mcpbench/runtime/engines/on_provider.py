"""Attempts in the provider process, which the workers of a run share: models are asked where the attempts are made."""

from collections import Counter
from pathlib import Path
from typing import Any

from pytest_mcpbench.runtime.provider.channel import Channel, ProviderUnavailableError
from pytest_mcpbench.runtime.provider.messages import Give, Make, Request
from pytest_mcpbench.runtime.remote.serializer import Blob
from pytest_mcpbench.runtime.remote.worker_pool import WorkerLostError

_NODE = "this machine"


class ProviderCluster:
    """The one process behind an address; another one takes its place when it dies."""

    def __init__(self, address: Path) -> None:
        self._channel = Channel(address)

    def seats(self) -> "Counter[str]":
        return Counter({_NODE: 1})

    def open(self, node: str) -> "ProviderWorker":  # noqa: ARG002 (there is one only)
        return ProviderWorker(self._channel)

    def close(self) -> None:
        """Nothing to do: its post ends the connection, and the process serves others."""


class ProviderWorker:
    """A worker's connection to the process."""

    node = _NODE

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def begin(self) -> None:
        """Nothing to do: it connects with the first request."""

    async def make(self, request: bytes) -> bytes:
        answer: bytes = await self._answered(Make(request))
        return answer

    async def give(self, parcel: Blob) -> None:
        await self._answered(Give(parcel.content, parcel.is_archive))

    async def close(self) -> None:
        """What this worker has in flight there ends with its connection."""
        await self._channel.close()

    def kill(self) -> None:
        """Nothing to do: the process makes attempts of other workers, too."""

    async def _answered(self, request: Request) -> Any:
        try:
            return await self._channel.ask(request)
        except ProviderUnavailableError as error:
            raise WorkerLostError(f"the process that the workers share did not answer ({error})") from None
