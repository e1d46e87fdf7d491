import json

import pytest

from pytest_mcpbench.core.effort import DefinitionTokens, ModelCall, ToolCall, definition_tokens, effort
from pytest_mcpbench.core.token_estimate import estimated_tokens
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.trajectory import Step, Trajectory, Usage
from tests.builders import a_call, a_tool, evidence_of
from tests.shared_data import shared_file

USAGE = Usage(input_tokens=100, output_tokens=10, cached_tokens=0, cost_usd=0.5)


def test_effort_counts_rounds_calls_tokens_money_and_seconds() -> None:
    called = Step(calls=(a_call("a", seconds=0.5), a_call("b", seconds=1.5)), usage=USAGE, seconds=2, retries=1)
    answered = Step(text="Done.", usage=USAGE, seconds=1, first_token_seconds=0.25)
    found = effort(evidence_of(trajectory=Trajectory(steps=(called, answered), seconds=9)))
    assert (found.rounds, found.tokens, found.seconds, found.model_seconds, found.tool_seconds) == (1, 220, 9, 3, 2)
    assert found.usage == Usage(input_tokens=200, output_tokens=20, cached_tokens=0, cost_usd=1.0)
    assert found.model_calls == (ModelCall(2, None, 1, USAGE), ModelCall(1, 0.25, 0, USAGE))
    assert found.tool_calls == (ToolCall("a", "server", 0.5), ToolCall("b", "server", 1.5))


def test_an_unknown_price_or_token_count_is_unknown_in_the_sum() -> None:
    steps = (Step(usage=USAGE), Step(usage=Usage(output_tokens=5)))
    found = effort(evidence_of(trajectory=Trajectory(steps=steps)))
    assert (found.tokens, found.usage.cost_usd, found.usage.output_tokens) == (None, None, 15)


def test_calls_that_were_never_sent_are_counted_apart() -> None:
    refused = a_call("x").model_copy(update={"problem": "unknown_tool", "result": None})
    found = effort(evidence_of((a_call("a"), refused)))
    assert (len(found.tool_calls), found.refused_calls) == (1, 1)


def test_definitions_are_summed_by_server() -> None:
    tools = (a_tool("m_read", server="mail"), a_tool("m_send", server="mail"), a_tool("search", server="web"))
    found = definition_tokens(tools)
    assert found.by_server == {
        "mail": found.by_tool["m_read"] + found.by_tool["m_send"],
        "web": found.by_tool["search"],
    }
    assert found.total == sum(found.by_tool.values())
    assert DefinitionTokens({}, {}).per_tool is None


def test_an_estimate_grows_with_the_text_and_is_nothing_for_nothing() -> None:
    assert [estimated_tokens(text) for text in ("", "word", "two words", "读取文件", "12345", '{"a": [1]}')] == [
        0, 1, 2, 4, 2, 6,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "tokens_per_tool"),
    [
        ("toolbench/file_system/filesystem_0723_single.json", 143.8),
        ("toolbench/finance/finance_0724_single_v3.json", 505.0),
        ("toolbench/pay/pay_single_demo.json", 656.5),
    ],
)
def test_the_estimate_is_near_the_papers_table_1(file: str, tokens_per_tool: float) -> None:
    listed = json.loads(shared_file(file).read_text())[0]["tools"]
    listed = json.loads(listed) if isinstance(listed, str) else listed
    specs = (ToolSpec(server="s", tool=tool["name"], **tool) for tool in listed)
    assert definition_tokens(specs).per_tool == pytest.approx(tokens_per_tool, rel=0.1)
