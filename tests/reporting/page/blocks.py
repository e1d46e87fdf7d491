"""The data of a page as its client script reads it."""

import json
import re
import zlib
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r'<script type="application/x-mcpbench-(\w+)" data-first="\d+" data-size="(\d+)">([^<]*)</script>')
_TEXT_END = b"\0"


def blocks(page: str, kind: str) -> list[Any]:
    """The values of all blocks of a kind."""
    found = [inflate(content, int(size)) for each, size, content in _BLOCK.findall(page) if each == kind]
    if kind != "texts":
        return [value for content in found for value in json.loads(content)]
    (*words,) = blocks(page, "words")
    return [_text(codes, words) for content in found for codes in content.split(_TEXT_END)[:-1]]


def attempts(page: str) -> list[Any]:
    """The documents of all attempts."""
    texts, shapes, given = (blocks(page, kind) for kind in ("texts", "shapes", "given"))

    def document(row: list[Any]) -> Any:
        values = iter(row[1:])
        made = _filled(shapes[row[0]], values, texts)
        number = next(values, None)
        return made if number is None else {**made, "given": document(given[number])}

    return [document(row) for row in blocks(page, "attempts")]


def inflate(content: str, size: int) -> bytes:
    digits = [25 if code == "~" else ord(code) - 35 for code in content]
    bits = "".join(f"{91 * high + low:013b}" for high, low in zip(digits[::2], digits[1::2], strict=True))
    return zlib.decompress(int(bits[: 8 * size], 2).to_bytes(size, "big"))


def inflated(path: Path) -> str:
    """All texts of a page in a file."""
    page = path.read_text(encoding="utf-8")
    return "\n".join(
        json.dumps(value, ensure_ascii=False) for kind in ("texts", "index") for value in blocks(page, kind)
    )


def _text(codes: bytes, words: list[str]) -> str:
    numbers = [0]
    shift = 0
    for byte in codes:
        numbers[-1] |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(0)
            shift = 0
    return "".join(words[number - 1] for number in numbers[:-1])


def _filled(shape: Any, values: Any, texts: list[str]) -> Any:
    """The document of a shape: 0 is the next value, which is the number of a text, or a numeral."""
    if isinstance(shape, dict):
        return {name: _filled(each, values, texts) for name, each in shape.items()}
    if isinstance(shape, list):
        return [_filled(each, values, texts) for each in shape]
    if shape is None or isinstance(shape, bool):
        return shape
    value = next(values)
    return texts[value] if isinstance(value, int) else float(value)
