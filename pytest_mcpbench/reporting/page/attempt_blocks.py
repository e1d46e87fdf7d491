"""Attempts as inert blocks of the page, written while their records are read one by one."""

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy
from markupsafe import Markup

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.forms.display_text import visible
from pytest_mcpbench.reporting.page.attempt_document import given_document, outcome_document
from pytest_mcpbench.reporting.page.attempt_index import attempt_index, in_order

# Packing of JSON documents that share most of their text.
#
# A document is a row: the number of its shape, which is the document with 0 in place of every text and number, then the
# values in their order. A number in a row is that of a text; a numeral as a string is a number. The row of an attempt
# ends with the number of what the agent was given, which is a row of its own.
#
# A text is stored once, as the numbers of its words. Words are runs of letters, of digits, and of other characters.
# Deflate looks back only 32 KB, so that words as numbers need a third less than words as letters, and a search looks
# for a word in the list of all words, not in all texts.
#
# Blocks are written as soon as they are full, so that memory is needed for the digests of the texts, for rows and for
# words, and not for the texts.

BLOCK_BYTES = 600_000
"""Size of a block before compression: few enough to inflate at once when one attempt is opened."""
_LONGER_THAN_ITS_DIGEST = 40

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

_CONSTANTS = {None: "null", True: "true", False: "false"}
_VALUE = re.compile(r'(?<=[:,\[])(?:\d+|"[^"]*")(?=[,\]}])')
"""A value of a packed document; a name is followed by a colon."""
_SEVEN_BITS = 0x7F
_LETTERS = "A-Za-z\u00c0-\u024f\u0370-\u052f"
_WORD = re.compile(rf"[{_LETTERS}]+|\d+|[^{_LETTERS}\d]+")

BlockKind = Literal["words", "texts", "shapes", "given", "attempts", "index"]


@dataclass(frozen=True)
class Block:
    """A compressed list of values."""

    kind: BlockKind
    first: int
    """Number of its first value."""
    size: int
    """Bytes of the content before it was made text."""
    content: str
    """Compressed with zlib, as text: of ``texts`` the codes of their words, else a JSON list."""


def compress(kind: BlockKind, content: bytes, *, first: int = 0) -> Block:
    """Return a list of values as a block."""
    compressed = zlib.compress(content, 9)
    bits = numpy.unpackbits(numpy.frombuffer(compressed, dtype=numpy.uint8))
    groups = numpy.append(bits, numpy.zeros(-len(bits) % _BITS, dtype=numpy.uint8)).reshape(-1, _BITS)
    numbers = groups @ (1 << numpy.arange(_BITS - 1, -1, -1))
    characters = _ALPHABET[numpy.stack(numpy.divmod(numbers, len(_ALPHABET)), axis=1)]
    return Block(kind, first, len(compressed), str(characters.tobytes(), "ascii"))


class Packer:
    """Packer of documents that numbers them and their texts from 0, and returns each block that is full."""

    def __init__(self) -> None:
        self._numbers: dict[str | bytes, str] = {}
        self._given_numbers: dict[Hashable, int] = {}
        self._shape_numbers: dict[str, int] = {}
        self._words = _WordCodes()
        self._texts = _Pile("texts")
        self._given = _Pile("given")
        self._attempts = _Pile("attempts")

    def given(self, key: Hashable, build: Callable[[], dict[str, Any]]) -> int:
        """Return the number of what agents were given; ``build`` returns it if the key is new."""
        number = self._given_numbers.get(key)
        if number is None:
            number = self._given_numbers[key] = self._given.add(self.packed(build()).encode())
        return number

    def packed(self, document: dict[str, Any], *last: int) -> str:
        """Return a document as a row in JSON that ends with further numbers."""
        text = self._packed(document)
        shape = self._shape_numbers.setdefault(_VALUE.sub("0", text), len(self._shape_numbers))
        return f"[{','.join([str(shape), *_VALUE.findall(text), *map(str, last)])}]"

    def add(self, packed: str) -> None:
        """Add the row of an attempt."""
        self._attempts.add(packed.encode())

    def full_blocks(self) -> list[Block]:
        """Return the blocks that are full, and forget their content."""
        return [pile.block() for pile in self._piles if pile.size >= BLOCK_BYTES]

    def last_blocks(self) -> list[Block]:
        """Return the rest as blocks."""
        rest = [pile.block() for pile in self._piles if pile.size]
        shapes = f"[{','.join(self._shape_numbers)}]".encode()
        words = _encode(list(self._words)).encode()
        return [*rest, compress("shapes", shapes), compress("words", words)]

    @property
    def _piles(self) -> tuple["_Pile", ...]:
        return self._texts, self._given, self._attempts

    def _packed(self, value: Any) -> str:
        # Called for each of the million values of 10,000 attempts that are not a text that was packed before. The names
        # in documents are ours and need no escape.
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
        key: str | bytes = text
        if len(text) > _LONGER_THAN_ITS_DIGEST:
            key = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
        number = self._numbers.get(key)
        if number is None:
            codes = b"".join(map(self._words.__getitem__, _WORD.findall(visible(text))))
            number = self._numbers[key] = str(self._texts.add(codes))
        return number


class _WordCodes(dict[str, bytes]):
    """Codes of words by their first appearance, from 1 on; 0 ends a text. Frequent words appear early."""

    def __missing__(self, word: str) -> bytes:
        rest = len(self) + 1
        code = bytearray()
        while rest > _SEVEN_BITS:  # LEB128: seven bits a byte, the lowest first; the last byte has no high bit
            code.append(rest & _SEVEN_BITS | 0x80)
            rest >>= 7
        self[word] = made = bytes((*code, rest))
        return made


class _Pile:
    """The values of the block that is being filled."""

    def __init__(self, kind: BlockKind) -> None:
        self._kind: BlockKind = kind
        self._first = 0
        self._values: list[bytes] = []
        self.size = 0

    def add(self, value: bytes) -> int:
        """Add a text, as codes, or a row, as JSON, and return its number."""
        self._values.append(value)
        self.size += len(value) + 1
        return self._first + len(self._values) - 1

    def block(self) -> Block:
        """Return the values as a block and start the next one."""
        content = b"\0".join([*self._values, b""]) if self._kind == "texts" else b"[%b]" % b",".join(self._values)
        block = compress(self._kind, content, first=self._first)
        self._first += len(self._values)
        self._values, self.size = [], 0
        return block


# Binary data as printable text (basE91, http://base91.sourceforge.net, with another alphabet): 13 bits are two
# characters, where base64 has 12 bits. The alphabet are the characters from "#" on; "~" stands for "<".

_BITS = 13
_ALPHABET = numpy.frombuffer(bytes(range(35, 126)).replace(b"<", b"~"), dtype=numpy.uint8)


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
            packer.add(_packed(packer, read(position)))
            yield from map(element, packer.full_blocks())
        yield from map(element, packer.last_blocks())
        yield _index(entries[position] for position in order)

    return blocks


class PackedAttempts:
    """Attempts that are packed as their records are read, because reading all records again takes longest."""

    def __init__(self) -> None:
        self._packer = Packer()
        self._rows: dict[Hashable, str] = {}
        self._blocks: list[Block] = []

    def add(self, key: Hashable, record: RunRecord) -> None:
        """Pack the attempt of a record; its row stays in memory."""
        self._rows[key] = _packed(self._packer, record)
        self._blocks += self._packer.full_blocks()

    def blocks(self, entries: Sequence[Entry], keys: Sequence[Hashable]) -> Iterator[Markup]:
        """Yield the attempts of entries, each with its key, and their index."""
        order = in_order(entries)
        yield from map(element, self._blocks)
        nothing = _packed(self._packer, None)
        for position in order:
            self._packer.add(self._rows.get(keys[position], nothing))
            yield from map(element, self._packer.full_blocks())
        yield from map(element, self._packer.last_blocks())
        yield _index(entries[position] for position in order)


def _packed(packer: Packer, record: RunRecord | None) -> str:
    """Return the row of an attempt; of an entry without a record it has no values."""
    if record is None:
        return packer.packed({})
    given = packer.given(key_of_given(record), lambda: given_document(record))
    return packer.packed(outcome_document(record), given)


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
    return element(compress("index", _encode([attempt_index(entries)]).encode(errors="replace")))


def element(block: Block) -> Markup:
    """Return a block as an element of the page."""
    # The alphabet of blocks has "&" and ">", which inside of a script element stand for themselves.
    return Markup('<script type="application/x-mcpbench-{}" data-first="{}" data-size="{}">{}</script>\n').format(
        block.kind, block.first, block.size, Markup(block.content)
    )
