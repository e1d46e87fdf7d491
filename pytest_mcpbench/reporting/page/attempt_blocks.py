"""Attempts as inert blocks of the page, written while their records are read one by one."""

import json
from collections.abc import Callable, Hashable, Iterator, Sequence

from markupsafe import Markup

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.page.attempt_document import given_document, outcome_document
from pytest_mcpbench.reporting.page.attempt_index import attempt_index, in_order
from pytest_mcpbench.reporting.page.packing import Block, Packer, compress

ReadRecord = Callable[[int], RunRecord | None]
"""Return the record of the entry at a position; ``None`` if it has none."""


def attempt_blocks(entries: Sequence[Entry], read: ReadRecord) -> Iterator[Markup]:
    """Yield the attempts and their index as ``<script>`` elements with a type that no browser executes."""
    order = in_order(entries)
    packer = Packer()
    for position in order:
        _add(packer, read(position))
        yield from map(_element, packer.full_blocks())
    yield from map(_element, packer.last_blocks())
    index = attempt_index(entries[position] for position in order)
    yield _element(compress("index", json.dumps([index], ensure_ascii=False, separators=(",", ":"))))


def _add(packer: Packer, record: RunRecord | None) -> None:
    if record is None:
        packer.add({})
        return
    given = packer.shared(key_of_given(record), lambda: given_document(record))
    packer.add(outcome_document(record), given=given)


def key_of_given(record: RunRecord) -> Hashable:
    """Return a key of the system prompt and the tools that is cheaper than the text of all definitions."""
    tools = record.evidence.tools if record.evidence else ()
    servers = record.evidence.servers if record.evidence else ()
    if any(server.tools_hash is None for server in servers):
        return json.dumps(given_document(record))
    definitions = tuple((server.name, server.tools_hash) for server in servers)
    conditions = (record.suite, record.file, record.arm, record.settings_hash)
    return (*conditions, record.system_prompt, definitions, tuple(tool.name for tool in tools))


def _element(block: Block) -> Markup:
    return Markup('<script type="application/x-mcpbench-{}" data-first="{}" data-count="{}">{}</script>\n').format(
        block.kind, block.first, block.count, block.content
    )
