"""Replies of a server at a URL: bodies within bounds, and replies that are lost or that nobody can read."""

import json
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
import anyio.abc
import httpx2
from mcp import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCNotification,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

from pytest_mcpbench.core.secrets import NO_SECRETS, Secrets
from pytest_mcpbench.files.bounded_decoding import BodyDecoder, BodyError, BodyTooLargeError, Bounded
from pytest_mcpbench.servers.failures import CLOSED, NOT_SENT, REPLY_LOST
from pytest_mcpbench.servers.large_results import in_thread, is_large, without_blocks
from pytest_mcpbench.servers.old_events import OldEvents
from pytest_mcpbench.servers.reply_watch import KEPT, ReplyWatch, show

CONNECT_SECONDS = 30.0
"""Longest wait for a connection to a server; its first reply may take longer."""
_UNPARSED = ("Failed to parse JSON response", "Failed to parse SSE message")
"""Beginnings of the messages with which mcp's client replaces a reply that is not JSON-RPC (tried with mcp 2.3)."""
_UNANSWERED = ("server answered a request with 202", "Redirect to ", "Unexpected content type")
"""The same for a response that holds no reply: accepted, redirected, without a body, or of another type."""
_JSON = "application/json"
_NOT_CONNECTED = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""Errors before the first byte of a request is sent."""
LOST_STATUS = {429: NOT_SENT, 502: REPLY_LOST, 503: REPLY_LOST, 504: REPLY_LOST}
"""Statuses with which something in front of the server answers one request, and what they say of it."""
_REFUSED = "Refused: "
"""Beginning of the message of an error that stands for a reply which is too large or cannot be decompressed."""
_END_OF_EVENT = b"\nevent: refused\n\n"
"""End of an event that is not read further; its last type counts, and mcp's client leaves out what is no message."""
_MOST_SENDS = 3
"""Number of times that a notification or an answer to the server is sent."""


def http_timeout(start_seconds: float) -> httpx2.Timeout:
    """Return the limits of a client of a server that may take so long to start.

    Reading has none: the connection limits the duration of lists and calls, which may be longer than a start.
    """
    return httpx2.Timeout(min(start_seconds, CONNECT_SECONDS), read=None)


@dataclass
class HttpReplies:
    """Replies of one connection."""

    secrets: Secrets = NO_SECRETS
    """Values that are removed from what is shown of replies."""
    is_old: bool = False
    """Whether the transport is the old one, whose events are the replies to all requests."""
    problem: str = ""
    """Description of a reply that belongs to no request, after which the connection is given up."""
    is_connected: bool = False
    """Whether the handshake is over, so that a network error is the error of one request."""
    separate: "anyio.abc.ObjectSendStream[SessionMessage | Exception] | None" = None
    """Stream of all replies in the old transport, which does not answer a request in its response."""
    _bodies: "set[_Body]" = field(default_factory=set)
    _large: dict[str, SessionMessage | Exception] = field(default_factory=dict)
    """Messages of large events of the old transport, by the method of the notification that mcp's client reads."""

    @asynccontextmanager
    async def separate_streams(self, read: Any, write: Any) -> AsyncIterator[tuple["_Reader", "_Writer"]]:
        """Yield the streams of mcp's client for the old transport, with errors in place of lost replies."""
        self.separate, merged = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)

        async def forward(sender: "anyio.abc.ObjectSendStream[SessionMessage | Exception]") -> None:
            async with sender:
                async for item in read:
                    is_notification = isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCNotification)
                    await sender.send(self._large.pop(item.message.method, item) if is_notification else item)

        async with merged, anyio.create_task_group() as group:
            group.start_soon(forward, self.separate)
            yield self.streams(merged, write)
            group.cancel_scope.cancel()

    async def response(self, request: httpx2.Request, content: bytes) -> httpx2.Response:
        """Return the response that brings an error to mcp's client in place of the reply to a request."""
        if self.separate is None:
            return httpx2.Response(200, headers={"Content-Type": _JSON}, content=content, request=request)
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await self.separate.send(SessionMessage(jsonrpc_message_adapter.validate_json(content)))
        return httpx2.Response(202, request=request)

    def streams(self, read: Any, write: Any) -> tuple["_Reader", "_Writer"]:
        """Return the streams of mcp's client, watched for replies that belong to no request."""
        watch = ReplyWatch(self._give_up, self.secrets)
        return _Reader(read, watch, self), _Writer(write, watch)

    def lost_reply(self, error: BaseException) -> str:
        """Return what is wrong with the reply that a request failed to get; empty if there was none."""
        if self.problem:
            return self.problem
        if isinstance(error, MCPError) and error.code == PARSE_ERROR and error.message.startswith(_UNPARSED):
            reason = error.message.partition("Invalid JSON: ")[2] or "it is not a JSON-RPC reply"
            return f"its reply cannot be read: {reason.partition(', input_type')[0]}"
        if isinstance(error, MCPError) and error.code == INVALID_REQUEST and error.message.startswith(_UNANSWERED):
            return f"it did not reply: {error.message}"
        if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED and error.message.startswith(_REFUSED):
            return error.message.removeprefix(_REFUSED)
        refused = next((body.refusal for body in self._bodies if body.refusal), "")
        unfinished = next((body.unfinished for body in self._bodies if body.unfinished), b"")
        if refused or not isinstance(error, TimeoutError):
            return refused
        return f"its reply is not complete: {show(unfinished, self.secrets)}" if unfinished else ""

    def watch_body(self, response: httpx2.Response) -> None:
        """Bound the body of a response, and remember how much of it arrived."""
        is_endless = response.headers.get("content-type", "").startswith("text/event-stream")
        encoding = response.headers.pop("content-encoding", "")
        substitute = partial(self.substitute, response.request)
        events = OldEvents(_refusal, self._large) if self.is_old and is_endless else None
        response.stream = _Body(response.stream, encoding, self._bodies, is_endless, substitute, events)

    def substitute(self, request: httpx2.Request, kind: str) -> "Substitute | None":
        """Return what stands for the reply to a request if that is lost; ``None`` if the request expects none."""
        if not self.is_connected or not is_message(request):
            return None
        message = json.loads(request.read())  # a redirected request has not been read
        return Substitute(message["id"], kind) if "method" in message and "id" in message else None

    def _give_up(self, problem: str) -> None:
        self.problem = self.problem or problem


@dataclass(frozen=True)
class Substitute:
    """Error that stands for the lost reply to one request."""

    request_id: str | int
    kind: str
    """:data:`NOT_SENT`, :data:`REPLY_LOST`, :data:`CLOSED` or ``_REFUSED``."""

    def content(self, reason: BaseException | str) -> bytes:
        """Return the error as the body of a response."""
        text = reason if isinstance(reason, str) else f"{type(reason).__name__}: {reason}"
        error = {"code": CONNECTION_CLOSED, "message": self.kind + text}
        return json.dumps({"jsonrpc": "2.0", "id": self.request_id, "error": error}).encode()


def _refusal(request_id: str | int) -> bytes:
    return Substitute(request_id, _REFUSED).content(str(BodyTooLargeError()))


class RequestClient(httpx2.AsyncClient):
    """HTTP client with which the network loses one request and not the connection.

    mcp's client ends the connection at any network error, with all requests in flight.
    """

    def __init__(self, replies: HttpReplies, **options: Any) -> None:
        super().__init__(**options)
        self._replies = replies

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request; the response is an error of the protocol if the network loses a request that has an id."""
        for sends in range(1, _MOST_SENDS + 1):
            try:
                response = await super().send(request, **options)
            except httpx2.TransportError as error:
                # The request of an error is another one if the authentication failed.
                is_unsent = isinstance(error, _NOT_CONNECTED) or error.request is not request
                substitute = self._replies.substitute(request, NOT_SENT if is_unsent else REPLY_LOST)
                if substitute is not None:
                    return await self._replies.response(request, substitute.content(error))
                # A notification or an answer may arrive twice; without it a call could wait for ever.
                if not self._replies.is_connected or not is_message(request) or sends == _MOST_SENDS:
                    raise
            else:
                break
        is_separate = self._replies.separate is not None and self._replies.is_connected and is_message(request)
        # At any error status mcp's client of the old transport stops to send, and tells nobody.
        kind = LOST_STATUS.get(response.status_code) or (CLOSED if is_separate and response.is_error else None)
        substitute = self._replies.substitute(request, kind) if kind else None
        has_reply = not is_separate and response.headers.get("content-type", "").lower().startswith(_JSON)
        if kind is None or has_reply or (substitute is None and not is_separate):
            return response
        await response.aclose()
        if substitute is None:
            return httpx2.Response(202, request=request)
        reason = f"HTTP {response.status_code} {response.reason_phrase}"
        return await self._replies.response(request, substitute.content(reason))


def is_message(request: httpx2.Request) -> bool:
    """Return whether a request carries a message of the protocol; an authentication sends others."""
    return request.method == "POST" and request.headers.get("content-type", "").startswith(_JSON)


class _Body(httpx2.AsyncByteStream):
    """Body of a response whose size is bounded."""

    def __init__(  # noqa: PLR0913 (what a body depends on)
        self,
        stream: Any,
        encoding: str,
        open_bodies: "set[_Body]",
        is_endless: bool,
        substitute: Callable[[str], Substitute | None],
        events: OldEvents | None,
    ) -> None:
        self.refusal = ""
        self._beginning = b""
        self._stream = stream
        self._encoding = encoding
        self._open_bodies = open_bodies
        self._is_endless = is_endless
        self._substitute = substitute
        self._events = events
        self._bounded: Bounded = "chunk" if events is not None else "event" if is_endless else "body"

    async def __aiter__(self) -> AsyncIterator[bytes]:
        self._open_bodies.add(self)
        parts = []
        try:
            decoder = BodyDecoder(self._encoding, bounded=self._bounded)
            async for chunk in self._stream:
                data = decoder.decode(chunk)
                self._beginning = self._rest_of(self._beginning + data)
                if self._events is not None:
                    yield await self._events.read(data)
                elif self._is_endless:
                    yield data
                else:
                    parts.append(data)
        except BodyError as error:
            substitute = self._substitute(_REFUSED)
            if substitute is None:
                self.refusal = str(error)
                raise
            content = substitute.content(str(error))
            parts = [_END_OF_EVENT + b"data: " + content + b"\n\n" if self._is_endless else content]
        except httpx2.TransportError as error:
            # A stream that ends is opened again, or its request is lost; at an error mcp's client soon gives it up.
            if not self._is_endless:
                substitute = self._substitute(REPLY_LOST)
                if substitute is None:
                    raise
                parts = [substitute.content(error)]
        self._open_bodies.discard(self)
        if parts:
            yield b"".join(parts)

    async def aclose(self) -> None:
        await self._stream.aclose()

    @property
    def unfinished(self) -> bytes:
        """Beginning of an unfinished reply; a comment in a stream of events is not a reply."""
        return b"" if self._is_endless and b"data:" not in self._beginning else self._beginning

    def _rest_of(self, data: bytes) -> bytes:
        """Return the data without complete events, no more of it than a message needs."""
        if self._is_endless:
            data = data.replace(b"\r\n", b"\n").rpartition(b"\n\n")[2]
        return data[:KEPT]


class _Reader:
    """Stream of messages from the server; it ends when a reply belongs to no request."""

    def __init__(self, stream: Any, watch: ReplyWatch, replies: HttpReplies) -> None:
        self._stream = stream
        self._watch = watch
        self._replies = replies

    @property
    def last_context(self) -> Any:
        """Context of the sender, which mcp's client asks for."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        item: SessionMessage | Exception = await self._stream.receive()
        if isinstance(item, SessionMessage):
            self._watch.record_message(item.message)
            if isinstance(item.message, JSONRPCResponse) and is_large(item.message.result):
                item.message.result = await in_thread(without_blocks, item.message.result)
        if self._replies.problem:
            raise anyio.EndOfStream
        return item

    def __aiter__(self) -> "_Reader":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> "_Reader":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *exit_arguments: Any) -> None:
        await self._stream.__aexit__(*exit_arguments)


class _Writer:
    """Stream of messages to the server that notes which replies to expect."""

    def __init__(self, stream: Any, watch: ReplyWatch) -> None:
        self._stream = stream
        self._watch = watch

    async def send(self, item: SessionMessage, /) -> None:
        self._watch.record_sent(item.message)
        await self._stream.send(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> "_Writer":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *exit_arguments: Any) -> None:
        await self._stream.__aexit__(*exit_arguments)
