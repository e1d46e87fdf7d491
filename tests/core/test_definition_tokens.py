import json

import pytest

from pytest_mcpbench.core.definition_tokens import DefinitionTokens, definition_tokens
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.text.token_estimate import estimate_tokens
from tests.builders import a_tool
from tests.shared_data import shared_file


def test_definitions_are_summed_by_server() -> None:
    tools = (a_tool("m_read", server="mail"), a_tool("m_send", server="mail"), a_tool("search", server="web"))
    found = definition_tokens(tools)
    assert found.by_server == {
        "mail": found.by_tool["m_read"] + found.by_tool["m_send"],
        "web": found.by_tool["search"],
    }
    assert found.total == sum(found.by_tool.values())
    assert DefinitionTokens({}, {}).per_tool is None


def test_tools_that_differ_only_in_their_schema_have_estimates_of_their_own() -> None:
    schemas = ({"type": "object"}, {"type": "object", "properties": {"city": {"type": "string"}}})
    tools = [ToolSpec(name="find", server="s", tool="find", input_schema=schema) for schema in schemas]
    before, after = (definition_tokens([tool]).total for tool in tools)
    assert hash(tools[0]) == hash(tools[1])
    assert before < after
    assert definition_tokens([tools[0]]).total == before


def test_an_estimate_grows_with_the_text_and_is_nothing_for_nothing() -> None:
    assert [estimate_tokens(text) for text in ("", "word", "two words", "读取文件", "12345", '{"a": [1]}')] == [
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
