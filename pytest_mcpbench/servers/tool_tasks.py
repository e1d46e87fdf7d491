"""Calls of tools that run as tasks of the protocol: made, watched until the task ends, and their results fetched.

In the protocol of 2025-11-25 the client asks for a task, which tools with ``taskSupport: required`` demand. Since
2026-07-28 the server decides, towards clients that declare the extension.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal

import anyio
import mcp_types as types
from mcp import Client, ClientSession, MCPError
from mcp.client import ClientRequestContext
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from pydantic import AliasChoices, Field

from pytest_mcpbench.servers.open_call import CURRENT, OpenCall

EXTENSION = "io.modelcontextprotocol/tasks"
_POLL_SECONDS = 0.5
"""Time between two questions about a task whose server does not say how often to ask."""
_CANCEL_SECONDS = 1.0


class _Task(types.Result):
    """What a server says of a task, in the shapes of both eras."""

    task_id: str
    status: types.TaskStatus
    status_message: str | None = None
    last_updated_at: str | None = None
    poll_milliseconds: float | None = Field(None, validation_alias=AliasChoices("pollIntervalMs", "pollInterval"))

    @property
    def pause(self) -> float:
        """Seconds until the next question about it."""
        return _POLL_SECONDS if self.poll_milliseconds is None else self.poll_milliseconds / 1000


class _CreatedTask(_Task):
    """Answer of a server of the modern era that works on a call as a task."""

    result_type: Literal["task"] = "task"


class _TaskState(_Task):
    """Answer to a question about a task; all but its status is of the modern era."""

    input_requests: types.InputRequests | None = None
    result: dict[str, Any] | None = None
    error: types.ErrorData | None = None


class _UpdateParams(types.RequestParams):
    task_id: str
    input_responses: types.InputResponses


# Servers at a URL want the id in a header too (SEP-2663).


class _Get(types.GetTaskRequest):
    name_param = "taskId"


class _Cancel(types.CancelTaskRequest):
    name_param = "taskId"


class _Update(types.Request[_UpdateParams, Literal["tasks/update"]]):
    method: Literal["tasks/update"] = "tasks/update"
    params: _UpdateParams
    name_param = "taskId"


class TasksExtension(ClientExtension):
    """Extension of the modern era: a server may answer a call with a task."""

    identifier = EXTENSION

    def claims(self) -> Sequence[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=_CreatedTask, resolve=self._resolve)]

    async def _resolve(self, created: _CreatedTask, context: ClaimContext) -> types.CallToolResult:
        session = context.session
        async with _cancelled_if_abandoned(session, created.task_id):
            ended = await _ended(session, created, CURRENT.get(None))
        if ended.error is not None:
            raise MCPError.from_error_data(ended.error)
        if ended.status != "completed":
            return _failure(ended)
        return types.CallToolResult.model_validate(ended.result or {}, by_name=False)


def offers_tasks(client: Client) -> bool:
    """Return whether the server makes tasks of calls, in the protocol of 2025-11-25."""
    tasks = client.server_capabilities.tasks
    requests = tasks.requests if tasks is not None else None
    return requests is not None and requests.tools is not None and requests.tools.call is not None


async def call_as_task(client: Client, tool: str, arguments: dict[str, Any], call: OpenCall) -> types.CallToolResult:
    """Return the result of a tool that the server executes as a task only, in the protocol of 2025-11-25."""
    session = client.session
    created = _Task.model_validate(await _created(session, tool, arguments, call), by_name=False)
    tasks = client.server_capabilities.tasks
    is_cancellable = tasks is not None and tasks.cancel is not None
    async with _cancelled_if_abandoned(session, created.task_id, is_cancellable=is_cancellable):
        ended = await _ended(session, created, call)
        if ended.status == "cancelled":
            return _failure(ended)
        # While the user is asked, this request waits, and brings the server's questions.
        request = types.GetTaskPayloadRequest(params=types.GetTaskPayloadRequestParams(task_id=ended.task_id))
        result = await session.send_request(request, types.CallToolResult)
    if not result.is_error:
        await session.validate_tool_result(tool, result)
    return result


async def _created(session: ClientSession, tool: str, arguments: dict[str, Any], call: OpenCall) -> Any:
    """Return the task that a server has made for a call."""
    # mcp knows the types of tasks and not the exchange: it would refuse a task as the answer to a call.
    params = {"name": tool, "arguments": arguments, "task": {}}
    options: Any = {"on_progress": call.note_progress}
    session._stamp({"method": "tools/call", "params": params}, options)
    return (await session._dispatcher.send_raw_request("tools/call", params, options)).get("task")


async def _ended(session: ClientSession, task: _Task, call: OpenCall | None) -> _TaskState:
    """Return the state of a task when it has ended, or when its server asks the user in a message of its own."""
    answered: set[str] = set()
    while True:
        await anyio.sleep(task.pause)
        request = _Get(params=types.GetTaskRequestParams(task_id=task.task_id))
        state = await session.send_request(request, _TaskState)
        if call is not None and _news(state) != _news(task):
            await call.note_progress(None, None, state.status_message or state.status)
        task = state
        if state.status != "working" and state.input_requests is None:
            return state
        asked = {key: each for key, each in (state.input_requests or {}).items() if key not in answered}
        if asked:
            responses = {key: await _answer(session, key, each) for key, each in asked.items()}
            update = _Update(params=_UpdateParams(task_id=state.task_id, input_responses=responses))
            await session.send_request(update, types.EmptyResult)
            answered.update(asked)


def _news(task: _Task) -> tuple[str | None, str | None]:
    return task.status_message, task.last_updated_at


async def _answer(session: ClientSession, key: str, asked: types.InputRequest) -> types.InputResponse:
    meta = asked.params.meta if asked.params else None
    answer = await session.dispatch_input_request(
        ClientRequestContext(session=session, request_id=key, meta=meta), asked
    )
    if isinstance(answer, types.ErrorData):
        raise MCPError.from_error_data(answer)
    return answer


def _failure(ended: _TaskState) -> types.CallToolResult:
    reason = f": {ended.status_message}" if ended.status_message else ""
    text = f"The task of this call ended as {ended.status}{reason}."
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)


@asynccontextmanager
async def _cancelled_if_abandoned(
    session: ClientSession, task_id: str, *, is_cancellable: bool = True
) -> AsyncIterator[None]:
    """Tell the server to stop working on a task that nobody waits for any more."""
    try:
        yield
    except asyncio.CancelledError:
        if is_cancellable:
            with anyio.move_on_after(_CANCEL_SECONDS, shield=True), suppress(Exception):
                request = _Cancel(params=types.CancelTaskRequestParams(task_id=task_id))
                await session.send_request(request, types.Result)
        raise
