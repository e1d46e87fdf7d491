"""A stand-in for the QR code for signing in; it cannot be scanned."""

import struct
import zlib
from base64 import b64encode

from pytest_mcpbench.core.sandbox import Ids

_MODULES, _PIXELS = 29, 4


def login_picture(ids: Ids) -> str:
    """Return a black and white PNG of random squares, in base64."""
    rows = [[ids.number(0, 1) for _ in range(_MODULES)] for _ in range(_MODULES)]
    lines = [bytes([0, *(255 * cell for cell in row for _ in range(_PIXELS))]) for row in rows for _ in range(_PIXELS)]
    side = _MODULES * _PIXELS
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    body = zlib.compress(b"".join(lines))
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", body), _chunk(b"IEND", b""))
    return b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode()


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
