"""MCP-Persona's tasks."""

import copy
import json
from typing import Any

import pytest

from pytest_mcpbench.core.loading import LoadedTask, LoadOptions
from pytest_mcpbench.core.task import (
    CallGroup,
    Checkpoint,
    Context,
    ExecCheckpoint,
    Expected,
    ExpectedCall,
    Source,
    Task,
    Turn,
)
from pytest_mcpbench.loaders.persona import load
from tests.shared_data import shared_file

LARK = {"open_id": "ou_1", "calendars": {"c1": {"events": {}}}}
NOTE = {"relative_path": "n.md", "content": "x"}
RECORD: dict[str, Any] = {
    "id": 7,
    "query_type": "feishu_obsidian",
    "instruction": "Plan the review.",
    "context": {
        "necessary_context": {"Calendar ID": "c1 ", "Mails": ["a@x.org"]},
        "unnecessary_context": ["I like tea.  ", ""],
    },
    "chains": ["feishu:list", "obsidian:append", "feishu:create"],
    "sampled_contexts": {"feishu": [{"id": "u1", "data": LARK}], "obsidian": [{"id": "n.md", "data": NOTE}]},
    "gt": [
        {"checkpoint_type": "personalized_search", "GT_value": '{"events": [1]}'},
        {
            "checkpoint_type": "operate",
            "tool": "feishu:create",
            "operate_type": "create",
            "summary": "Create it.",
            "context": [{"server_name": "feishu", "context_id": "u1"}],
        },
    ],
    "gt_annotation": {"tool_calling_sequence": "1. …", "summary": ["Lists.", "Creates."]},
}


def a_record(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(RECORD), **changes}


def loaded(*records: Any, file: str = "en_release_data.json", **options: Any) -> list[LoadedTask]:
    return list(load(json.dumps(records).encode(), LoadOptions(file, options)))


def task_of(record: Any, **options: Any) -> Task:
    (only,) = loaded(record, **options)
    assert only.task is not None, str(only.error)
    return only.task


def test_a_record_is_a_task_in_a_personal_context() -> None:
    assert task_of(RECORD) == Task(
        id="en-7",
        turns=(Turn(user="Plan the review."),),
        servers=("lark_mcp", "obsidian"),
        context=Context(
            necessary={"Calendar ID": "c1", "Mails": "['a@x.org']"},
            unnecessary=("I like tea.",),
            seeds={"lark_mcp": LARK, "obsidian": {"n.md": NOTE}},
        ),
        expected=Expected(
            checkpoints=(Checkpoint(text="Lists."), Checkpoint(text="Creates.")),
            exec=(
                ExecCheckpoint(kind="personalized_search", value={"events": [1]}),
                ExecCheckpoint(
                    kind="operate",
                    tool="lark_mcp:create",
                    operation="create",
                    summary="Create it.",
                    contexts=(("lark_mcp", "u1"),),
                ),
            ),
        ),
        tags={"tools": "3", "query_type": "feishu_obsidian", "scope": "cross", "category": "lark-centric"},
        source=Source(file="en_release_data.json", place="en_release_data.json[0]", upstream_id="7"),
    )


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ('1. feishu:send: text="a, b=c", at=5, all=True', {"text": "a, b=c", "at": 5, "all": True}),
        (
            '1. feishu:send: path={"id": "x"}, data={"list": ["a", {"b": null}]}',
            {"path": {"id": "x"}, "data": {"list": ["a", {"b": None}]}},
        ),
        (
            '1. feishu:send: params={"start": <now>, "end": <now_and_7_days>}',
            {"params": {"start": "<now>", "end": "<now_and_7_days>"}},
        ),
        ("1. feishu:send: time=<tomorrow>", {"time": "<tomorrow>"}),
        ('1. feishu:send: text="id: <1_result.id>, done"', {"text": "id: <1_result.id>, done"}),
        ("1. `feishu:send`: [No parameters required]", {}),
        ('1. feishu:send: data={…}, text="say \\"so\\""', {"data": "{…}", "text": 'say "so"'}),
        ("1. feishu:send", {}),
        (
            "1. feishu:send: ts=1767064715.133710, user=20433218196001338, note=77018006614943e8412, from=1764484926",
            {
                "ts": "1767064715.133710",
                "user": "20433218196001338",
                "note": "77018006614943e8412",
                "from": 1764484926,
            },
        ),
        (
            "1. feishu:send: temperature=0.7, high=1e3, long=123456",
            {"temperature": 0.7, "high": 1000.0, "long": 123456},
        ),
    ],
)
def test_the_sequence_of_tools_is_the_reference_calls(line: str, arguments: dict[str, Any]) -> None:
    expected = task_of(a_record(gt_annotation={"tool_calling_sequence": line, "summary": ["x"]})).expected
    assert expected.calls == (
        CallGroup(calls=(ExpectedCall(id="1", server="lark_mcp", tool="send", arguments=arguments),)),
    )


def test_the_calls_of_a_sequence_follow_each_other() -> None:
    sequence = "Calls:\n1. feishu:list: a=1\nthen\n2. obsidian:append"
    groups = task_of(a_record(gt_annotation={"tool_calling_sequence": sequence})).expected.calls
    assert [[(call.id, call.server, call.tool) for call in group.calls] for group in groups] == [
        [("1", "lark_mcp", "list")],
        [("2", "obsidian", "append")],
    ]


def test_an_operation_may_name_the_entity_and_what_must_be_said_in_it() -> None:
    told = {"collection": "notes", "entity": "n.md", "contains": [["5 May", "May 5"], ["Mei"]]}
    (checkpoint,) = task_of(
        a_record(gt=[{"checkpoint_type": "operate", "operate_type": "modify", **told}])
    ).expected.exec
    assert (checkpoint.collection, checkpoint.entity, checkpoint.contains) == (
        "notes",
        "n.md",
        (("5 May", "May 5"), ("Mei",)),
    )


def test_files_are_a_directory_of_the_suite() -> None:
    assert task_of(RECORD, files="files/home").context.files == "files/home"


@pytest.mark.parametrize(("kind", "scope"), [("lark_mcp_single_short", "single"), ("xiaohongshu_notion", "cross")])
def test_a_query_type_with_single_is_of_one_server(kind: str, scope: str) -> None:
    assert task_of(a_record(query_type=kind)).tags["scope"] == scope


@pytest.mark.parametrize(
    ("kind", "chain", "category"),
    [
        ("lark_mcp_single_short", ["lark_mcp:a"], "collaboration-platform"),
        ("wecome_single", ["wecome:a"], "collaboration-platform"),
        ("obsidian_single_long", ["amap-maps:a", "obsidian:a"], "content-management"),
        ("instagram_single", ["instagram:a"], "social-media"),
        ("email_single", ["universal_email:a"], "email"),
        ("feishu_obsidian", ["feishu:a", "obsidian:b"], "lark-centric"),
        ("lark_mcp_xiaohongshu", ["xiaohongshu:a", "lark_mcp:b"], "lark-centric"),
        ("xiaohongshu_other", ["xiaohongshu:a", "slack:b"], "rednote-centric"),
        ("hodgepodge", ["slack:a", "notion:b"], "hodgepodge"),
        (None, ["notion:a"], "content-management"),
        ("maps_single", ["amap-maps:a"], None),
    ],
)
def test_the_category_is_the_column_of_the_papers_table(
    kind: str | None, chain: list[str], category: str | None
) -> None:
    assert task_of(a_record(query_type=kind, chains=chain)).tags.get("category") == category


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("{'a': (1, None)}", {"a": [1, None]}),
        ("{‘a‘: ‘b‘}", {"a": "b"}),
        ("{“a”：“b”，“c”：1}", {"a": "b", "c": 1}),
        ("the id is 5", "the id is 5"),
        ("{‘a‘: …}", "{‘a‘: …}"),
        ({"a": 1}, {"a": 1}),
        (["x"], ["x"]),
        (None, None),
    ],
)
def test_reference_values_are_decoded_as_far_as_they_can_be(written: Any, value: Any) -> None:
    (checkpoint,) = task_of(a_record(gt=[{"checkpoint_type": "generic_search", "GT_value": written}])).expected.exec
    assert checkpoint == ExecCheckpoint(kind="generic_search", value=value)


@pytest.mark.parametrize(
    ("written", "operation"),
    [("create", "create"), ("Modify", "modify"), ("update", "modify"), ("delete", "delete"), ("other", "other")],
)
def test_operations_have_four_names(written: str, operation: str) -> None:
    (checkpoint,) = task_of(a_record(gt=[{"checkpoint_type": "operate", "operate_type": written}])).expected.exec
    assert checkpoint.operation == operation


@pytest.mark.parametrize(
    ("gt", "kept", "warning"),
    [
        ([{"checkpoint_type": "dance"}], 0, "gt[0]: the checkpoint type 'dance' is unknown and was left out"),
        (
            [{"checkpoint_type": "operate", "operate_type": "sing"}],
            1,
            "gt[0]: the operation 'sing' is unknown and is treated as other",
        ),
    ],
)
def test_unknown_kinds_are_warnings(gt: Any, kept: int, warning: str) -> None:
    (only,) = loaded(a_record(gt=gt))
    assert only.task is not None
    assert (len(only.task.expected.exec), only.warnings) == (kept, (warning,))


@pytest.mark.parametrize(
    ("gt", "kept"),
    [
        ({"checkpoint_type": "other"}, ()),
        ({"checkpoint_type": "other", "tool": "feishu:look"}, (ExecCheckpoint(kind="other", tool="lark_mcp:look"),)),
    ],
)
def test_other_checkpoints_ask_for_a_call_where_they_name_one(gt: Any, kept: Any) -> None:
    (only,) = loaded(a_record(gt=[gt]))
    assert only.task is not None
    assert (only.task.expected.exec, only.warnings) == (kept, ())


@pytest.mark.parametrize("gt", [[], None])
def test_a_task_may_have_no_exec_checkpoints(gt: Any) -> None:
    assert task_of(a_record(gt=gt)).expected.exec == ()


@pytest.mark.parametrize(
    ("summary", "official", "checkpoints"),
    [
        ("Step 1: Do a.\n\nStep 2: Do b.\nand c.\n\nStep 10: Do d.", False, ["Do a.", "Do b.\nand c.", "Do d."]),
        ("Step 1: Do a.\n\nStep 2: Do b.", True, ["Step 1: Do a.\n\nStep 2: Do b."]),
        ("步骤1：做甲。\n步骤2：做乙。", False, ["做甲。", "做乙。"]),
        ("Do all.", False, ["Do all."]),
        (["Step 1: a", "Step 2: b"], False, ["Step 1: a", "Step 2: b"]),
    ],
)
def test_checkpoints_are_a_list_or_the_steps_of_a_text(summary: Any, official: bool, checkpoints: list[str]) -> None:
    task = task_of(a_record(gt_annotation={"summary": summary}), official=official)
    assert [checkpoint.text for checkpoint in task.expected.checkpoints] == checkpoints


@pytest.mark.parametrize(
    ("contexts", "seed"),
    [
        ([{"id": "u1", "data": LARK}], LARK),
        ([{"id": "u1", "data": json.dumps(LARK)}], LARK),
        ([{"id": "u1", "data": LARK}, {"id": "u2", "data": {}}], {"u1": LARK, "u2": {}}),
        ("office", "office"),
        (LARK, LARK),
    ],
)
def test_a_sampled_context_is_the_seed_of_its_server(contexts: Any, seed: Any) -> None:
    assert task_of(a_record(sampled_contexts={"feishu": contexts})).context.seeds == {"lark_mcp": seed}


def test_a_repeated_id_makes_another() -> None:
    assert [each.id for each in loaded(RECORD, RECORD)] == ["en-7", "en-7-2"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"instruction": 5}, "instruction: must be text, not a number."),
        ({"instruction": None, "gt_annotation": None}, "instruction: is missing."),
        ({"context": "x"}, "context: must be an object, not text."),
        ({"context": {"necessary_context": "x"}}, "context.necessary_context: must map labels to texts, not be text."),
        ({"chains": "x"}, "chains: must be a list of `server:tool`, not text."),
        ({"sampled_contexts": []}, "sampled_contexts: must map servers to contexts, not be a list."),
        (
            {"sampled_contexts": {"slack": [{"id": 1}]}},
            "sampled_contexts.slack: must be a list of objects with `id` and `data`.",
        ),
        ({"gt": {}}, "gt: must be a list of checkpoints, not a mapping."),
        ({"gt": ["x"]}, "gt[0]: must be an object, not text."),
        ({"gt_annotation": {"summary": 5}}, "gt_annotation.summary: must be a text or a list of texts, not a number."),
        (
            {"gt": [{"checkpoint_type": "operate", "operate_type": "create", "collection": 5}]},
            "gt[0].collection: must be text, not a number.",
        ),
    ],
)
def test_an_error_names_the_field_and_does_not_hide_the_next(changes: dict[str, Any], error: str) -> None:
    first, second, third = loaded(a_record(id=1), a_record(**changes), a_record(id=2))
    assert (second.id, str(second.error)) == ("en-7", f"en_release_data.json[1]: {error}")
    assert (first.id, third.id) == ("en-1", "en-2")


def test_the_public_records_load() -> None:
    content = shared_file("persona/persona_tasks_reduced.json").read_bytes()
    found = list(load(content, LoadOptions("persona_tasks_reduced.json")))
    tasks = [each.task for each in found if each.task is not None]
    assert [task.id for task in tasks] == [f"persona_tasks_reduced-{number}" for number in (1, 111, 173)]
    assert [len(task.expected.exec) for task in tasks] == [2, 0, 5]
    assert [[call.tool for call in task.expected.flat_calls][:2] for task in tasks] == [
        ["calendar_v4_calendarEvent_list", "contact_v3_user_get"],
        [],
        ["create_a_reminder", "upload_file"],
    ]
    assert [each.warnings for each in found] == [
        (),
        (
            "gt_annotation.summary contains no checkpoint",
            "sampled_contexts.lark_mcp: the data of '4wymgcwe' is not an object and was left out",
        ),
        ("instruction is missing; the steps of gt_annotation replace it",),
    ]
