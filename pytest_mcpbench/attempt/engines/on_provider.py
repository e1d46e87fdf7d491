"""Engine ``shared``: the attempts of all xdist workers run in the provider process, next to its models."""

from collections import Counter
from pathlib import Path
from typing import Any

from pytest_mcpbench.attempt.provider.channel import Channel, ProviderUnavailableError
from pytest_mcpbench.attempt.provider.messages import Command, RunAttempt, StoreBlob
from pytest_mcpbench.attempt.remote.serializer import Blob
from pytest_mcpbench.attempt.remote.worker_pool import WorkerLostError

_NODE = "this machine"


class ProviderCluster:
    """Cluster with one worker: the provider process behind an address, which is restarted if it dies."""

    def __init__(self, address: Path) -> None:
        self._channel = Channel(address)

    def slots(self) -> "Counter[str]":
        return Counter({_NODE: 1})

    def start_worker(self, node: str) -> "ProviderWorker":  # noqa: ARG002 (there is only one node)
        return ProviderWorker(self._channel)

    def close(self) -> None:
        """Do nothing: the worker closes the connection, and the process serves other xdist workers."""


class ProviderWorker:
    """Provider process as a worker of the pool."""

    node = _NODE

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def start(self) -> None:
        """Do nothing: the channel connects with its first request."""

    async def run_attempt(self, request: bytes) -> bytes:
        response: bytes = await self._send(RunAttempt(request))
        return response

    async def send_blob(self, blob: Blob) -> None:
        await self._send(StoreBlob(blob.content, blob.is_archive))

    async def close(self) -> None:
        """Close the connection, which cancels this worker's attempts in the process."""
        await self._channel.close()

    def kill(self) -> None:
        """Do nothing: the process also runs the attempts of other xdist workers."""

    async def _send(self, command: Command) -> Any:
        try:
            return await self._channel.send(command)
        except ProviderUnavailableError as error:
            raise WorkerLostError(f"the process that the workers share did not answer ({error})") from None
