"""Bodies of the responses that litellm reads, bounded like those of the package's own backend.

litellm's transport is not public; it was tried with litellm 1.106.2. Import this module after litellm.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

import httpx

from pytest_mcpbench.runtime.bounded_decoding import ENCODINGS, BodyDecoder, BodyError

_are_bounded: ContextVar[bool] = ContextVar("mcpbench_bounded_bodies", default=False)


@contextmanager
def bounded_bodies() -> Iterator[None]:
    """Bound the bodies of the requests within this context, and of no others that litellm sends in this process."""
    token = _are_bounded.set(True)
    try:
        yield
    finally:
        _are_bounded.reset(token)


def install_bounds() -> None:
    """Let litellm's transport bound bodies; does nothing if it does already, or if litellm has another transport."""
    from litellm.llms.custom_httpx import aiohttp_transport

    transport: Any = aiohttp_transport.LiteLLMAiohttpTransport
    send = transport.handle_async_request
    if hasattr(send, "__wrapped__"):
        return

    @wraps(send)
    async def send_bounded(self: Any, request: httpx.Request) -> httpx.Response:
        if not _are_bounded.get():
            response: httpx.Response = await send(self, request)
            return response
        request.headers["Accept-Encoding"] = ENCODINGS
        response = await send(self, request)
        response.stream = _Body(response.stream, response.headers.pop("content-encoding", ""))
        return response

    transport.handle_async_request = send_bounded


def refusal(error: BaseException) -> BodyError | None:
    """Return the refusal of a body that led to an exception of litellm; ``None`` if there was none."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, BodyError):
            return cause
        cause = cause.__cause__ or cause.__context__
    return None


class _Body(httpx.AsyncByteStream):
    def __init__(self, stream: Any, encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding

    async def __aiter__(self) -> AsyncIterator[bytes]:
        decoder = BodyDecoder(self._encoding)
        async for chunk in self._stream:
            yield decoder.decode(chunk)

    async def aclose(self) -> None:
        await self._stream.aclose()
