"""The provider process's work: answers the requests of its connections, many at once."""

import asyncio
import functools
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mcpbench.core.errors import EngineError, McpBenchError, ModelError
from pytest_mcpbench.runtime.judge import Judge
from pytest_mcpbench.runtime.judges.cache import VerdictCache
from pytest_mcpbench.runtime.judges.llm import LlmJudge
from pytest_mcpbench.runtime.models.factory import Models
from pytest_mcpbench.runtime.models.provider_error import redacted
from pytest_mcpbench.runtime.provider.messages import (
    Answer,
    Ask,
    Cancel,
    Complete,
    Decide,
    Give,
    Make,
    Request,
    encoded,
    receive,
)
from pytest_mcpbench.runtime.provider.status import Status

if TYPE_CHECKING:
    from pytest_mcpbench.runtime.remote.runner import AttemptRunner

_JUDGE_CONCURRENCY = 64
"""Of all workers together; the limiter of the model holds as well."""
_STATUS_SECONDS = 0.5


class Service:
    """Models and judges for every connection and, with a maker, attempts.

    A request ends with its connection, so that its place is free again.
    """

    def __init__(
        self, models: Models, *, verdicts: Path | None, status: Path | None = None, maker: "AttemptRunner | None" = None
    ) -> None:
        self._models = models
        self._maker = maker
        self._verdicts = VerdictCache(verdicts) if verdicts else None
        self._judges: dict[str, Judge] = {}
        self._status = status
        self._in_flight = 0

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection until it ends."""
        at_work: dict[int, asyncio.Task[None]] = {}
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                message = await receive(reader)
                if isinstance(message, Ask):
                    task = asyncio.create_task(self._answer(message, writer))
                    at_work[message.number] = task
                    task.add_done_callback(functools.partial(_forget, at_work, message.number))
                elif isinstance(message, Cancel) and message.number in at_work:
                    at_work[message.number].cancel()
        for task in tuple(at_work.values()):
            task.cancel()
        writer.close()

    async def report(self) -> None:
        """Write the status down, again and again."""
        while self._status is not None:
            cost = self._models.ledger.usage.cost_usd
            Status(cost, self._in_flight).write(self._status)
            await asyncio.sleep(_STATUS_SECONDS)

    async def _answer(self, ask: Ask, writer: asyncio.StreamWriter) -> None:
        self._in_flight += 1
        try:
            answer = Answer(ask.number, await self._done(ask.what))
        except McpBenchError as error:
            answer = Answer(ask.number, error=error)
        except Exception as error:
            said = redacted(f"{type(error).__name__}: {error}", _keys_of_environment())
            answer = Answer(ask.number, error=_unforeseen(ask.what, f"failed in the provider process: {said}"))
        finally:
            self._in_flight -= 1
        with suppress(ConnectionError):
            writer.write(encoded(answer))
            await writer.drain()

    async def _done(self, what: Request) -> Any:
        if isinstance(what, Make | Give):
            return await self._made(what)
        if isinstance(what, Decide):
            return await self._judge(what.judge).decide(what.question)
        return await self._models.get(what.model).complete(what.messages, what.tools, what.settings)

    async def _made(self, what: Make | Give) -> bytes | None:
        if self._maker is None:
            raise EngineError("this provider process makes no attempts")
        if isinstance(what, Make):
            return await self._maker.make(what.request)
        self._maker.give(what.content, is_archive=what.is_archive)
        return None

    def _judge(self, name: str) -> Judge:
        if name not in self._judges:
            self._judges[name] = LlmJudge(self._models.get(name), self._verdicts, _JUDGE_CONCURRENCY)
        return self._judges[name]


def _unforeseen(what: Request, said: str) -> McpBenchError:
    if isinstance(what, Make | Give):
        return EngineError(said)
    return ModelError(said, what.model if isinstance(what, Complete) else what.judge)


def _forget(at_work: dict[int, asyncio.Task[None]], number: int, _: asyncio.Task[None]) -> None:
    del at_work[number]


def _keys_of_environment() -> list[str]:
    """What must not appear in an error whose origin nobody foresaw."""
    return [value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN", "_SECRET", "_PASSWORD"))]
