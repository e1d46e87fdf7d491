"""The right variants of a reference attempt."""

import json

import pytest

from pytest_mcpbench.agents.script import ScriptedCall
from pytest_mcpbench.audit.mutants import Mutant
from pytest_mcpbench.audit.right import right_variants
from pytest_mcpbench.audit.subject import Subject
from pytest_mcpbench.core.task import Expected
from pytest_mcpbench.core.world import Effect
from tests.builders import a_call, a_task, a_tool, evidence_of

SEND = a_tool("send", {"to": {"type": "string"}, "content": {"type": "string"}})
FIND = a_tool("find", {"query": {"type": "string"}, "limit": {"type": "integer", "default": 10}}, required=("query",))
BOOK = a_tool("book", {"start": {"type": "string"}, "room_id": {"type": "string"}})
FOUND = a_call("find", {"query": "Ann", "limit": 10}, result="room-9 is free")
BOOKED = a_call("book", {"start": "2026-03-05T14:00:00", "room_id": "ann@example.org"})
SENT = a_call("send", {"to": "ann@example.org", "content": json.dumps({"text": "I will be there on 3 May."})})
WRITTEN = Effect(
    world="mail",
    kind="created",
    collection="messages",
    id="m-1",
    fields={"body": json.dumps({"text": "I will be there on 3 May."})},
    judged=("body",),
)
TASK = a_task(expected=Expected(effects=(WRITTEN,), answer="42"))


def variants(kind: str, *floors: str) -> list[Mutant]:
    evidence = evidence_of(
        (FOUND,), (BOOKED,), (SENT,), answer="The sum is:\n<answer>42</answer>", tools=(SEND, FIND, BOOK)
    )
    read = ScriptedCall("book", {"start": "now"})
    subject = Subject(TASK, evidence, (), (read,), frozenset({"find", "book"}), frozenset(floors))
    return [variant for variant in right_variants(subject) if variant.kind == kind]


def arguments(kind: str, call: int) -> list[dict[str, object]]:
    return [dict(variant.script.calls[call].arguments) for variant in variants(kind)]


def names(kind: str, *floors: str) -> list[list[str]]:
    return [[call.name for call in variant.script.calls] for variant in variants(kind, *floors)]


def test_reads_are_repeated_added_and_exchanged_unless_their_order_is_judged() -> None:
    assert names("repeated_read") == [["find", "find", "book", "send"], ["find", "book", "book", "send"]]
    assert names("extra_read") == [["find", "book", "send", "book"]]
    assert names("independent_order") == [["book", "find", "send"]]
    assert names("independent_order", "operation") == []


def test_an_error_is_mended_by_the_next_call() -> None:
    (variant,) = variants("error_mended")
    assert [dict(call.arguments) for call in variant.script.calls[:2]] == [{"limit": 10}, {"query": "Ann", "limit": 10}]


def test_values_are_written_in_equal_forms_and_ids_are_not() -> None:
    assert arguments("equal_form", 1)[1:3] == [
        {"start": "2026-03-05 14:00:00", "room_id": "ann@example.org"},
        {"start": "2026-03-05T14:00", "room_id": "ann@example.org"},
    ]
    assert [dict(variants("equal_form")[-1].script.calls[2].arguments)["to"]] == ["Ann@Example.Org"]
    assert arguments("default_left_out", 0) == [{"query": "Ann"}]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text_greeting", "Hello,\n\nI will be there on 3 May."),
        ("text_closing", "I will be there on 3 May.\n\nBest regards"),
        ("text_contracted", "I'll be there on 3 May."),
    ],
)
def test_free_words_are_framed_and_contracted_also_inside_of_json(kind: str, text: str) -> None:
    assert [found["content"] for found in arguments(kind, 2)] == [json.dumps({"text": text})]


def test_an_answer_gets_an_opening_and_only_without_tags_a_closing() -> None:
    assert [variant.script.answer for variant in variants("answer_opening")] == [
        "I have looked this up for you.\n\nThe sum is:\n<answer>42</answer>"
    ]
    assert variants("answer_closing") == variants("answer_list") == []
