"""Whatever happens to a public record, its loader gives a task or an error with a place, and goes on."""

import copy
import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.loaders import atlas, finmcp, native, persona, radar, toolbench

Load = Callable[[bytes, LoadOptions], Iterator[LoadedTask]]

TOOLBENCH = {
    "uuid": "u1",
    "category": "map",
    "call_type": "multiple",
    "tools": [
        {"name": "geo", "description": "", "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}}
    ],
    "mcp_tools_dict": {"maps": ["geo"]},
    "query": "Where is Rome?",
    "function_call_label": [
        {
            "name": "geo",
            "step": "1",
            "id": "1",
            "mcp_server": "maps",
            "similar_tools": [{"name": "geocode", "mcp_server": "other"}],
            "input": {"q": "Rome"},
            "output": {"status_code": 200, "result": {}},
        },
        {"name": "geo", "step": 2, "id": 2, "mcp_server": "maps", "input": {"q": "<1_result>"}},
    ],
}
CALL = {"id": "c1", "type": "function", "function": {"name": "git_git_log", "arguments": '{"n": 1}'}}
ATLAS = {
    "TASK": "689bd255c0422b257e7dfcc5",
    "PROMPT": "How many commits?",
    "ENABLED_TOOLS": '["git_git_log","MongoDB_find"]',
    "GTFA_CLAIMS": "['There are 3 commits.', \"It's so.\"]",
    "TRAJECTORY": json.dumps(
        [
            {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "3"}]},
        ]
    ),
    "REQUIRED_SERVERS": '["git"]',
}
FINMCP = {
    "id": 7,
    "scenery": "市场分析与研究-宏观经济",
    "diff_level": {"turns": 1, "tool_number": 1, "level": "easy"},
    "tool_list": [["SearchFunds"]],
    "task": "single step",
    "question": "?",
    "messages": [
        {"role": "system", "content": "Be right."},
        {"role": "user", "content": "Which fund?"},
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "c1", "function": {"name": "SearchFunds", "arguments": '{"keyword": "x"}'}, "index": 0}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "{}"},
        {"role": "assistant", "content": "None.", "tool_calls": None},
        {"role": "user", "content": "###STOP###"},
    ],
}
PERSONA = {
    "id": 1,
    "query_type": "feishu_obsidian",
    "instruction": "Plan the review.",
    "context": {"necessary_context": {"Calendar": "c1"}, "unnecessary_context": ["I like tea. "]},
    "chains": ["feishu:list", "obsidian:append"],
    "sampled_contexts": {"feishu": [{"id": "u1", "data": {"calendars": {}}}], "obsidian": [{"id": "n.md", "data": {}}]},
    "gt": [
        {"checkpoint_type": "personalized_search", "GT_value": "{‘a’: 1}"},
        {
            "checkpoint_type": "operate",
            "tool": "feishu:create",
            "operate_type": "create",
            "summary": "s",
            "context": [{"server_name": "feishu", "context_id": "u1"}],
        },
    ],
    "gt_annotation": {"tool_calling_sequence": "1. x", "summary": "Step 1: a\n\nStep 2: b"},
}
RADAR_FUZZY = {"unique_id": "x", "Prompt": "Send it.", "Toolname": ["a", "b"], "Toolargs": [{"p": "(default)1"}, {}]}
RADAR_PRECISE = {"unique_id": "x", "Prompt": "How many?", "Answer": "10"}
NATIVE = {
    "id": "t1",
    "ask": "Do it.",
    "calls": [{"tool": "a", "arguments": {"x": 1}}, ["b", {"tool": "c", "similar_tools": ["d"]}]],
    "answer": 5,
    "claims": ["one"],
    "checkpoints": ["two"],
    "state": [{"created": "events", "where": {"a": 1}}],
    "verify": {"tool": "get", "contains": "x"},
    "never": ["drop"],
    "tags": {"n": 1},
    "limits": {"rounds": 3},
    "floors": {"ast": 1},
    "context": {"necessary": {"a": "b"}, "seeds": {"s": {}}},
    "expected": {"exec": [{"kind": "operate", "operation": "create"}]},
}
FULL_TURNS = {
    "turns": [
        {"user": "One", "gold": [{"role": "assistant", "calls": [{"tool": "a"}]}], "calls": ["a"]},
        {"ask": "Two", "tool": "b", "arguments": {}},
    ],
    "expected": {"calls": [{"calls": [{"tool": "c"}], "turn": 1}]},
}
CASES: list[tuple[str, Load, dict[str, Any], dict[str, Any]]] = [
    ("toolbench", toolbench.load, TOOLBENCH, {}),
    ("atlas", atlas.load, ATLAS, {"official": True, "results": True}),
    ("finmcp", finmcp.load, FINMCP, {"server": "qieman"}),
    ("persona", persona.load, PERSONA, {}),
    ("radar-fuzzy", radar.load, RADAR_FUZZY, {}),
    ("radar-precise", radar.load, RADAR_PRECISE, {}),
    ("native", native.load, NATIVE, {}),
    ("native-turns", native.load, FULL_TURNS, {}),
]
BY_NAME = {name: (load, record, options) for name, load, record, options in CASES}

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["", "[", "{}", "[]", "null", "<1_result>"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every path into a JSON value, its own first."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def mutated(record: Any, path: tuple[Any, ...], value: Any, *, remove: bool) -> Any:
    """A copy in which one place is removed or holds something else."""
    if not path:
        return value
    changed = copy.deepcopy(record)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    if remove:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return changed


def check(loaded: list[LoadedTask]) -> None:
    """Each record is a task or an error whose sentence begins with its place; ids are unique."""
    assert len({each.id for each in loaded}) == len(loaded)
    for each in loaded:
        assert isinstance(each.task, Task) != isinstance(each.error, TaskError)
        if each.error is not None:
            assert str(each.error).startswith("file.jsonl")
        else:
            assert each.task is not None
            assert each.task.id == each.id
            assert each.task.hash


@pytest.mark.long
@pytest.mark.parametrize("name", BY_NAME)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_record_is_a_task_or_an_error_and_its_neighbours_are_tasks(name: str, data: st.DataObject) -> None:
    load, record, options = BY_NAME[name]
    path = data.draw(st.sampled_from(list(places(record))))
    broken = mutated(record, path, data.draw(values), remove=data.draw(st.booleans()))
    neighbour = {key: "neighbour" if key in ("id", "uuid", "TASK") else value for key, value in record.items()}
    lines = [json.dumps(each) for each in (neighbour, broken, neighbour)]
    loaded = list(load("\n".join(lines).encode(), LoadOptions("file.jsonl", options)))
    check(loaded)
    assert len(loaded) == 3
    assert loaded[0].task is not None


@pytest.mark.extra
@pytest.mark.parametrize("name", BY_NAME)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_file_with_changed_bytes_still_loads(name: str, data: st.DataObject) -> None:
    load, record, options = BY_NAME[name]
    content = bytearray(
        json.dumps([record, record], indent=data.draw(st.sampled_from([None, 1])), ensure_ascii=False).encode()
    )
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(start + 20, len(content))))
    content[start:end] = data.draw(st.binary(max_size=8))
    check(list(load(bytes(content), LoadOptions("file.jsonl", options))))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_table_with_changed_bytes_still_loads(data: st.DataObject) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(ATLAS))
    writer.writeheader()
    writer.writerows([ATLAS, ATLAS])
    content = bytearray(text.getvalue().encode())
    start = data.draw(st.integers(0, len(content)))
    content[start : start + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=8))
    check(list(atlas.load(bytes(content), LoadOptions("file.jsonl"))))


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_a_yaml_file_with_changed_characters_still_loads(data: st.DataObject) -> None:
    text = """server: python server.py
tasks:
  - ask: Is it raining?
    tool: get_weather
    arguments: {city: Montreal, when: 2026-03-02}
  - id: second
    ask: |
      And tomorrow?
    calls: [[a, b], {tool: c}]
"""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 10, len(text))))
    changed = (
        text[:start]
        + data.draw(st.text(max_size=5) | st.sampled_from([": ", "- ", "&a ", "*a", "<<: ", "\t", "'", "[", "!x "]))
        + text[end:]
    )
    loaded = list(native.load(changed.encode("utf-8", "surrogatepass"), LoadOptions("file.jsonl.yaml")))
    check(loaded)
