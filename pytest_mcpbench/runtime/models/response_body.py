"""Body of a provider's response, read within bounds of size and of silence."""

import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import anyio

from pytest_mcpbench.runtime.models.provider_error import ProviderError

if TYPE_CHECKING:
    import httpx2

LARGEST_BODY = 64 * 1024 * 1024
"""Bytes of a response, after decompression."""
IDLE_SECONDS = 60.0
"""Silence in the middle of a response after which it is given up. A model that thinks has not begun its response."""
ENCODINGS = "gzip, deflate"
"""Compressions that this module reads; the decoders of HTTP clients do not bound what they write."""


@dataclass(frozen=True)
class Response:
    """Complete response of a provider."""

    status: int
    reason: str
    headers: "httpx2.Headers"
    content: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")


async def read_response(response: "httpx2.Response") -> Response:
    """Read a response to its end.

    Raises:
        ProviderError: the body is too large, compressed in a way that was not asked for, or it stopped.
    """
    decoder = _decoder(response.headers.get("content-encoding", ""))
    content = bytearray()
    async for chunk in _chunks(response.aiter_raw()):
        content += decoder.decode(chunk, LARGEST_BODY + 1 - len(content))
        if len(content) > LARGEST_BODY:
            raise ProviderError("too_large", f"its response has more than {LARGEST_BODY // 1024**2} MB")
    return Response(response.status_code, response.reason_phrase, response.headers, bytes(content))


class _Decoder(Protocol):
    """Decoder of a body that arrives in chunks."""

    def decode(self, chunk: bytes, most: int) -> bytes:
        """Return the next bytes of the body, no more than ``most``."""
        ...


class _Plain:
    def decode(self, chunk: bytes, most: int) -> bytes:
        return chunk[:most]


class _Deflated:
    """Decoder of gzip and zlib, and of deflate without a header, which some servers send."""

    def __init__(self) -> None:
        self._inflator = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._is_first = True

    def decode(self, chunk: bytes, most: int) -> bytes:
        try:
            data = self._inflator.decompress(chunk, most)
        except zlib.error as error:
            if not self._is_first:
                raise _not_decompressed(error) from None
            self._inflator = zlib.decompressobj(-zlib.MAX_WBITS)
            data = self._inflate_raw(chunk, most)
        self._is_first = False
        return data

    def _inflate_raw(self, chunk: bytes, most: int) -> bytes:
        try:
            return self._inflator.decompress(chunk, most)
        except zlib.error as error:
            raise _not_decompressed(error) from None


def _not_decompressed(error: zlib.error) -> ProviderError:
    return ProviderError("invalid_response", f"its response cannot be decompressed: {error}")


def _decoder(encoding: str) -> _Decoder:
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip" | "deflate":
            return _Deflated()
    raise ProviderError("invalid_response", f"its response is compressed as {encoding!r}, which was not asked for")


async def _chunks(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    received = 0
    while True:
        try:
            with anyio.fail_after(IDLE_SECONDS):
                chunk = await anext(stream)
        except StopAsyncIteration:
            return
        except TimeoutError:
            problem = f"stopped in the middle of its response: {received} bytes and then nothing for {IDLE_SECONDS:g} s"
            raise ProviderError("timeout", problem) from None
        received += len(chunk)
        yield chunk
