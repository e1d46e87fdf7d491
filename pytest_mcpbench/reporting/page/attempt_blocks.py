"""Attempts as inert blocks of the page, written while their records are read one by one."""

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from markupsafe import Markup

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.forms.display_text import visible
from pytest_mcpbench.reporting.page.attempt_document import given_document, outcome_document
from pytest_mcpbench.reporting.page.attempt_index import attempt_index, in_order

# Packing of JSON documents that share most of their text: every text is stored once, in compressed blocks.
#
# A packed value has the shape of the original. A text is replaced by its number among the items, and a number by its
# text. An item is a text, or the packed value of a part that documents share; it refers only to items before it. Blocks
# are written as soon as they are full, so that memory is needed for the digests of the texts and not for the texts.

BLOCK_CHARACTERS = 1_000_000
"""Size of a block before compression: few enough to inflate at once when one attempt is opened."""
_LONGER_THAN_ITS_DIGEST = 40

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

_CONSTANTS = {None: "null", True: "true", False: "false"}

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
        self._numbers: dict[Hashable, str] = {}
        self._items = _Pile("items")
        self._documents = _Pile("attempts")

    def shared(self, key: Hashable, build: Callable[[], Any]) -> int:
        """Return the number of the item with a key; ``build`` returns its value if the item does not exist yet."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = str(self._items.add(self._packed(build())))
        return int(number)

    def packed(self, document: dict[str, Any], **shared: int) -> str:
        """Return a document with the numbers of shared items under these names, packed, as JSON."""
        numbers = "".join(f',"{name}":{number}' for name, number in shared.items())
        text = self._packed(document)
        return f"{text[:-1]}{numbers}}}" if document else f"{{{numbers[1:]}}}"

    def add(self, packed: str) -> None:
        """Add a packed document."""
        self._documents.add(packed)

    def full_blocks(self) -> list[Block]:
        """Return the blocks that are full, and forget their content."""
        return [pile.block() for pile in (self._items, self._documents) if pile.characters >= BLOCK_CHARACTERS]

    def last_blocks(self) -> list[Block]:
        """Return the rest as blocks."""
        return [pile.block() for pile in (self._items, self._documents) if pile.characters]

    def _packed(self, value: Any) -> str:
        # Called for each of the million values of 10,000 attempts that are not a text that was packed before. The keys
        # of documents are ours and need no escape.
        if isinstance(value, str):
            return self._text(value)
        known, packed = self._numbers.get, self._packed
        if isinstance(value, dict):
            members = [
                f'"{name}":{(known(each) if type(each) is str else None) or packed(each)}'
                for name, each in value.items()
            ]
            return "{" + ",".join(members) + "}"
        if isinstance(value, list):
            return (
                "[" + ",".join([(known(each) if type(each) is str else None) or packed(each) for each in value]) + "]"
            )
        if value is None or isinstance(value, bool):
            return _CONSTANTS[value]
        return f'"{value:.6g}"'

    def _text(self, text: str) -> str:
        key = text if len(text) <= _LONGER_THAN_ITS_DIGEST else _digest(text)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = str(self._items.add(_encode(visible(text))))
        return number


class _Pile:
    """The JSON texts of the block that is being filled."""

    def __init__(self, kind: BlockKind) -> None:
        self._kind: BlockKind = kind
        self._first = 0
        self._texts: list[str] = []
        self.characters = 0

    def add(self, text: str) -> int:
        """Add a value, as JSON, and return its number."""
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


_NOTHING = "{}"
"""Document of an entry without a record."""

ReadRecord = Callable[[int], RunRecord | None]
"""Return the record of the entry at a position; ``None`` if it has none."""

AttemptBlocks = Callable[[Sequence[Entry]], Iterator[Markup]]
"""Yield the attempts of the entries and their index as ``<script>`` elements with a type that no browser executes."""


def read_blocks(read: ReadRecord) -> AttemptBlocks:
    """Return blocks whose records are read when they are written, so that few are in memory at a time."""

    def blocks(entries: Sequence[Entry]) -> Iterator[Markup]:
        order = in_order(entries)
        packer = Packer()
        for position in order:
            record = read(position)
            packer.add(_NOTHING if record is None else _packed(packer, record))
            yield from map(_element, packer.full_blocks())
        yield from map(_element, packer.last_blocks())
        yield _index(entries[position] for position in order)

    return blocks


class PackedAttempts:
    """Attempts that are packed as their records are read, because reading all records again takes longest."""

    def __init__(self) -> None:
        self._packer = Packer()
        self._documents: dict[Hashable, str] = {}
        self._blocks: list[Block] = []

    def add(self, key: Hashable, record: RunRecord) -> None:
        """Pack the attempt of a record; a kilobyte of it stays in memory."""
        self._documents[key] = _packed(self._packer, record)
        self._blocks += self._packer.full_blocks()

    def blocks(self, entries: Sequence[Entry], keys: Sequence[Hashable]) -> Iterator[Markup]:
        """Yield the attempts of entries, each with its key, and their index."""
        order = in_order(entries)
        yield from map(_element, self._blocks)
        for position in order:
            self._packer.add(self._documents.get(keys[position], _NOTHING))
            yield from map(_element, self._packer.full_blocks())
        yield from map(_element, self._packer.last_blocks())
        yield _index(entries[position] for position in order)


def _packed(packer: Packer, record: RunRecord) -> str:
    given = packer.shared(key_of_given(record), lambda: given_document(record))
    return packer.packed(outcome_document(record), given=given)


def key_of_given(record: RunRecord) -> Hashable:
    """Return a key of the system prompt and the tools that is cheaper than the text of all definitions."""
    tools = record.evidence.tools if record.evidence else ()
    servers = record.evidence.servers if record.evidence else ()
    if any(server.tools_hash is None for server in servers):
        return json.dumps(given_document(record))
    definitions = tuple((server.name, server.tools_hash) for server in servers)
    conditions = (record.suite, record.file, record.arm, record.settings_hash)
    return (*conditions, record.system_prompt, definitions, tuple(tool.name for tool in tools))


def _index(entries: Iterable[Entry]) -> Markup:
    content = json.dumps([attempt_index(entries)], ensure_ascii=False, separators=(",", ":"))
    return _element(compress("index", content))


def _element(block: Block) -> Markup:
    return Markup('<script type="application/x-mcpbench-{}" data-first="{}" data-count="{}">{}</script>\n').format(
        block.kind, block.first, block.count, block.content
    )
