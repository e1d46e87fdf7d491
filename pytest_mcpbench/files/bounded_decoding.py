"""Decoding of compressed HTTP bodies within a bound of size, which the decoders of HTTP clients do not have."""

import zlib
from typing import Literal, Protocol

LARGEST_BODY = 64 * 1024 * 1024
"""Bytes of a response, after decompression."""
_BLANK_LINES = b"\n\n", b"\r\n\r\n", b"\r\r"
Bounded = Literal["body", "event", "chunk"]
"""The whole body, each event of a stream of events, or no more than each chunk, if the caller bounds the events."""
ENCODINGS = "gzip, deflate"
"""Compressions that are read, as a request names them."""


class BodyError(Exception):
    """A body that is too large or cannot be decompressed; the message begins with 'its response'."""


class BodyTooLargeError(BodyError):
    """A body of more bytes than are read."""

    def __init__(self) -> None:
        super().__init__(f"its response has more than {LARGEST_BODY / 1024**2:.3g} MB")


class BodyDecoder:
    """Decoder of one body, which arrives in chunks.

    Args:
        encoding: Compression that the header of the response names.
        bounded: What may have no more than :data:`LARGEST_BODY` bytes.
    """

    def __init__(self, encoding: str, *, bounded: Bounded = "body") -> None:
        self._decompressor = _decompressor(encoding)
        self._bounded = bounded
        self._length = 0
        self._tail = b""
        """Last bytes of a stream of events, in which the end of an event may begin."""

    def decode(self, chunk: bytes) -> bytes:
        """Return the next bytes of the body.

        Raises:
            BodyError: the body is too large, or is not compressed as its header says.
        """
        data = self._decompressor.decompress(chunk, LARGEST_BODY + 1)
        if self._bounded == "event":
            # The length of the event that has not ended after this data.
            seen = self._tail + data
            self._tail = seen[-3:]
            end = max(seen.rfind(blank_line) for blank_line in _BLANK_LINES)
            self._length = self._length + len(data) if end < 0 else len(seen) - end
        elif self._bounded == "body":
            self._length += len(data)
        # Of a chunk that is larger the decompressor returns a part only.
        if max(self._length, len(data)) > LARGEST_BODY:
            raise BodyTooLargeError
        return data


class _Decompressor(Protocol):
    def decompress(self, chunk: bytes, most: int) -> bytes:
        """Return the next bytes, no more than ``most``."""
        ...


class _Identity:
    def decompress(self, chunk: bytes, most: int) -> bytes:
        return chunk[:most]


class _Inflator:
    """Decompressor of gzip and zlib, and of deflate without a header, which some servers send."""

    def __init__(self) -> None:
        self._inflator = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._has_begun = False

    def decompress(self, chunk: bytes, most: int) -> bytes:
        try:
            data = self._inflator.decompress(chunk, most)
        except zlib.error as error:
            if self._has_begun:
                raise _not_decompressed(error) from None
            self._inflator = zlib.decompressobj(-zlib.MAX_WBITS)
            try:
                data = self._inflator.decompress(chunk, most)
            except zlib.error as second_error:
                raise _not_decompressed(second_error) from None
        self._has_begun = True
        return data


def _not_decompressed(error: zlib.error) -> BodyError:
    return BodyError(f"its response cannot be decompressed: {error}")


def _decompressor(encoding: str) -> _Decompressor:
    match encoding.strip().lower():
        case "" | "identity":
            return _Identity()
        case "gzip" | "x-gzip" | "deflate":
            return _Inflator()
    raise BodyError(f"its response is compressed as {encoding!r} instead of {ENCODINGS}")
