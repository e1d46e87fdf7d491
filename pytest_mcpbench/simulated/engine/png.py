"""Grey pictures as PNG, for servers that return an image."""

import struct
import zlib
from collections.abc import Sequence


def grey_png(rows: Sequence[bytes], *, level: int = 9) -> bytes:
    """Return a picture whose rows have one byte for each pixel, from 0 (black) to 255 (white).

    Args:
        rows: At least one row; all have the same length.
        level: Compression, from 0 to 9. It changes the bytes of the file, not the picture.
    """
    # Eight bits a pixel; the zeros are the colour type (grey), compression, filter and interlace methods.
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    # Each row begins with the number of its filter: none.
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), level)
    # A chunk is its length, kind, data and checksum.
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    )
