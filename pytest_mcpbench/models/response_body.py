"""Body of a provider's response, read within bounds of size and of silence."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from pytest_mcpbench.files.bounded_decoding import BodyDecoder, BodyError, BodyTooLargeError
from pytest_mcpbench.models.provider_error import FailureKind, ProviderError

if TYPE_CHECKING:
    import httpx2

IDLE_SECONDS = 60.0
"""Silence in the middle of a response after which it is given up. A model that thinks has not begun its response."""


@dataclass(frozen=True)
class BoundedResponse:
    """Complete response of a provider."""

    status: int
    headers: "httpx2.Headers"
    content: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")


async def read_response(response: "httpx2.Response", feed: Callable[[bytes], None] = lambda _: None) -> BoundedResponse:
    """Read a response to its end; ``feed`` receives each part of a successful one's decoded body as it arrives.

    Raises:
        ProviderError: the body is too large, compressed in a way that was not asked for, or it stopped.
    """
    content = bytearray()
    try:
        decoder = BodyDecoder(response.headers.get("content-encoding", ""))
        async for chunk in _chunks(response.aiter_raw()):
            part = decoder.decode(chunk)
            content += part
            if response.is_success:
                feed(part)
    except BodyError as error:
        raise body_error(error) from None
    return BoundedResponse(response.status_code, response.headers, bytes(content))


def body_error(error: BodyError) -> ProviderError:
    """Return the provider's error for a body that is refused."""
    kind: FailureKind = "too_large" if isinstance(error, BodyTooLargeError) else "invalid_response"
    return ProviderError(kind, str(error))


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
