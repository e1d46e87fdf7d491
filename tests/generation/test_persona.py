"""Wishes become records of MCP-Persona: contexts, chains, calls, checkpoints."""

from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.cli import main
from pytest_mcpbench.generation import persona
from pytest_mcpbench.generation.persona.records import record, small_talk
from pytest_mcpbench.generation.persona.request import Action, change, lookup, plain_call, request, spellings
from pytest_mcpbench.generation.persona.spelling import name
from pytest_mcpbench.generation.spelling import clock, day, number
from pytest_mcpbench.metrics.comparison.containment import mentions

LOOK = lookup("slack", "look", {"at": "x"}, "look")


def _record(*deeds: Action, **knows: str) -> dict[str, Any]:
    return record(7, request("slack_single", "Please.", *deeds, **knows))


def test_a_record_says_which_tools_are_called_and_how() -> None:
    write = change("create", "notion", "write", {"id": "<prev_result.id>", "n": 1}, "write", collection="pages")
    row = _record(LOOK, lookup("slack", "list", {}, "list"), write)
    assert row["chains"] == ["slack:look", "slack:list", "notion:write"]
    assert row["gt_annotation"] == {
        "tool_calling_sequence": (
            '1. slack:look: at="x"\n2. slack:list: [No parameters required]\n3. notion:write: id="<2_result.id>", n=1'
        ),
        "summary": ["Call `slack:look` to look.", "Call `slack:list` to list.", "Call `notion:write` to write."],
    }


@pytest.mark.parametrize(
    ("deed", "checkpoint"),
    [
        pytest.param(LOOK, None, id="nothing in particular is looked for"),
        pytest.param(
            lookup("slack", "look", {}, "look", {"id": "a"}),
            {"checkpoint_type": "personalized_search", "tool": "slack:look", "GT_value": '{"id": "a"}'},
            id="personal",
        ),
        pytest.param(
            lookup("websearch", "fetch", {}, "read", "a", "b"),
            {"checkpoint_type": "generic_search", "tool": "websearch:fetch", "GT_value": '["a", "b"]'},
            id="generic",
        ),
        pytest.param(
            plain_call("slack", "ping", {}, "ping"),
            {"checkpoint_type": "other", "tool": "slack:ping", "summary": "Call `slack:ping` to ping."},
            id="other",
        ),
        pytest.param(
            change("modify", "slack", "edit", {}, "edit", ("a", "b"), "c", collection="m", entity="1", fields={"x": 2}),
            {
                "checkpoint_type": "operate",
                "tool": "slack:edit",
                "operate_type": "modify",
                "summary": "Call `slack:edit` to edit.",
                "context": [{"server_name": "slack", "context_id": "siyuan.chen"}],
                "collection": "m",
                "entity": "1",
                "fields": {"x": 2},
                "contains": [["a", "b"], ["c"]],
            },
            id="operate",
        ),
    ],
)
def test_a_deed_is_checked_in_the_public_format(deed: Action, checkpoint: Any) -> None:
    assert _record(deed)["gt"] == ([checkpoint] if checkpoint else [])


def test_a_context_has_what_is_known_and_five_statements_that_nobody_needs() -> None:
    context = _record(LOOK, My_boss="Mei")["context"]
    assert context["necessary_context"]["My boss"] == "Mei"
    assert len(set(context["unnecessary_context"]) & set(small_talk())) == 5
    assert context == _record(LOOK, My_boss="Mei")["context"]


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        *(
            (text, day("2026-03-05"))
            for text in ("on March 5th", "5 March 2026", "2026-03-05", "3月5日", "the 5th of March")
        ),
        *((text, clock("14:00")) for text in ("at 14:00", "2 pm", "2pm.", "2:00 p.m.", "下午14点")),
        *((text, clock("09:44")) for text in ("9:44", "09:44", "9:44 am", "9点44分")),
        *((text, number(75600)) for text in ("75,600 euros", "75600", "75 600", "75.600 Euro")),
        *((text, number(48000)) for text in ("48k", "48,000")),
        *((text, name("mei.zhao")) for text in ("Mei says", "Mei Zhao", "问赵梅")),
    ],
)
def test_whatever_is_said_can_be_said_in_several_ways(text: str, spellings: tuple[str, ...]) -> None:
    assert any(mentions({"text": text}, each) for each in spellings)


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        ("on March 15", day("2026-03-05")),
        ("14:30", clock("14:00")),
        ("2 amps", clock("14:00")),
        ("175600", number(75600)),
    ],
)
def test_another_day_hour_or_number_is_not_the_same(text: str, spellings: tuple[str, ...]) -> None:
    assert not any(mentions({"text": text}, each) for each in spellings)


@pytest.mark.parametrize(
    ("fact", "written"),
    [
        ("rope", ["rope", "ropes"]),
        (("slides", "幻灯片"), ["slides", "幻灯片", "slide"]),
        ("yes", ["yes"]),
        ("osmanthus", ["osmanthus"]),
        (("two", "2"), ["two", "2"]),
        ("darywsha", ["darywsha"]),
    ],
)
def test_only_known_nouns_are_written_in_either_number(fact: str | tuple[str, ...], written: list[str]) -> None:
    assert spellings(fact) == written


def test_the_command_writes_the_files(tmp_path: Path) -> None:
    assert main(["generate", "persona", "--to", str(tmp_path)]) == 0
    row = persona.task_files()
    assert {path: (tmp_path / path).read_text(encoding="utf-8") for path in row} == row
