"""Packing of JSON documents that share most of their text: every text is stored once, in compressed blocks.

A packed value has the shape of the original. A text is replaced by its number among the items, and a number by its
text. An item is a text, or the packed value of a part that documents share; it refers only to items before it. Blocks
are written as soon as they are full, so that memory is needed for the digests of the texts and not for the texts.
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Literal

from pytest_mcpbench.reporting.display_text import visible

BLOCK_CHARACTERS = 1_000_000
"""Size of a block before compression: few enough to inflate at once when one attempt is opened."""
_LONGER_THAN_ITS_DIGEST = 40

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

BlockKind = Literal["items", "attempts", "index"]


@dataclass(frozen=True)
class Block:
    """A compressed list of items or documents."""

    kind: BlockKind
    first: int
    """Number of its first item or document."""
    count: int
    content: str
    """JSON, compressed with zlib, as base64."""


def compress(kind: BlockKind, content: str, *, first: int = 0, count: int = 1) -> Block:
    """Return JSON as a block."""
    compressed = zlib.compress(content.encode(errors="replace"), 9)
    return Block(kind, first, count, base64.b64encode(compressed).decode())


class Packer:
    """Packer of documents that numbers them and their items from 0, and returns each block that is full."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._items = _Pile("items")
        self._documents = _Pile("attempts")

    def shared(self, key: Hashable, build: Callable[[], Any]) -> int:
        """Return the number of the item with a key; ``build`` returns its value if the item does not exist yet."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._items.add(self._packed(build()))
        return number

    def add(self, document: dict[str, Any], **shared: int) -> None:
        """Pack a document with the numbers of shared items under these names."""
        self._documents.add({**self._packed(document), **shared})

    def full_blocks(self) -> list[Block]:
        """Return the blocks that are full, and forget their content."""
        return [pile.block() for pile in (self._items, self._documents) if pile.characters >= BLOCK_CHARACTERS]

    def last_blocks(self) -> list[Block]:
        """Return the rest as blocks."""
        return [pile.block() for pile in (self._items, self._documents) if pile.characters]

    def _packed(self, value: Any) -> Any:
        # Called for each of the two million values of 10,000 attempts: texts, the most frequent ones, come first.
        if isinstance(value, str):
            number = self._numbers.get(value) if len(value) <= _LONGER_THAN_ITS_DIGEST else None
            return self._text(value) if number is None else number
        if isinstance(value, dict):
            return {name: self._packed(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._packed(each) for each in value]
        if value is None or isinstance(value, bool):
            return value
        return f"{value:.6g}"

    def _text(self, text: str) -> int:
        key = text if len(text) <= _LONGER_THAN_ITS_DIGEST else _digest(text)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._items.add(visible(text))
        return number


class _Pile:
    """The JSON texts of the block that is being filled."""

    def __init__(self, kind: BlockKind) -> None:
        self._kind: BlockKind = kind
        self._first = 0
        self._texts: list[str] = []
        self.characters = 0

    def add(self, value: Any) -> int:
        """Add a value and return its number."""
        text = _encode(value)
        self._texts.append(text)
        self.characters += len(text) + 1
        return self._first + len(self._texts) - 1

    def block(self) -> Block:
        """Return the values as a block and start the next one."""
        block = compress(self._kind, f"[{','.join(self._texts)}]", first=self._first, count=len(self._texts))
        self._first += len(self._texts)
        self._texts, self.characters = [], 0
        return block


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
