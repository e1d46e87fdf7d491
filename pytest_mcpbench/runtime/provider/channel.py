"""A worker's connection to the provider process."""

import asyncio
import itertools
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_mcpbench.runtime.provider.messages import Answer, Ask, Cancel, Request, encoded, receive


class ProviderUnavailableError(Exception):
    """The provider process did not answer: it died, or could not be started."""


class Channel:
    """Asks the provider process, many requests at once; connects when first used, and again after the process died.

    Belongs to the loop that uses it.
    """

    def __init__(self, address: Path) -> None:
        self._address = address
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        self._connecting = asyncio.Lock()

    async def ask(self, what: Request) -> Any:
        """The answer; an error of the answer is raised, and :class:`ProviderUnavailableError` where there is none."""
        writer = await self._connected()
        number = next(self._numbers)
        self._waiting[number] = answer = asyncio.get_running_loop().create_future()
        try:
            writer.write(encoded(Ask(number, what)))
            await writer.drain()
            return await answer
        except ConnectionError as error:
            raise ProviderUnavailableError(str(error)) from error
        except asyncio.CancelledError:
            if not writer.is_closing():
                writer.write(encoded(Cancel(number)))
            raise
        finally:
            self._waiting.pop(number, None)

    async def close(self) -> None:
        """End the connection."""
        listening, self._listening = self._listening, None
        if listening is not None:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def _connected(self) -> asyncio.StreamWriter:
        async with self._connecting:
            if self._writer is None:
                try:
                    reader, self._writer = await asyncio.open_unix_connection(self._address)
                except OSError as error:
                    raise ProviderUnavailableError(error.strerror or str(error)) from error
                self._listening = asyncio.create_task(self._listen(reader, self._writer))
            return self._writer

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    self._hand_over(await receive(reader))
        finally:
            self._writer = None
            writer.close()
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(ProviderUnavailableError("it ended"))

    def _hand_over(self, answer: Answer) -> None:
        waiting = self._waiting.get(answer.number)
        if waiting is None or waiting.done():
            return
        if answer.error is not None:
            waiting.set_exception(answer.error)
        else:
            waiting.set_result(answer.value)
