"""Tasks of the suite ``persona`` become records of MCP-Persona: contexts, chains, calls, checkpoints."""

import re
from datetime import timedelta, timezone
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.persona import record, require_known_tools, small_talk
from pytest_mcpbench.generation.persona.names import Names, UnknownNameError
from pytest_mcpbench.generation.persona.request import Request
from pytest_mcpbench.generation.persona.tasks import WrittenTask, request_of, with_plurals
from pytest_mcpbench.metrics.comparison.containment import mentions

LOOK: dict[str, Any] = {"slack look": {"at": "x"}, "to": "look"}


def _request(*steps: Any, **fields: Any) -> Request:
    task = WrittenTask.model_validate({"number": 7, "kind": "slack_single", "ask": "Please.", "steps": steps, **fields})
    return request_of(task, Names({"me/slack": "U1"}), person="siyuan.chen", about="Siyuan Chen")


def _record(*steps: Any, **fields: Any) -> dict[str, Any]:
    return record(_request(*steps, **fields))


def test_a_record_says_which_tools_are_called_and_how() -> None:
    write = {"notion write": {"id": "<prev_result.id>", "n": 1}, "to": "write", "creates": "pages"}
    row = _record(LOOK, {"slack list": {}, "to": "list"}, write)
    assert row["chains"] == ["slack:look", "slack:list", "notion:write"]
    assert row["gt_annotation"] == {
        "tool_calling_sequence": (
            '1. slack:look: at="x"\n2. slack:list: [No parameters required]\n3. notion:write: id="<2_result.id>", n=1'
        ),
        "summary": [
            "Look, with `slack:look` or otherwise.",
            "List, with `slack:list` or otherwise.",
            "Write, with `notion:write` or otherwise.",
        ],
    }


EDITED = {
    "checkpoint_type": "operate",
    "tool": "slack:edit",
    "operate_type": "modify",
    "summary": "Edit, with `slack:edit` or otherwise.",
    "context": [{"server_name": "slack", "context_id": "siyuan.chen"}],
    "collection": "m",
}


@pytest.mark.parametrize(
    ("step", "checkpoints"),
    [
        pytest.param({"slack look": {}}, [], id="nothing in particular is looked for"),
        pytest.param(
            {"slack look": {}, "finds": {"id": "a"}},
            [{"checkpoint_type": "personalized_search", "tool": "slack:look", "GT_value": '{"id": "a"}'}],
            id="personal",
        ),
        pytest.param(
            {"websearch fetch": {}, "finds": ["a", "b"]},
            [{"checkpoint_type": "generic_search", "tool": "websearch:fetch", "GT_value": '["a", "b"]'}],
            id="generic",
        ),
        pytest.param(
            {"slack edit": {}, "is_only_made": True},
            [{"checkpoint_type": "other", "tool": "slack:edit", "summary": "Call `slack:edit` to edit."}],
            id="other",
        ),
        pytest.param(
            {"slack edit": {}, "changes": "m", "entity": "1", "fields": {"x": 2}, "says": [["a", "b"], "$me/slack"]},
            [{**EDITED, "entity": "1", "fields": {"x": 2}, "contains": [["a", "b"], ["U1"]]}],
            id="operate",
        ),
        pytest.param(
            {"slack edit": {}, "changes": "m", "also": [{"to": "edit", "deletes": "m", "world": "files"}]},
            [
                EDITED,
                EDITED | {"operate_type": "delete", "context": [{"server_name": "files", "context_id": "siyuan.chen"}]},
            ],
            id="several changes by one call",
        ),
    ],
)
def test_a_step_is_checked_in_the_public_format(step: Any, checkpoints: Any) -> None:
    assert _record({"to": "edit", **step})["gt"] == checkpoints


def test_a_context_has_what_is_known_and_five_statements_that_nobody_needs() -> None:
    context = _record(LOOK, knows={"My boss": "Mei"})["context"]
    assert context["necessary_context"]["My boss"] == "Mei"
    assert len(set(context["unnecessary_context"]) & set(small_talk())) == 5
    assert context == _record(LOOK, knows={"My boss": "Mei"})["context"]


def _spellings(fact: Any) -> list[str]:
    (checkpoint,) = _record({"slack edit": {}, "to": "edit", "creates": "m", "says": [fact]})["gt"]
    spellings: list[str] = checkpoint["contains"][0]
    return spellings


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        *(
            (text, "day:2026-03-05")
            for text in ("on March 5th", "5 March 2026", "2026-03-05", "3月5日", "the 5th of March")
        ),
        *((text, "clock:14:00") for text in ("at 14:00", "2 pm", "2pm.", "2:00 p.m.", "下午14点")),
        *((text, "clock:09:44") for text in ("9:44", "09:44", "9:44 am", "9点44分")),
        *((text, "number:75600") for text in ("75,600 euros", "75600", "75 600", "75.600 Euro")),
        *((text, "number:48000") for text in ("48k", "48,000")),
        *((text, "name:mei.zhao") for text in ("Mei says", "Mei Zhao", "问赵梅")),
    ],
)
def test_whatever_is_said_can_be_said_in_several_ways(text: str, fact: str) -> None:
    assert any(mentions({"text": text}, each) for each in _spellings(fact))


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("on March 15", "day:2026-03-05"),
        ("14:30", "clock:14:00"),
        ("2 amps", "clock:14:00"),
        ("175600", "number:75600"),
    ],
)
def test_another_day_hour_or_number_is_not_the_same(text: str, fact: str) -> None:
    assert not any(mentions({"text": text}, each) for each in _spellings(fact))


@pytest.mark.parametrize(
    ("fact", "written"),
    [
        (["rope"], ["rope", "ropes"]),
        (["slides", "幻灯片"], ["slides", "幻灯片", "slide"]),
        (["osmanthus"], ["osmanthus"]),
        (["two", "2"], ["two", "2"]),
    ],
)
def test_only_known_nouns_are_written_in_either_number(fact: list[str], written: list[str]) -> None:
    assert with_plurals(fact) == written


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (
            {"slack look": {}, "slack list": {}},
            "a step has one key `server tool` with the arguments, not ['slack look'",
        ),
        ({"look": {}}, "a step has one key `server tool` with the arguments, not none"),
        ({"slack edit": {}, "creates": "a", "deletes": "b"}, "a call has one of creates, changes, deletes"),
        ({"slack edit": {}, "creates": "a", "sayz": []}, "steps.0.sayz\n  Extra inputs"),
    ],
)
def test_a_step_with_something_else_than_one_call_is_refused(step: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        _request({"to": "edit", **step})


NAMES = Names(
    {"me/slack": "U1", "telegram/choir": 77},
    {"telegram/choir": {1: "Rehearsal at eight", 2: "Rehearsal is off"}},
    timezone(timedelta(hours=8)),
)


@pytest.mark.parametrize(
    ("written", "resolved"),
    [
        ("$telegram/choir", 77),
        ("chats[$telegram/choir].messages", "chats[77].messages"),
        ({"members.${me/slack}.id": ["$me/slack"]}, {"members.U1.id": ["U1"]}),
        ("$telegram/choir#eight", 1),
        ("$time/2026-03-05T14:00", "1772690400"),
        ("$time/2026-03-05T14:00#number", 1772690400),
        ("It costs $5/month.", "It costs $5/month."),
    ],
)
def test_a_name_stands_for_an_id(written: Any, resolved: Any) -> None:
    assert NAMES.resolve(written) == resolved


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("$telegram/quire", "nothing is called $telegram/quire. Did you mean 'telegram/choir'?"),
        ("$telegram/choir#Monday", "nothing is called $telegram/choir#Monday"),
        (
            "$telegram/choir#Rehearsal",
            "2 parts of telegram/choir contain 'Rehearsal'; choose a word that only one has.",
        ),
        ("$time/tomorrow", "$time/tomorrow is not a time such as $time/2026-03-05T14:00."),
    ],
)
def test_a_name_that_stands_for_nothing_is_told_with_what_there_is(written: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=re.escape(message)):
        NAMES.resolve(written)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("slak find_users", "there is no server 'slak'. Did you mean 'slack'?"),
        ("slack find_user", "slack has no tool 'find_user'. Did you mean 'find_users'?"),
    ],
)
def test_a_call_that_no_server_has_is_told(call: str, message: str) -> None:
    require_known_tools([_request({"slack find_users": {}, "to": "look"})])
    with pytest.raises(TaskError, match=re.escape(message)):
        require_known_tools([_request({call: {}, "to": "look"})])
