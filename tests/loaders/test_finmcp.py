"""FinMCP-Bench's conversations."""

import copy
import json
from typing import Any

import pytest

from pytest_mcpbench.core.difficulty import difficulty
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import CallGroup, Expected, ExpectedCall, Message, Source, Task, Turn
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.loaders.finmcp import load, recorded_tools, scenario_code
from tests.shared_data import shared_file


def call(identifier: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def answer(identifier: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identifier, "name": "x", "content": text}


RECORD: dict[str, Any] = {
    "scenery": "市场分析与研究-宏观经济-市场环境研判",
    "diff_level": {"turns": 2, "tool_number": 3, "level": "easy"},
    "tool_list": [["SearchFunds", "SearchNews"], ["GetFund"]],
    "task": "multi turn",
    "messages": [
        {"role": "system", "content": "Be right."},
        {"role": "user", "content": "Which fund?"},
        {"role": "assistant", "tool_calls": [call("1", "SearchNews", keyword="x"), call("2", "SearchFunds", size=3)]},
        answer("1", "[]"),
        answer("2", '{"funds": []}'),
        {"role": "assistant", "content": "None.", "tool_calls": None},
        {"role": "user", "content": "And A1?"},
        {"role": "assistant", "content": "", "tool_calls": [call("3", "GetFund", codes=["A1"])]},
        answer("3", "good"),
        {"role": "assistant", "content": "Good."},
        {"role": "user", "content": "###STOP###"},
    ],
}


def a_record(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(RECORD), **changes}


def loaded(*records: Any, file: str = "test/benchmark_multi_turn.json", **options: Any) -> list[LoadedTask]:
    return list(load(json.dumps(records).encode(), LoadOptions(file, options)))


def task_of(record: Any, **options: Any) -> Task:
    (only,) = loaded(record, **options)
    assert only.task is not None, str(only.error)
    return only.task


NEWS = ExpectedCall(id="1", tool="SearchNews", arguments={"keyword": "x"}, result="[]")
FUNDS = ExpectedCall(id="2", tool="SearchFunds", arguments={"size": 3}, result='{"funds": []}')
FUND = ExpectedCall(id="3", tool="GetFund", arguments={"codes": ["A1"]}, result="good")


def test_a_conversation_is_turns_with_gold_replies_and_groups_of_calls() -> None:
    assert task_of(RECORD, server="qieman") == Task(
        id="multi_turn-0",
        system="Be right.",
        servers=("qieman",),
        turns=(
            Turn(
                user="Which fund?",
                gold=(
                    Message(role="assistant", calls=(NEWS, FUNDS)),
                    Message(role="tool", text="[]", call_id="1"),
                    Message(role="tool", text='{"funds": []}', call_id="2"),
                    Message(role="assistant", text="None."),
                ),
            ),
            Turn(
                user="And A1?",
                gold=(
                    Message(role="assistant", calls=(FUND,)),
                    Message(role="tool", text="good", call_id="3"),
                    Message(role="assistant", text="Good."),
                ),
            ),
        ),
        expected=Expected(calls=(CallGroup(calls=(NEWS, FUNDS), turn=0), CallGroup(calls=(FUND,), turn=1))),
        tags={
            "kind": "multi_turn",
            "scenario": "MAR",
            "scenario_name": "市场分析与研究",
            "sub_scenario": "Macroeconomy",
            "topic": "市场环境研判",
            "difficulty": "easy",
            "parallel": "parallel",
        },
        source=Source(file="test/benchmark_multi_turn.json", place="test/benchmark_multi_turn.json[0]"),
    )


@pytest.mark.parametrize(
    "scenery",
    ["市场分析与研究-宏观经济-利率", "MarketAnalysis and Research-MacroEconomy", "Market Analysis-BondMarket"],
)
def test_a_sub_scenario_has_one_name_in_both_languages(scenery: str) -> None:
    assert task_of(a_record(scenery=scenery)).tags["sub_scenario"] == "Macroeconomy"


def test_a_name_that_is_no_sub_scenario_of_the_scenario_is_kept() -> None:
    tags = task_of(a_record(scenery="市场分析与研究-天气-雨")).tags
    assert (tags["sub_scenario"], tags["topic"]) == ("天气", "雨")
    assert task_of(a_record(scenery="平台技术支持-MacroEconomy")).tags["sub_scenario"] == "MacroEconomy"


def test_a_sound_record_has_no_warnings() -> None:
    assert loaded(RECORD)[0].warnings == ()


def test_an_id_is_the_records_or_made_of_split_and_index() -> None:
    assert [each.id for each in loaded(a_record(id=602), RECORD, a_record(id=602), split="turns")] == [
        "602",
        "turns-1",
        "602-2",
    ]


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        ({"diff_level": {"level": "hard", "tool_number": 3}}, "diff_level is hard, but 3 reference calls are easy"),
        ({"diff_level": {"tool_number": 7}}, "diff_level is 7 tools; the messages have 3 calls of 3 tools"),
        ({"tool_list": [["GetFund"]]}, "tool_list differs from the calls in the messages; the messages are used"),
        ({"tool_list": ["GetFund"]}, "tool_list differs from the calls in the messages; the messages are used"),
    ],
)
def test_a_summary_that_differs_from_the_messages_is_a_warning(changes: dict[str, Any], warning: str) -> None:
    assert loaded(a_record(**changes))[0].warnings == (warning,)


@pytest.mark.parametrize(
    "listed", [["GetFund", "SearchFunds", "SearchNews"], ["SearchNews", "SearchFunds", "GetFund"], None]
)
def test_a_flat_tool_list_may_hold_distinct_names_or_the_sequence(listed: Any) -> None:
    assert loaded(a_record(tool_list=listed))[0].warnings == ()


def with_messages(*messages: dict[str, Any]) -> LoadedTask:
    (only,) = loaded({"task": "single step", "scenery": "", "messages": list(messages)})
    return only


USER = {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("message", "warning"),
    [
        (
            {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "a", "arguments": "{oops"}}]},
            "messages[1].tool_calls[0]: the arguments are not a JSON object and were left out",
        ),
        ({"role": "assistant", "tool_calls": [call("9", "a")]}, "no result was recorded for a"),
    ],
)
def test_odd_calls_are_warnings(message: dict[str, Any], warning: str) -> None:
    found = with_messages(USER, message)
    assert found.task is not None
    assert warning in found.warnings


def test_arguments_may_be_objects_and_ids_may_be_missing() -> None:
    found = with_messages(
        USER, {"role": "assistant", "tool_calls": [{"function": {"name": "a", "arguments": {"x": 1}}}]}
    )
    assert found.task is not None
    assert found.task.expected.flat_calls == (ExpectedCall(id="1", tool="a", arguments={"x": 1}),)


def test_a_greeting_of_the_assistant_is_left_out_with_a_warning() -> None:
    found = with_messages({"role": "assistant", "content": "Hello!"}, USER)
    assert found.task is not None
    assert found.task.turns == (Turn(user="hi"),)
    assert found.warnings == ("the conversation starts with an assistant message, which was left out",)


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ({}, "messages: is missing. The reference calls are read from the conversation."),
        ({"messages": []}, "messages: is empty."),
        ({"messages": "x"}, "messages: must be a list of messages, not text."),
        ({"messages": [{"content": "x"}]}, "messages[0]: must be an object with a role."),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "messages: has no user message."),
        ({"messages": [{"role": "user", "content": "###STOP###"}]}, "messages: has no user message."),
        (
            {"messages": [USER, {"role": "critic"}]},
            "messages: the role 'critic' is unknown. Use one of: assistant, system, tool, user.",
        ),
        (
            {"messages": [USER, {"role": "assistant", "tool_calls": [{}]}]},
            "messages[1].tool_calls[0]: has no tool name.",
        ),
        ("x", "a record must be an object, not text."),
    ],
)
def test_an_error_names_the_field_and_does_not_hide_the_next(record: Any, error: str) -> None:
    first, second, third = loaded(RECORD, record, RECORD)
    assert str(second.error) == f"test/benchmark_multi_turn.json[1]: {error}"
    assert (first.id, third.id) == ("multi_turn-0", "multi_turn-2")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("市场分析与研究", "MAR"),
        ("账户与服务管理", "ASM"),
        ("AccountAndServiceManagement", "ASM"),
        ("PlatformTechnicalSupport", "PTS"),
        ("InvestmentPlanningAndAllocation", "IPA"),
        ("Market Analysis and Research", "MAR"),
        ("TEO", "TEO"),
        ("理财规划", "FP"),
        ("财务规划", "FP"),
        ("FinancialPlanning", "FP"),
        ("投资者教育", "IE"),
        ("InvestorEducation", "IE"),
        ("运营咨询", "OC"),
        ("OperationalConsulting", "OC"),
        ("合规与法律咨询", "CLA"),
        ("ComplianceAndLegalConsultation", "CLA"),
        ("交易执行与操作", "TEO"),
        ("TradeExecutionAndOperations", "TEO"),
        ("产品与策略咨询", "PSC"),
        ("ProductAndStrategyAdvice", "PSC"),
        ("投资规划与配置", "IPA"),
        ("天气", "天气"),
        ("WeatherForecast", "WeatherForecast"),
        ("", ""),
    ],
)
def test_scenarios_have_codes_in_both_languages(name: str, code: str) -> None:
    assert scenario_code(name) == code


def test_further_scenarios_are_an_option() -> None:
    assert task_of(a_record(scenery="天气-雨"), scenarios={"天气": "WX"}).tags["scenario"] == "WX"


@pytest.mark.parametrize(("calls", "level"), [(0, "easy"), (5, "easy"), (6, "medium"), (10, "medium"), (11, "hard")])
def test_difficulty_follows_from_the_number_of_calls(calls: int, level: str) -> None:
    assert difficulty(calls) == level


def test_the_recorded_tools_have_the_arguments_that_were_seen() -> None:
    other = a_record(messages=[USER, {"role": "assistant", "tool_calls": [call("1", "GetFund", codes="A", full=True)]}])
    tools = recorded_tools(json.dumps([RECORD, other, "broken"]).encode())["qieman"]
    assert [(tool.name, tool.properties) for tool in tools] == [
        ("GetFund", {"codes": {}, "full": {"type": "boolean"}}),
        ("SearchFunds", {"size": {"type": "number"}}),
        ("SearchNews", {"keyword": {"type": "string"}}),
    ]
    assert all(isinstance(tool, ToolSpec) and tool.server == "qieman" for tool in tools)


def test_the_public_samples_load_in_both_dialects() -> None:
    content = shared_file("finmcp/fin_samples_compact.jsonl").read_bytes()
    found = list(load(content, LoadOptions("fin_samples_compact.jsonl")))
    tasks = [each.task for each in found if each.task is not None]
    assert [task.id for task in tasks] == ["1", "2", "201", "202", "602", "603"]
    assert [(task.tags["kind"], task.tags["scenario"], task.tags["difficulty"]) for task in tasks] == [
        ("single_tool", "MAR", "easy"),
        ("single_tool", "MAR", "easy"),
        ("multi_tool", "ASM", "medium"),
        ("multi_tool", "ASM", "medium"),
        ("multi_turn", "PTS", "medium"),
        ("multi_turn", "IPA", "easy"),
    ]
    assert [(len(task.turns), len(task.expected.calls)) for task in tasks] == [
        (1, 1),
        (1, 1),
        (1, 6),
        (1, 6),
        (8, 7),
        (2, 3),
    ]
    assert len(recorded_tools(content)["qieman"]) == 12


def test_a_conversation_of_the_release_loads() -> None:
    content = shared_file("finmcp/hf_multi_turn_record0_reduced.json").read_bytes()
    (only,) = load(content, LoadOptions("benchmark_multi_turn.json"))
    assert only.task is not None
    assert (only.id, len(only.task.turns), len(only.task.expected.calls)) == ("multi_turn-0", 4, 2)
    assert (only.task.system or "").startswith("# Fin agent policy")


def test_the_language_of_a_record_is_a_tag_where_it_has_one() -> None:
    assert task_of(a_record(language="zh")).tags["language"] == "zh"
    assert "language" not in task_of(a_record()).tags
