import struct
import zlib

from pytest_mcpbench.simulated.engine.png import grey_png


def test_a_picture_has_the_size_and_the_shades_of_its_rows() -> None:
    picture = grey_png([b"\x00\x80\xff", b"\xff\x80\x00"])
    signature, rest = picture[:8], picture[8:]
    chunks = {}
    while rest:
        (length,) = struct.unpack(">I", rest[:4])
        kind, data, checksum = rest[4:8], rest[8 : 8 + length], rest[8 + length : 12 + length]
        assert struct.unpack(">I", checksum) == (zlib.crc32(kind + data),)
        chunks[kind], rest = data, rest[12 + length :]
    assert signature == b"\x89PNG\r\n\x1a\n"
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (3, 2, 8, 0, 0, 0, 0)
    assert zlib.decompress(chunks[b"IDAT"]) == b"\0\x00\x80\xff\0\xff\x80\x00"
