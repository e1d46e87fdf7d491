"""Size limits for the responses that litellm reads, as in the package's own backend; the last body is kept.

litellm's transport is not public; it was tried with litellm 1.106.2. Import this module after litellm.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

import httpx

from pytest_mcpbench.files.bounded_decoding import ENCODINGS, BodyDecoder, BodyError

_body: ContextVar[bytearray | None] = ContextVar("mcpbench_body", default=None)
"""The last body within a context; ``None``: the bodies are another program's."""


@contextmanager
def bounded_bodies() -> Iterator[bytearray]:
    """Bound the bodies of the requests within this context, and of no others that litellm sends in this process.

    Yields the last body, complete when litellm has read it.
    """
    body = bytearray()
    token = _body.set(body)
    try:
        yield body
    finally:
        _body.reset(token)


def install_bounds() -> None:
    """Let litellm's transport bound bodies; does nothing if it does already, or if litellm has another transport."""
    from litellm.llms.custom_httpx import aiohttp_transport

    transport: Any = aiohttp_transport.LiteLLMAiohttpTransport
    send = transport.handle_async_request
    if hasattr(send, "__wrapped__"):
        return

    @wraps(send)
    async def send_bounded(self: Any, request: httpx.Request) -> httpx.Response:
        kept = _body.get()
        if kept is None:
            response: httpx.Response = await send(self, request)
            return response
        request.headers["Accept-Encoding"] = ENCODINGS
        response = await send(self, request)
        response.stream = _Body(response.stream, response.headers.pop("content-encoding", ""), kept)
        return response

    transport.handle_async_request = send_bounded


def causing_body_error(error: BaseException) -> BodyError | None:
    """Return the error of a body that led to an exception of litellm; ``None`` if none did."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, BodyError):
            return cause
        cause = cause.__cause__ or cause.__context__
    return None


class _Body(httpx.AsyncByteStream):
    def __init__(self, stream: Any, encoding: str, kept: bytearray) -> None:
        self._stream = stream
        self._encoding = encoding
        self._kept = kept

    async def __aiter__(self) -> AsyncIterator[bytes]:
        decoder = BodyDecoder(self._encoding)
        self._kept.clear()
        async for chunk in self._stream:
            decoded = decoder.decode(chunk)
            self._kept += decoded
            yield decoded

    async def aclose(self) -> None:
        await self._stream.aclose()
