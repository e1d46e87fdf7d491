"""Packed documents: each text once, numbers exact enough to show, everything there again."""

import json
import re
from collections.abc import Iterable
from typing import Any

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.page.attempt_blocks import BLOCK_CHARACTERS, Block, PackedAttempts, Packer, read_blocks
from pytest_mcpbench.reporting.page.attempt_document import attempt_document
from pytest_mcpbench.reporting.page.attempt_index import attempt_index, in_order
from tests.reporting.page.blocks import inflate
from tests.reporting.samples import an_entry, one_of_each, report_of


def content(block: Block) -> list[Any]:
    return inflate(block.content)


def unpacked(packed: Any, items: list[Any]) -> Any:
    """The value that the client script makes of a packed one."""
    if isinstance(packed, bool) or packed is None:
        return packed
    if isinstance(packed, int):
        return items[packed] if isinstance(items[packed], str) else unpacked(items[packed], items)
    if isinstance(packed, str):
        return float(packed)
    if isinstance(packed, dict):
        return {name: unpacked(each, items) for name, each in packed.items()}
    return [unpacked(each, items) for each in packed]


def test_a_text_is_stored_once_and_documents_come_back_whole() -> None:
    packer = Packer()
    long = "a text that is longer than the digest by which it is found again"
    given = packer.shared("key", lambda: {"system": long, "tools": [{"name": "read"}]})
    assert packer.shared("key", dict) == given
    documents: list[dict[str, Any]] = [
        {"text": long, "number": 0.25, "is_short": True, "none": None, "list": [long, "0.25"]},
        {"text": ""},
    ]
    for document in documents:
        packer.add(packer.packed(document, given=given))
    items, packed = map(content, packer.last_blocks())
    assert items == [long, "read", {"system": 0, "tools": [{"name": 1}]}, "0.25", ""]
    shared = {"given": {"system": long, "tools": [{"name": "read"}]}}
    assert [unpacked(each, items) for each in packed] == [{**document, **shared} for document in documents]


def test_full_blocks_are_given_out_and_numbers_go_on() -> None:
    packer = Packer()
    packer.add(packer.packed({"text": "x" * BLOCK_CHARACTERS}))
    (full,) = packer.full_blocks()
    assert (full.kind, full.first, full.count) == ("items", 0, 1)
    packer.add(packer.packed({"text": "y"}))
    items, documents = packer.last_blocks()
    assert (items.first, content(items), content(documents)) == (1, ["y"], [{"text": 0}, {"text": 1}])


def test_the_document_of_an_attempt_leaves_nothing_out() -> None:
    for record in one_of_each():
        document = json.dumps(attempt_document(record), ensure_ascii=False)
        texts = [record.prompt, *(record.evidence.answer if record.evidence else "").splitlines()]
        for call in record.evidence.calls if record.evidence else ():
            texts.append(call.result.text if call.result else "")
        for text in texts:
            if text.isprintable():
                assert json.dumps(text, ensure_ascii=False)[1:-1] in document


def test_attempts_are_in_natural_order_of_their_tasks() -> None:
    entries = [an_entry(f"single-{number}", model=model) for model in ("b", "a") for number in (10, 2, 1)]
    ordered = [(entries[position].task_id, entries[position].model) for position in in_order(entries)]
    assert ordered == [(f"single-{number}", model) for number in (1, 2, 10) for model in ("b", "a")]


def test_the_index_has_a_row_for_each_entry() -> None:
    entries = [Entry.of(record) for record in one_of_each()]
    index = attempt_index(entries)
    assert len(index["rows"]) == len(entries)
    assert index["tables"]["suite"] == ["s"]
    rows = [dict(zip(index["fields"], row, strict=True)) for row in index["rows"]]
    reasons = {row["task"]: row["reason"] for row in rows}
    assert reasons["error"] == "server 'notes' failed to start: it exited (exit code 1)"
    assert reasons["unscored"] == "ast: no judge is configured"
    causes = {row["task"]: index["tables"]["cause"][row["cause"]] for row in rows}
    assert (causes["pass"], causes["error"]) == ("", "error of the server")


def test_the_list_begins_with_failures_of_models_and_ends_with_agents_without_one() -> None:
    named = [(model, outcome) for model in ("oracle", "m") for outcome in ("passed", "unscored", "failed")]
    index = attempt_index([an_entry(outcome, outcome, model=model) for model, outcome in named])
    ranks = [row[index["fields"].index("rank")] for row in index["rows"]]
    ordered = [each for _, each in sorted(zip(ranks, named, strict=True))]
    assert [model for model, _ in ordered] == ["m"] * 3 + ["oracle"] * 3
    assert [outcome for _, outcome in ordered] == ["failed", "unscored", "passed"] * 2


def test_attempts_that_are_packed_while_they_are_read_have_the_order_of_the_page() -> None:
    records = one_of_each()
    report = report_of(records)
    attempts = PackedAttempts()
    for key, record in reversed(list(enumerate(records))):
        if record.task_id != "pass":
            attempts.add(key, record)
    made, expected = (
        _contents(blocks)
        for blocks in (
            attempts.blocks(report.entries, range(len(records))),
            read_blocks(records.__getitem__)(report.entries),
        )
    )
    assert made["index"] == expected["index"]
    (index,) = made["index"]
    tasks = [row[index["fields"].index("task")] for row in index["rows"]]
    packed = [unpacked(each, made["items"]).get("task") for each in made["attempts"]]
    assert packed == [None if task == "pass" else task for task in tasks]


def _contents(blocks: Iterable[str]) -> dict[str, list[Any]]:
    """The values of all blocks by kind."""
    found: dict[str, list[Any]] = {}
    for block in blocks:
        parts = re.fullmatch(r'<script type="application/x-mcpbench-(\w+)" [^>]*>(.*)</script>\n', block)
        assert parts
        found.setdefault(parts[1], []).extend(inflate(parts[2]))
    return found
