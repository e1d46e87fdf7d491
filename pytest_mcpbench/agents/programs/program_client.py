"""Client of a program under test, which a proxy asks the questions of its server and tells of progress.

A client with a session is asked by a request. Since 2026-07-28 there are no sessions: the result of its call asks, and
the client makes the call again with the answer, while the call of the server waits.
"""

import asyncio
import secrets
from abc import ABC, abstractmethod
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
"""Key of a question and its answer: a reply has one."""
ANSWER_SECONDS = 60.0
"""Longest wait for the answer of a client without a session, which may never make the call again."""

Context = ServerRequestContext[Any]
CallResult = types.CallToolResult | types.InputRequiredResult
Answer = asyncio.Future[types.InputResponse | None]


class ProgramClient(ABC):
    """Client of a program under test during one call."""

    def __init__(self, context: Context, *, answers: bool = True) -> None:
        self.context = context
        """Context of the client's last request for this call."""
        self.answers = answers

    async def report_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Tell the client of progress, if it wants to know."""
        await self.context.session.report_progress(progress, total, message)

    async def ask(self, asked: Elicitation) -> Elicitation | None:
        """Return the question with the client's answer; ``None`` if it cannot answer."""
        if not _can_be_asked(asked, self.context):
            return None
        answer = await self._answer_to(asked)
        if answer is None:
            return asked.answered("cancel", CLIENT, {})
        return asked.answered(answer.action, CLIENT, cast("dict[str, JsonValue]", answer.content or {}))

    @abstractmethod
    async def _answer_to(self, asked: Elicitation) -> types.ElicitResult | None:
        """Return the answer to a question; ``None`` if the client, which declares that it can answer, does not."""


class RequestingClient(ProgramClient):
    """Client that makes one request for a call, and that is asked by requests, if it is asked at all."""

    async def _answer_to(self, asked: Elicitation) -> types.ElicitResult | None:
        session, request = self.context.session, self.context.request_id
        try:
            if asked.url is None:
                return await session.elicit_form(asked.message, asked.fields, request)
            return await session.elicit_url(asked.message, asked.url, secrets.token_hex(8), request)
        except MCPError:
            return None


class RoundsClient(ProgramClient):
    """Client without a session, which makes one request more for a call than the call has questions."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._replies: asyncio.Queue[tuple[CallResult | Exception, Answer]] = asyncio.Queue()
        """Replies to the requests: questions, each with its answer to come, and at last the outcome of the call."""
        self._answer: Answer
        """Answer to the question that the client was asked last."""
        self._scope = anyio.CancelScope()

    async def _answer_to(self, asked: Elicitation) -> types.ElicitResult | None:
        params: types.ElicitRequestParams
        if asked.url is None:
            params = types.ElicitRequestFormParams(message=asked.message, requested_schema=asked.fields)
        else:
            params = types.ElicitRequestURLParams(message=asked.message, url=asked.url)
        question = types.InputRequiredResult(input_requests={_KEY: types.ElicitRequest(params=params)})
        answer = self._reply(question)
        given = None
        with anyio.move_on_after(ANSWER_SECONDS):
            given = await answer
        return given if isinstance(given, types.ElicitResult) else None

    def receive(self, context: Context, answers: types.InputResponses) -> None:
        """Take the next request, which has the answer to the question of the one before."""
        self.context = context
        # The call may have ended meanwhile, or may not wait any more.
        if not self._answer.done():
            self._answer.set_result(answers.get(_KEY))

    async def make(self, call: Callable[[ProgramClient], Awaitable[types.CallToolResult]]) -> None:
        """Make the call of the server, whose result is that of the last request."""
        with self._scope:
            try:
                self._reply(await call(self))
            except Exception as error:  # the request raises it
                self._reply(error)

    async def result(self) -> CallResult:
        """Return the result of the request: that of the call, or its next question."""
        try:
            reply, self._answer = await self._replies.get()
            while self._answer.done():  # nobody waits for it any more
                reply, self._answer = await self._replies.get()
        except asyncio.CancelledError:
            self._scope.cancel()
            raise
        if isinstance(reply, Exception):
            raise reply
        return reply

    def _reply(self, reply: CallResult | Exception) -> Answer:
        answer: Answer = asyncio.get_running_loop().create_future()
        self._replies.put_nowait((reply, answer))
        return answer


class OpenRounds:
    """Calls of clients without a session that wait for the answer to a question."""

    def __init__(self, group: anyio.abc.TaskGroup) -> None:
        self._group = group
        self._waiting: dict[str, RoundsClient] = {}

    async def call(
        self,
        context: Context,
        parameters: types.CallToolRequestParams,
        make: Callable[[ProgramClient], Awaitable[types.CallToolResult]],
    ) -> CallResult:
        """Make a call, or go on with the one that a request answers. Raises MCPError if none waits for the answer."""
        state = parameters.request_state
        client = RoundsClient(context) if state is None else self._waiting.pop(state, None)
        if client is None:
            raise MCPError(types.INVALID_PARAMS, "no call waits for this answer")
        if state is None:
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


def _can_be_asked(asked: Elicitation, context: Context) -> bool:
    """Return whether a client declares that it can answer a question."""
    declared = context.session.client_capabilities
    kinds = declared.elicitation if declared is not None else None
    if asked.url is not None:
        return kinds is not None and kinds.url is not None
    # A client that names neither knows forms, as all did before there were URLs.
    return kinds is not None and (kinds.form is not None or kinds.url is None)
