"""Attempts as inert blocks of the page, written while their records are read one by one."""

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from markupsafe import Markup

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.page.attempt_document import given_document, outcome_document
from pytest_mcpbench.reporting.page.attempt_index import attempt_index, in_order
from pytest_mcpbench.reporting.page.packing import Block, Packer, compress

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
