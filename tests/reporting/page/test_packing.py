"""Packed documents: each text once, numbers exact enough to show, everything there again."""

import json
from collections.abc import Iterable
from typing import Any

from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.page.attempt_blocks import (
    BLOCK_BYTES,
    Block,
    PackedAttempts,
    Packer,
    element,
    read_blocks,
)
from pytest_mcpbench.reporting.page.attempt_document import attempt_document
from pytest_mcpbench.reporting.page.attempt_index import attempt_index, in_order
from tests.reporting.page.blocks import attempts, blocks
from tests.reporting.samples import an_entry, one_of_each, report_of


def page_of(blocks: Iterable[Block]) -> str:
    return "".join(map(element, blocks))


def test_a_text_is_stored_once_and_documents_come_back_whole() -> None:
    packer = Packer()
    long = "a text of 2 lines,\nlonger than the digest by which it is found again: “Ünïcödé”, 日本 and \t"
    offered = {"system": long, "tools": [{"name": "read", "schema": '{"type": [0, "1"]}'}]}
    given = packer.given("key", lambda: offered)
    assert packer.given("key", dict) == given
    documents: list[dict[str, Any]] = [
        {"text": long, "number": 0.25, "is_short": True, "none": None, "list": [long, "0.25", []]},
        {"text": "", "empty": {}},
    ]
    for document in documents:
        packer.add(packer.packed(document, given))
    page = page_of(packer.last_blocks())
    assert blocks(page, "texts") == [long, "read", '{"type": [0, "1"]}', "0.25", ""]
    assert attempts(page) == [{**document, "given": offered} for document in documents]


def test_words_beyond_the_first_16384_come_back() -> None:
    packer = Packer()
    text = " ".join(chr(97 + n % 26) * (n // 26 + 1) for n in range(17_000 // 26)) + "".join(
        f"{n}," for n in range(17_000)
    )
    packer.add(packer.packed({"text": text}))
    assert attempts(page_of(packer.last_blocks())) == [{"text": text}]


def test_full_blocks_are_given_out_and_numbers_go_on() -> None:
    packer = Packer()
    packer.add(packer.packed({"text": "x " * BLOCK_BYTES}))
    (full,) = packer.full_blocks()
    assert (full.kind, full.first) == ("texts", 0)
    packer.add(packer.packed({"text": "y"}))
    last = packer.last_blocks()
    assert [(each.kind, each.first) for each in last[:2]] == [("texts", 1), ("attempts", 0)]
    assert [each["text"][:2] for each in attempts(page_of([full, *last]))] == ["x ", "y"]


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
    packed = PackedAttempts()
    for key, record in reversed(list(enumerate(records))):
        if record.task_id != "pass":
            packed.add(key, record)
    made = "".join(packed.blocks(report.entries, range(len(records))))
    expected = "".join(read_blocks(records.__getitem__)(report.entries))
    assert blocks(made, "index") == blocks(expected, "index")
    assert attempts(made) == [each if each["task"] != "pass" else {} for each in attempts(expected)]
