"""Service of the provider process: it executes the commands of its connections concurrently."""

import asyncio
import functools
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mcpbench.attempt.provider.messages import (
    Cancellation,
    Command,
    CompleteChat,
    DecideQuestion,
    DecideTogether,
    ProviderRequest,
    ProviderResponse,
    RunAttempt,
    StoreBlob,
    encode,
    receive,
)
from pytest_mcpbench.attempt.provider.status import STATUS_SECONDS, Status
from pytest_mcpbench.core.errors import EngineError, McpBenchError, ModelError
from pytest_mcpbench.judges.cache import VerdictCache
from pytest_mcpbench.judges.llm import LlmJudge
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.models.provider_error import redact
from pytest_mcpbench.servers.secret_filter import SecretFilter

if TYPE_CHECKING:
    from pytest_mcpbench.attempt.remote.runner import RemoteAttemptRunner

_JUDGE_CONCURRENCY = 64
"""Maximum number of questions in flight for all workers together; the model's rate limiter applies as well."""


class ProviderService:
    """Access to models and judges for every connection and, with a runner, execution of attempts."""

    def __init__(
        self,
        models: Models,
        *,
        verdicts: Path | None,
        status: Path | None = None,
        runner: "RemoteAttemptRunner | None" = None,
    ) -> None:
        self._models = models
        self._runner = runner
        self._secrets = SecretFilter.of_environment()
        self._verdicts = VerdictCache(verdicts, self._secrets) if verdicts else None
        self._judges: dict[str, LlmJudge] = {}
        self._status = status
        self._in_flight = 0

    async def handle_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until it is closed."""
        tasks: dict[int, asyncio.Task[None]] = {}
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                message = await receive(reader)
                if isinstance(message, ProviderRequest):
                    task = asyncio.create_task(self._answer(message, writer))
                    tasks[message.number] = task
                    task.add_done_callback(functools.partial(_forget, tasks, message.number))
                elif isinstance(message, Cancellation) and message.number in tasks:
                    tasks[message.number].cancel()
        # Nobody waits for the requests of a worker that is gone; cancelling them frees their place in the limiters.
        for task in tuple(tasks.values()):
            task.cancel()
        writer.close()

    async def write_status(self) -> None:
        """Write the status file twice a second until cancelled."""
        while self._status is not None:
            cost = self._models.ledger.usage.cost_usd
            Status(cost, self._in_flight, self._models.ledger.speeds).write(self._status)
            await asyncio.sleep(STATUS_SECONDS)

    async def _answer(self, request: ProviderRequest, writer: asyncio.StreamWriter) -> None:
        self._in_flight += 1
        try:
            response = await self._response(request)
        finally:
            self._in_flight -= 1
        with suppress(ConnectionError):
            writer.write(encode(response))
            await writer.drain()

    async def _response(self, request: ProviderRequest) -> ProviderResponse:
        try:
            return ProviderResponse(request.number, await self._execute(request.command))
        except McpBenchError as error:
            return ProviderResponse(request.number, error=error)
        except Exception as error:
            # A bug must not end the connection of a worker, and its message may contain anything, even an API key.
            problem = redact(f"{type(error).__name__}: {error}", self._secrets.secrets)
            error = _unexpected_error(request.command, f"failed in the provider process: {problem}")
            return ProviderResponse(request.number, error=error)

    async def _execute(self, command: Command) -> Any:
        if isinstance(command, RunAttempt | StoreBlob):
            if self._runner is None:
                raise EngineError("this provider process does not run attempts")
            if isinstance(command, RunAttempt):
                return await self._runner.run_attempt(command.request)
            self._runner.store_blob(command.content, is_archive=command.is_archive)
            return None
        if isinstance(command, DecideQuestion):
            self._secrets.add(command.secrets)
            return await self._judge(command.judge).decide(command.question)
        if isinstance(command, DecideTogether):
            self._secrets.add(command.secrets)
            return await self._judge(command.judge).decide_together(command.questions, command.context)
        return await self._models.get(command.model).complete(command.messages, command.tools, command.settings)

    def _judge(self, name: str) -> LlmJudge:
        if name not in self._judges:
            self._judges[name] = LlmJudge(
                self._models.get(name), self._verdicts, _JUDGE_CONCURRENCY, identity=self._models.identity(name)
            )
        return self._judges[name]


def _unexpected_error(command: Command, problem: str) -> McpBenchError:
    if isinstance(command, RunAttempt | StoreBlob):
        return EngineError(problem)
    return ModelError(problem, command.model if isinstance(command, CompleteChat) else command.judge)


def _forget(tasks: dict[int, asyncio.Task[None]], number: int, _: asyncio.Task[None]) -> None:
    del tasks[number]
