"""Conversations of the suite ``finmcp`` become records: groups, references to results, both dialects."""

import json
import re
from typing import Any

import pytest

from pytest_mcpbench.core.errors import SourceLocation, TaskError
from pytest_mcpbench.generation.finmcp import SERVERS, Playback, Sample, record

DETAIL = {"BatchGetFundsDetail": {"fundCodes": ["980305"]}}
MANAGER = {"GetFundManager": {"managerId": "{1.0.managerId}"}}
VIEW = {"SearchManagerViewpoint": {"keyword": "{1.0.managerName}"}}
ASKED = {"ask": "谁在管980305？", "calls": [DETAIL, [MANAGER, VIEW]], "reply": "{2.name}，规模{1.0.size}亿元。"}
THANKS = {"ask": "谢谢。", "reply": "不客气。"}


def _sample(*turns: Any, **changes: Any) -> Sample:
    return Sample.model_validate({"scenario": "PSC x-y", "turns": turns, **changes})


def _calls(row: dict[str, Any]) -> list[list[tuple[str, Any]]]:
    asked = [message["tool_calls"] for message in row["messages"] if message.get("tool_calls")]
    return [
        [(each["function"]["name"], json.loads(each["function"]["arguments"])) for each in group] for group in asked
    ]


def test_groups_become_messages_and_arguments_take_from_results_what_they_refer_to() -> None:
    row = record("s-1", "multi_tool", _sample(ASKED))
    assert _calls(row) == [
        [("BatchGetFundsDetail", {"fundCodes": ["980305"]})],
        [("GetFundManager", {"managerId": "M09"}), ("SearchManagerViewpoint", {"keyword": "苏砚清"})],
    ]
    assert row["tool_list"] == [["BatchGetFundsDetail"], ["GetFundManager", "SearchManagerViewpoint"]]
    assert row["diff_level"] == {"turns": 1, "tool_number": 3, "level": "easy", "para_tool_call_number": 2}
    assert row["messages"][-1] == {"role": "assistant", "content": "苏砚清，规模97.2亿元。", "tool_calls": None}


def test_every_call_is_followed_by_its_result() -> None:
    row = record("s-1", "multi_tool", _sample(ASKED))
    called = [call["id"] for message in row["messages"] for call in message.get("tool_calls") or ()]
    answered = [message["tool_call_id"] for message in row["messages"] if message["role"] == "tool"]
    assert (called, len(set(called))) == (answered, 3)


def test_one_turn_has_a_chinese_scenario_and_several_have_an_english_one_and_the_policy() -> None:
    assert record("s-1", "multi_tool", _sample(ASKED))["scenery"] == "产品与策略咨询-x-y"
    row = record("s-1", "multi_turn", _sample(ASKED, THANKS))
    assert row["scenery"] == "ProductAndStrategyConsulting-x-y"
    assert [message["role"] for message in row["messages"]] == [
        *("system", "user", "assistant", "tool", "assistant", "tool", "tool", "assistant", "user", "assistant")
    ]


@pytest.mark.parametrize(
    ("language", "added"), [("zh", "\n当前用户id是9b98"), ("en", "\nThe current user's id is 9b98")]
)
def test_the_platform_adds_the_account_to_the_first_message(language: str, added: str) -> None:
    row = record("s-1", "multi_turn", _sample(ASKED, THANKS, language=language, user="9b98"))
    assert [message["content"] for message in row["messages"] if message["role"] == "user"] == [
        f"{ASKED['ask']}{added}",
        THANKS["ask"],
    ]
    assert row["question"] == ASKED["ask"]


@pytest.mark.parametrize(
    ("written", "filled"),
    [
        ("{1.total}", 2),
        ("{1.total}只", "2只"),
        ("{1.funds.-1.size}亿", "1,200.5亿"),
        ("{1.funds.name=甲.size}", 5.0),
        ("共{1.funds.0.size}亿", "共5亿"),
        ([{"code": "{1.funds.0.name}"}], [{"code": "甲"}]),
        (7, 7),
    ],
)
def test_references_lead_into_results(written: Any, filled: Any) -> None:
    play = Playback([{"total": 2, "funds": [{"name": "甲", "size": 5.0}, {"name": "乙", "size": 1200.5}]}])
    shown = written.replace("-1.size}", "-1.size|,}") if isinstance(written, str) else written
    assert play.resolve(shown) == filled


def test_no_two_servers_have_a_tool_of_the_same_name() -> None:
    names = [name for each in SERVERS.values() for name in each.table]
    assert len(names) == len(set(names))


def test_a_conversation_of_one_turn_is_read_like_one_of_several() -> None:
    assert Sample.model_validate({"scenario": "PSC x-y", **ASKED}) == _sample(ASKED)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"calls": [{"GetFundManagr": {}}]}, "no server has a tool 'GetFundManagr'. Did you mean 'GetFundManager'?"),
        ({"reply": "{1.0.nmae}"}, "{1.0.nmae} refers to nothing in the results of the calls before it."),
        ({"reply": "{4.name}"}, "{4.name} refers to nothing in the results of the calls before it."),
        ({"calls": [{"GetFundManager": {"managerId": "M99"}}]}, "M99"),
    ],
)
def test_a_call_or_reference_that_fails_is_told_with_the_place_of_its_conversation(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(TaskError, match=re.escape(message)) as error:
        record("s-1", "multi_tool", _sample({**ASKED, **changes}))
    assert error.value.place == SourceLocation("<source>")
