"""MCPToolBench++'s tasks."""

import copy
import json
import tracemalloc
from typing import Any

import pytest

from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import (
    ArgumentMatcher,
    CallGroup,
    Context,
    Expected,
    ExpectedCall,
    SimilarTool,
    Source,
    Task,
    Turn,
)
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.loaders.toolbench import load, recorded_tools
from tests.shared_data import shared_file

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}, "required": ["q"]}
TOOLS = [{"name": name, "description": f"About {name}.", "input_schema": SCHEMA} for name in ("geo", "route")]
RECORD: dict[str, Any] = {
    "uuid": "u1",
    "category": "map",
    "call_type": "single",
    "tools": TOOLS,
    "mcp_tools_dict": {"maps": ["geo"], "amap": ["route"]},
    "query": "Where is Rome?",
    "function_call_label": [
        {
            "name": "geo",
            "step": "1",
            "id": "1",
            "mcp_server": "maps",
            "similar_tools": [{"name": "route", "mcp_server": "amap"}],
            "input": {"q": "Rome"},
            "output": {"status_code": 200, "result": {}},
        }
    ],
}


def a_record(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(RECORD), **changes}


def a_label(**changes: Any) -> list[dict[str, Any]]:
    return [{**copy.deepcopy(RECORD["function_call_label"][0]), **changes}]


def loaded(*records: Any, **options: Any) -> list[LoadedTask]:
    return list(load(json.dumps(records).encode(), LoadOptions("map.json", options)))


def task_of(record: Any, **options: Any) -> Task:
    (only,) = loaded(record, **options)
    assert only.task is not None, str(only.error)
    return only.task


def warnings_of(*records: Any) -> list[str]:
    return [warning for each in loaded(*records) for warning in each.warnings]


EXPECTED = ExpectedCall(
    id="1",
    tool="geo",
    server="maps",
    arguments={"q": "Rome"},
    similar_tools=(SimilarTool(tool="route", server="amap"),),
)


def test_a_record_is_a_task_on_its_recorded_tools() -> None:
    assert task_of(RECORD, files="seed") == Task(
        id="u1",
        turns=(Turn(user="Where is Rome?"),),
        servers=("maps", "amap"),
        tools=("geo", "route"),
        context=Context(files="seed"),
        expected=Expected(calls=(CallGroup(calls=(EXPECTED,)),)),
        tags={"category": "map", "call_type": "single", "calls": "1"},
        source=Source(file="map.json", place="map.json[0]", upstream_id="u1"),
    )


def test_matchers_of_a_call_say_what_else_is_right() -> None:
    matcher = {"at": ["q"], "one_of": ["Rome", "Roma"]}
    (call,) = task_of(a_record(function_call_label=a_label(matchers=[matcher]))).expected.flat_calls
    assert (call.arguments, call.matchers) == ({"q": "Rome"}, (ArgumentMatcher(at=("q",), one_of=("Rome", "Roma")),))


@pytest.mark.parametrize(
    ("matchers", "error"),
    [
        ({"q": "R.*"}, "must be a list of matchers, not a mapping."),
        ([{"at": ["q"]}], "a matcher has exactly one of regex, near, one_of, any, ignore."),
    ],
)
def test_a_matcher_that_is_none_is_an_error(matchers: Any, error: str) -> None:
    (only,) = loaded(a_record(function_call_label=a_label(matchers=matchers)))
    assert str(only.error) == f"map.json[0]: function_call_label[0].matchers: {error}"


def test_the_tools_of_today_are_an_option() -> None:
    assert task_of(RECORD, tools="live").tools == "all"


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(
            {key: json.dumps(RECORD[key]) for key in ("tools", "mcp_tools_dict", "function_call_label")}, id="texts"
        ),
        pytest.param({"function_call_label": a_label(step=1, id=1)}, id="numbers"),
        pytest.param({"function_call_label": a_label(similar_tools=["route"])}, id="similar tools by name"),
        pytest.param({"function_call_label": a_label()[0]}, id="one call without a list"),
        pytest.param({"function_call_label": a_label(mcp_server=None)}, id="server looked up"),
        *[
            pytest.param(
                {
                    "function_call_label": [
                        {**{k: v for k, v in a_label()[0].items() if k != "input"}, key: {"q": "Rome"}}
                    ]
                },
                id=key,
            )
            for key in ("arguments", "parameters")
        ],
        *[
            pytest.param({"tools": [{"name": tool["name"], "description": "", key: SCHEMA} for tool in TOOLS]}, id=key)
            for key in ("inputSchema", "parameters")
        ],
    ],
)
def test_other_spellings_are_the_same_task(changes: dict[str, Any]) -> None:
    assert task_of(a_record(**changes)) == task_of(RECORD)


def calls(*steps: str | int) -> list[dict[str, Any]]:
    return [
        a_label(step=step, id=str(number), input={"q": f"<{number}_result>"})[0] for number, step in enumerate(steps, 1)
    ]


@pytest.mark.parametrize(
    ("steps", "groups"),
    [
        (("1", "1", "2"), [["1", "2"], ["3"]]),
        ((2, 1), [["2"], ["1"]]),
        (("10", "9", "10"), [["2"], ["1", "3"]]),
        (("b", "a", "b"), [["1", "3"], ["2"]]),
    ],
)
def test_calls_of_one_step_are_parallel_and_steps_are_in_order(steps: tuple[Any, ...], groups: list[list[str]]) -> None:
    task = task_of(a_record(function_call_label=calls(*steps), call_type="multi"))
    assert [[call.id for call in group.calls] for group in task.expected.calls] == groups
    assert task.tags["call_type"] == "multiple"


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        ({"call_type": "multiple"}, "call_type is multiple, but the label has 1 calls"),
        (
            {"function_call_label": a_label(input={"q": "Rome", "n": "5"})},
            "the label of geo does not fit the tool's schema: n: '5' is not of type 'integer'",
        ),
        (
            {"function_call_label": a_label(input={})},
            "the label of geo does not fit the tool's schema: 'q' is a required property",
        ),
        (
            {"function_call_label": a_label(name="geocode")},
            "the label calls 'geocode', which is not among the record's tools",
        ),
        (
            {"function_call_label": a_label(mcp_server="amap")},
            "the label calls 'geo' on 'amap', which does not have this tool",
        ),
    ],
)
def test_a_record_that_contradicts_itself_is_a_task_with_a_warning(changes: dict[str, Any], warning: str) -> None:
    assert warnings_of(a_record(**changes)) == [warning]


def test_a_placeholder_for_a_result_fits_every_schema() -> None:
    assert warnings_of(a_record(function_call_label=a_label(input={"q": "x", "n": "<1_result>"}))) == []


@pytest.mark.parametrize(
    "schema", [{"type": "foo"}, {"$ref": "http://127.0.0.1:9/x"}, {"$ref": "#"}, {"$schema": 5}, {"properties": 5}]
)
def test_a_schema_that_is_none_is_not_held_against_the_label(schema: dict[str, Any]) -> None:
    assert warnings_of(a_record(tools=[{"name": "geo", "input_schema": schema}])) == []


def test_repetitions_are_warnings_that_name_the_first() -> None:
    other = a_record(uuid="u3", function_call_label=a_label(input={"q": "Roma"}))
    assert warnings_of(RECORD, a_record(uuid="u2"), other) == [
        "repeats the query and the label of map.json[0]",
        "the same query has another label at map.json[0]",
    ]


def test_a_repeated_uuid_makes_another_id() -> None:
    first, second, broken = loaded(RECORD, a_record(query="Where is Bern?"), a_record(query=""))
    assert (first.id, second.id, broken.id) == ("u1", "u1-2", "u1-3")
    assert second.warnings == ("the id 'u1' is already used at map.json[0]; this task is called u1-2",)
    assert broken.warnings == ("the id 'u1' is already used at map.json[0]; this task is called u1-3",)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"query": ""}, "query: is missing."),
        ({"query": 5}, "query: must be text, not a number."),
        ({"function_call_label": []}, "function_call_label: has no call."),
        ({"function_call_label": "x"}, "function_call_label: must be a list of calls, not text."),
        ({"function_call_label": a_label(name="")}, "function_call_label[0].name: must be the name of a tool."),
        (
            {"function_call_label": a_label(input="x")},
            "function_call_label[0].input: must be an object of arguments, not text.",
        ),
        (
            {"function_call_label": a_label(similar_tools=[5])},
            "function_call_label[0].similar_tools: an element has no tool name.",
        ),
        ({"tools": "x"}, "tools: must be a list of tools with names, not text."),
        ({"mcp_tools_dict": []}, "mcp_tools_dict: must map servers to tool names, not be a list."),
    ],
)
def test_an_error_names_the_field_and_does_not_hide_the_next(changes: dict[str, Any], error: str) -> None:
    first, second, third = loaded(a_record(uuid="a"), a_record(**changes), a_record(uuid="b"))
    assert (second.id, str(second.error)) == ("u1", f"map.json[1]: {error}")
    assert first.task is not None
    assert third.task is not None


def test_the_tools_of_a_file_are_listed_by_server() -> None:
    content = json.dumps([RECORD, "broken", a_record(tools="x")]).encode()
    assert recorded_tools(content) == {
        server: (ToolSpec(name=tool, server=server, tool=tool, description=f"About {tool}.", input_schema=SCHEMA),)
        for server, tool in (("maps", "geo"), ("amap", "route"))
    }


@pytest.mark.parametrize(
    ("name", "tasks", "tools", "warnings"),
    [
        ("file_system/filesystem_0723_single.json", 241, {"filesystem": 11}, 13),
        ("file_system/filesystem_single_demo.json", 2, {"filesystem": 11}, 0),
        ("finance/finance_0724_single_v3.json", 90, {"finance-agent-mcp-server": 1}, 4),
        ("finance/finance_single_demo.json", 2, {"finance-agent-mcp-server": 1}, 0),
        ("pay/pay_single_demo.json", 1, {"paypal": 6}, 0),
        ("map/map_single_demo.json", 3, {"google-maps": 7, "baidu-maps-sse": 10, "amap-amap-sse": 15}, 1),
    ],
)
def test_the_public_files_load(name: str, tasks: int, tools: dict[str, int], warnings: int) -> None:
    content = shared_file(f"toolbench/{name}").read_bytes()
    found = list(load(content, LoadOptions(name)))
    assert [each.error for each in found] == [None] * tasks
    assert {server: len(specs) for server, specs in recorded_tools(content).items()} == tools
    assert sum(len(each.warnings) for each in found) == warnings


def test_the_missing_comma_of_the_map_demo_is_named() -> None:
    content = shared_file("toolbench/map/map_single_demo.json").read_bytes()
    last = list(load(content, LoadOptions("map_single_demo.json")))[-1]
    assert (str(last.place), last.warnings) == (
        "map_single_demo.json[2]",
        ("a comma is missing between records 1 and 2; both were read",),
    )


@pytest.mark.long
def test_twenty_megabytes_keep_the_tools_once() -> None:
    records = json.loads(shared_file("toolbench/file_system/filesystem_0723_single.json").read_bytes())
    copies = [{**record, "uuid": f"{record['uuid']}-{number}"} for number in range(8) for record in records]
    content = json.dumps(copies, indent=2).encode()
    tasks = list(load(content, LoadOptions("big.json")))
    assert (len(tasks), len(content) > 20_000_000) == (1928, True)
    del tasks
    tracemalloc.start()
    kept = list(load(content, LoadOptions("big.json")))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept) == 1928
    assert size < 30_000_000
