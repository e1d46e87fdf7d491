"""How good the choices are on public data, as floors a little below what was measured (docs/explanation/lexical.md)."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_mcpbench.agents.lexical.agent import CallPlanner, ProposedCall
from pytest_mcpbench.agents.lexical.tool_ranking import ToolRanking
from pytest_mcpbench.core.tool import ToolSpec
from tests.shared_data import shared_file


@dataclass
class Rates:
    """Shares of tasks."""

    right_tool: float
    right_or_similar: float
    all_arguments: float


def records(name: str) -> list[dict[str, Any]]:
    """The objects of a file, of which some lack the comma between two."""
    text = shared_file(name).read_text(encoding="utf-8").strip().lstrip("[")
    found: list[dict[str, Any]] = []
    while text := text.lstrip("], \n"):
        record, end = json.JSONDecoder().raw_decode(text)
        found.append(record)
        text = text[end:]
    return found


def tool_index(record: dict[str, Any]) -> ToolRanking:
    return ToolRanking(
        [
            ToolSpec(
                name=tool["name"],
                tool=tool["name"],
                server="s",
                description=tool["description"],
                input_schema=tool["input_schema"],
            )
            for tool in record["tools"]
        ]
    )


def only_call(tools: ToolRanking, request: str) -> ProposedCall | None:
    """The call, if it is exactly one, as the strict comparison wants it."""
    plan = CallPlanner(tools, request)
    first, second = plan.next_call(), plan.next_call()
    return first if second is None else None


def normal(value: Any, schema: dict[str, Any]) -> Any:
    """As the strict profile compares (spec/metrics.md, section 1): case apart, defaults may be left out."""
    properties = schema.get("properties", {})
    kept = {k: v for k, v in value.items() if "default" not in properties.get(k, {}) or properties[k]["default"] != v}
    return json.loads(json.dumps(kept, sort_keys=True).casefold())


def rates(name: str) -> Rates:
    tasks = records(name)
    tools = tool_index(tasks[0])
    right, similar, complete = 0, 0, 0
    for task in tasks:
        (label,) = task["function_call_label"]
        call = only_call(tools, task["query"])
        called = call.tool if call else None
        right += called == label["name"]
        similar += called in {label["name"], *(tool["name"] for tool in label.get("similar_tools") or ())}
        if call and called == label["name"]:
            schema = next(tool.input_schema for tool in tools.tools if tool.name == called)
            complete += normal(call.arguments, schema) == normal(label["input"], schema)
    return Rates(right / len(tasks), similar / len(tasks), complete / len(tasks))


@pytest.mark.parametrize(
    ("name", "right_tool", "right_or_similar", "all_arguments"),
    [
        pytest.param("toolbench/file_system/filesystem_0723_single.json", 0.98, 0.98, 0.88, id="241 of filesystem"),
        pytest.param("toolbench/finance/finance_0724_single_v3.json", 1.0, 1.0, 0.0, id="90 of finance, one tool"),
        pytest.param("toolbench/pay/pay_single_demo.json", 1.0, 1.0, 0.0, id="one of pay"),
        pytest.param("toolbench/map/map_single_demo.json", 0.0, 0.33, 0.0, id="three of map, two not in English"),
    ],
)
def test_rates_do_not_fall(name: str, right_tool: float, right_or_similar: float, all_arguments: float) -> None:
    measured = rates(name)

    assert measured.right_tool >= right_tool
    assert measured.right_or_similar >= right_or_similar
    assert measured.all_arguments >= all_arguments
