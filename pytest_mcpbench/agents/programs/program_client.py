"""Client of a program under test, which a proxy asks the questions of its server and tells of progress.

A client with a session is asked by a request. Since 2026-07-28 there are no sessions: the result of its call asks, and
the client makes the call again with the answer, while the call of the server waits.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
import anyio.abc
import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import JsonValue

from pytest_mcpbench.core.elicitation import CLIENT, Elicitation

_KEY = "question"
"""Key of a question and its answer: one is asked at a time."""

Context = ServerRequestContext[Any]
CallResult = types.CallToolResult | types.InputRequiredResult


def can_be_asked(asked: Elicitation, context: Context) -> bool:
    """Return whether a client declares that it can answer a question."""
    declared = context.session.client_capabilities
    kinds = declared.elicitation if declared is not None else None
    if asked.url is not None:
        return kinds is not None and kinds.url is not None
    # A client that names neither knows forms, as all did before there were URLs.
    return kinds is not None and (kinds.form is not None or kinds.url is None)


class SessionClient:
    """Client with a session, or one that is not asked anything."""

    def __init__(self, context: Context, *, answers: bool) -> None:
        self._context = context
        self.answers = answers

    async def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Tell the client of progress, if it wants to know."""
        await self._context.session.report_progress(progress, total, message)

    async def ask(self, asked: Elicitation) -> Elicitation | None:
        """Return the question with the client's answer; ``None`` if it cannot answer."""
        session, request = self._context.session, self._context.request_id
        if not can_be_asked(asked, self._context):
            return None
        try:
            if asked.url is None:
                answer = await session.elicit_form(asked.message, asked.fields, request)
            else:
                answer = await session.elicit_url(asked.message, asked.url, secrets.token_hex(8), request)
        except MCPError:
            return asked.answered("cancel", CLIENT, {})
        return _answered(asked, answer)


class RoundsClient:
    """Client without a session, during one call: it makes as many requests as the call has questions, and one."""

    answers = True

    def __init__(self) -> None:
        self._context: Context
        self._result: asyncio.Future[CallResult]
        self._answer: asyncio.Future[types.InputResponse | None]
        self._one_by_one = anyio.Lock()
        self._scope = anyio.CancelScope()

    async def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Tell the client of progress, if it wants to know."""
        await self._context.session.report_progress(progress, total, message)

    async def ask(self, asked: Elicitation) -> Elicitation | None:
        """Return the question with the client's answer; ``None`` if it cannot answer."""
        if not can_be_asked(asked, self._context):
            return None
        params: types.ElicitRequestParams
        if asked.url is None:
            params = types.ElicitRequestFormParams(message=asked.message, requested_schema=asked.fields)
        else:
            params = types.ElicitRequestURLParams(message=asked.message, url=asked.url)
        async with self._one_by_one:
            self._answer = asyncio.get_running_loop().create_future()
            self._result.set_result(
                types.InputRequiredResult(input_requests={_KEY: types.ElicitRequest(params=params)})
            )
            answer = await self._answer
        if not isinstance(answer, types.ElicitResult):
            return asked.answered("cancel", CLIENT, {})
        return _answered(asked, answer)

    def receive(self, context: Context, answers: types.InputResponses | None = None) -> None:
        """Take the next request, which has the answer to the question of the one before."""
        self._context, self._result = context, asyncio.get_running_loop().create_future()
        if answers is not None:
            self._answer.set_result(answers.get(_KEY))

    async def make(self, call: Callable[["RoundsClient"], Awaitable[types.CallToolResult]]) -> None:
        """Make the call of the server, whose result is that of the last request."""
        with self._scope:
            try:
                result = await call(self)
            except Exception as error:  # the request raises it
                self._result.set_exception(error)
            else:
                self._result.set_result(result)

    async def result(self) -> CallResult:
        """Return the result of the request: that of the call, or its next question."""
        try:
            return await asyncio.shield(self._result)
        except asyncio.CancelledError:
            self._scope.cancel()
            raise


class OpenRounds:
    """Calls of clients without a session that wait for the answer to a question."""

    def __init__(self, group: anyio.abc.TaskGroup) -> None:
        self._group = group
        self._waiting: dict[str, RoundsClient] = {}

    async def call(
        self,
        context: Context,
        parameters: types.CallToolRequestParams,
        make: Callable[[RoundsClient], Awaitable[types.CallToolResult]],
    ) -> CallResult:
        """Make a call, or go on with the one that a request answers. Raises MCPError if none waits for the answer."""
        state = parameters.request_state
        client = RoundsClient() if state is None else self._waiting.pop(state, None)
        if client is None:
            raise MCPError(types.INVALID_PARAMS, "no call waits for this answer")
        if state is None:
            client.receive(context)
            self._group.start_soon(client.make, make)
        else:
            client.receive(context, parameters.input_responses or {})
        result = await client.result()
        if isinstance(result, types.CallToolResult):
            return result
        state = secrets.token_hex(8)
        self._waiting[state] = client
        return result.model_copy(update={"request_state": state})


@asynccontextmanager
async def open_rounds(_server: "Server[OpenRounds]") -> AsyncIterator[OpenRounds]:
    """Hold the calls of a server as long as it is served; those that still wait at the end are cancelled."""
    async with anyio.create_task_group() as group:
        yield OpenRounds(group)
        group.cancel_scope.cancel()


def _answered(asked: Elicitation, answer: types.ElicitResult) -> Elicitation:
    return asked.answered(answer.action, CLIENT, cast("dict[str, JsonValue]", answer.content or {}))
