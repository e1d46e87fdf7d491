"""Client side of the connection between a worker and the provider process."""

import asyncio
import itertools
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_mcpbench.attempt.provider.messages import (
    Cancellation,
    Command,
    ProviderRequest,
    ProviderResponse,
    encode,
    receive,
)


class ProviderUnavailableError(Exception):
    """Error for a provider process that did not answer because it died or could not be started."""


class Channel:
    """Multiplexed connection to the provider process.

    It connects at its first use, and again after the process died. It belongs to the event loop that uses it.
    """

    def __init__(self, address: Path) -> None:
        self._address = address
        self._numbers = itertools.count()
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._reader_task: asyncio.Task[None] | None = None
        self._connect_lock = asyncio.Lock()

    async def send(self, command: Command) -> Any:
        """Send a command and return its result.

        Raises:
            McpBenchError: the command failed in the provider process.
            ProviderUnavailableError: the process did not answer.
        """
        writer = await self._connection()
        number = next(self._numbers)
        self._pending[number] = result = asyncio.get_running_loop().create_future()
        try:
            writer.write(encode(ProviderRequest(number, command)))
            await writer.drain()
            return await result
        except ConnectionError as error:
            raise ProviderUnavailableError(str(error)) from error
        except asyncio.CancelledError:
            # Without it the process would finish, and pay for, a request that nobody waits for.
            if not writer.is_closing():
                writer.write(encode(Cancellation(number)))
            raise
        finally:
            self._pending.pop(number, None)

    async def close(self) -> None:
        """Close the connection."""
        reader_task, self._reader_task = self._reader_task, None
        if reader_task is not None:
            reader_task.cancel()
            await asyncio.gather(reader_task, return_exceptions=True)

    async def _connection(self) -> asyncio.StreamWriter:
        # The lock keeps concurrent first requests from opening several connections.
        async with self._connect_lock:
            if self._writer is None:
                if sys.platform == "win32":
                    raise NotImplementedError
                try:
                    reader, self._writer = await asyncio.open_unix_connection(self._address)
                except OSError as error:
                    raise ProviderUnavailableError(error.strerror or str(error)) from error
                self._reader_task = asyncio.create_task(self._read_responses(reader, self._writer))
            return self._writer

    async def _read_responses(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    self._resolve(await receive(reader))
        finally:
            # The next request connects again, by then to a restarted process.
            self._writer = None
            writer.close()
            for future in self._pending.values():
                if not future.done():
                    future.set_exception(ProviderUnavailableError("the connection was closed"))

    def _resolve(self, response: ProviderResponse) -> None:
        future = self._pending.get(response.number)
        # A response may cross with the cancellation of its request.
        if future is None or future.done():
            return
        if response.error is not None:
            future.set_exception(response.error)
        else:
            future.set_result(response.value)
