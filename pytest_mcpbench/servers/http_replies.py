"""Replies of a server at a URL: bodies within bounds, and replies that nobody can read."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx2
from mcp import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, JSONRPCResponse

from pytest_mcpbench.core.secrets import NO_SECRETS, Secrets
from pytest_mcpbench.files.bounded_decoding import BodyDecoder, BodyError
from pytest_mcpbench.servers.large_results import is_large, without_blocks
from pytest_mcpbench.servers.reply_watch import KEPT, ReplyWatch, show

CONNECT_SECONDS = 30.0
"""Longest wait for a connection to a server; its first reply may take longer."""
_UNPARSED = ("Failed to parse JSON response", "Failed to parse SSE message")
"""Beginnings of the messages with which mcp's client replaces a reply that is not JSON-RPC (tried with mcp 2.3)."""
_UNANSWERED = ("server answered a request with 202", "Redirect to ", "Unexpected content type")
"""The same for a response that holds no reply: accepted, redirected, without a body, or of another type."""


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
    problem: str = ""
    """Description of a reply that belongs to no request, after which the connection is given up."""
    _bodies: "set[_Body]" = field(default_factory=set)

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
        refused = next((body.refusal for body in self._bodies if body.refusal), "")
        unfinished = next((body.unfinished for body in self._bodies if body.unfinished), b"")
        if refused or not isinstance(error, TimeoutError):
            return refused
        return f"its reply is not complete: {show(unfinished, self.secrets)}" if unfinished else ""

    def watch_body(self, response: httpx2.Response) -> None:
        """Bound the body of a response, and remember how much of it arrived."""
        is_endless = response.headers.get("content-type", "").startswith("text/event-stream")
        body = _Body(response.stream, response.headers.pop("content-encoding", ""), self._bodies, is_endless)
        response.stream = body

    def _give_up(self, problem: str) -> None:
        self.problem = self.problem or problem


class _Body(httpx2.AsyncByteStream):
    """Body of a response whose size is bounded."""

    def __init__(self, stream: Any, encoding: str, open_bodies: "set[_Body]", is_endless: bool) -> None:
        self.refusal = ""
        self._beginning = b""
        self._stream = stream
        self._encoding = encoding
        self._open_bodies = open_bodies
        self._is_endless = is_endless

    async def __aiter__(self) -> AsyncIterator[bytes]:
        self._open_bodies.add(self)
        try:
            decoder = BodyDecoder(self._encoding, is_endless=self._is_endless)
            async for chunk in self._stream:
                data = decoder.decode(chunk)
                self._beginning = self._rest_of(self._beginning + data)
                yield data
        except BodyError as error:
            self.refusal = str(error)
            raise
        self._open_bodies.discard(self)

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
                item.message.result = await asyncio.to_thread(without_blocks, item.message.result)
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
