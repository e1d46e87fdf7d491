"""Chains that are drawn for requests."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.tools.candidates import (
    Arguments,
    ArgumentSource,
    ChainCandidate,
    PlannedCall,
    ToolCandidate,
)
from pytest_mcpbench.generation.pipelines.tools.sampling import made_at_once, sample


def drawn_chains(
    descriptions: Mapping[str, str],
    arguments: Arguments,
    own: Mapping[str, Arguments] | None = None,
    also: Mapping[str, tuple[Arguments, ...]] | None = None,
) -> Selection:
    """Return the chains of tools of one server that take the same arguments, but for tools with their ``own``.

    Some tools ``also`` take others.
    """
    given = {name: (own or {}).get(name, arguments) for name in descriptions}
    tools = [
        ToolDefinition(
            {
                "name": name,
                "description": text,
                "inputSchema": {"properties": {each: {} for each in given[name]}, "required": list(given[name])},
            }
        )
        for name, text in descriptions.items()
    ]
    suite = SuiteManifest(name="s", directory="/", files=(TaskFileRef(path="tasks.jsonl", loader="native"),))
    server = ServerDefinition(name="xl", tools=tuple(tools))
    setup = Setup(PipelineSettings(pipeline="tools", tasks=20), suite, {"xl": server}, ServerPool())
    candidates = [
        ToolCandidate(
            id=name, server="xl", category="xl", tool=name, known_arguments=(given[name], *(also or {}).get(name, ()))
        )
        for name in descriptions
    ]
    return sample(setup, candidates)


def calls_of(drawn: Selection) -> list[tuple[PlannedCall, ...]]:
    return [chain.calls for chain in drawn.kept if isinstance(chain, ChainCandidate)]


def test_what_a_chain_changes_it_does_not_delete() -> None:
    drawn = drawn_chains(
        {
            "read_sheet": "Read a sheet.",
            "set_title": "Set the title of a sheet.",
            "delete_sheet": "Delete a sheet.",
        },
        {"sheet": "Costs"},
    )
    assert pairs_of(drawn) == {("set_title", "read_sheet")}
    assert "the chain deletes what it has changed" in {each.reason for each in drawn.dropped}


CHANGES = {
    "show_changes": "Show the changes.",
    "describe_changes": "Describe the changes.",
    "count_changes": "Count the changes.",
}


def test_rules_put_no_more_than_two_calls_into_a_chain() -> None:
    assert {len(calls) for calls in calls_of(drawn_chains(CHANGES, {"path": "a.md"}))} == {1, 2}


def test_calls_that_only_read_need_no_order_and_others_do() -> None:
    reading = calls_of(drawn_chains(CHANGES, {"path": "a.md"}))
    assert {call.step for calls in reading for call in calls} == {0}
    editing = calls_of(drawn_chains({**CHANGES, "write_changes": "Write the changes."}, {"path": "a.md"}))
    written = [[call.step for call in calls] for calls in editing if "write_changes" in {call.tool for call in calls}]
    assert all(steps == list(range(len(steps))) for steps in written)
    assert [0, 1] in written


def test_what_is_possible_is_asked_for_alone() -> None:
    tools = {"list_supported_notes": "List the supported notes.", "write_note": "Write a note."}
    drawn = {tuple(call.tool for call in calls) for calls in calls_of(drawn_chains(tools, {"path": "a.md"}))}
    assert drawn == {("list_supported_notes",), ("write_note",)}


def pairs_of(drawn: Selection) -> set[tuple[str, ...]]:
    return {tuple(call.tool for call in calls) for calls in calls_of(drawn) if len(calls) == 2}


def test_two_calls_that_name_things_name_a_common_one() -> None:
    tools = {
        "create_branch": "Create a branch.",
        "delete_branch": "Delete a branch.",
        "list_branches": "List branches.",
    }
    own: dict[str, Arguments] = {
        "create_branch": {"branch_name": "fair"},
        "rename_branch": {"branch_name": "logo"},
        "list_branches": {},
    }
    pairs = pairs_of(drawn_chains(tools, {}, own))
    assert ("create_branch", "list_branches") in pairs
    assert ("list_branches", "create_branch") not in pairs
    assert not {("create_branch", "rename_branch"), ("rename_branch", "create_branch")} & pairs


def test_a_common_day_connects_no_two_things() -> None:
    own: dict[str, Arguments] = {
        "edit_todo": {"id": 4, "due": "2027-01-15"},
        "add_todo": {"text": "Water the plants", "due": "2027-01-15"},
    }
    assert not pairs_of(drawn_chains({"edit_todo": "Edit a todo.", "add_todo": "Add a todo."}, {}, own))


def test_nothing_is_read_twice() -> None:
    tools = {
        "list_files": "List the files and directories.",
        "show_tree": "Show a tree of files and directories.",
        "get_size": "Get the size of all files.",
    }
    drawn = drawn_chains(tools, {"path": "notes"})
    assert {frozenset(pair) for pair in pairs_of(drawn)} == {
        frozenset({"list_files", "get_size"}),
        frozenset({"show_tree", "get_size"}),
    }


def test_nothing_is_changed_and_emptied() -> None:
    tools = {"reset_changes": "Reset all changes.", "save_changes": "Save all changes."}
    drawn = drawn_chains(tools, {"repo_path": "{sandbox}"})
    assert not pairs_of(drawn)
    assert {each.reason for each in drawn.dropped} == {"the chain changes what it empties"}


def test_two_calls_in_one_file_are_about_one_thing_in_it() -> None:
    tools = {"merge_cells": "Merge cells.", "set_note": "Set a note.", "read_sheet": "Read a sheet."}
    own: dict[str, Arguments] = {
        "merge_cells": {"path": "a.xlsx", "sheet": "Costs", "range": "A1:B2"},
        "set_note": {"path": "a.xlsx", "sheet": "Sales", "cell": "A1"},
        "read_sheet": {"path": "a.xlsx", "sheet": "Sales"},
    }
    assert {frozenset(pair) for pair in pairs_of(drawn_chains(tools, {}, own))} == {
        frozenset({"set_note", "read_sheet"})
    }


def test_what_is_made_with_parts_in_it_gets_none_in_a_second_call() -> None:
    book = ToolDefinition({"name": "create_book", "inputSchema": {"properties": {"path": {}, "sheets": {}}}})
    sheet = ToolDefinition({"name": "create_sheet", "inputSchema": {"properties": {"path": {}}}})
    calls = [PlannedCall(id="1", server="xl", category="xl", tool=each.name, arguments={}) for each in (book, sheet)]
    assert made_at_once(calls, [book, sheet])
    assert not made_at_once(calls[::-1], [sheet, book])


def test_nobody_asks_to_see_what_got_a_new_name_just_now() -> None:
    tools = {"create_sheet": "Create a sheet.", "describe_sheet": "Describe a sheet.", "color_sheet": "Color a sheet."}
    own: dict[str, Arguments] = {
        "create_sheet": {"path": "a.xlsx", "new_name": "Archive"},
        "describe_sheet": {"path": "a.xlsx", "sheet": "Archive"},
        "color_sheet": {"path": "a.xlsx", "sheet": "Archive"},
    }
    drawn = {frozenset(pair) for pair in pairs_of(drawn_chains(tools, {}, own))}
    assert drawn == {frozenset({"create_sheet", "color_sheet"}), frozenset({"describe_sheet", "color_sheet"})}


def test_nothing_is_put_into_a_thing_before_it_is_made() -> None:
    file: Arguments = {"path": "new.xlsx"}
    properties: dict[str, Any] = {"create_book": {"path": {}, "sheets": {}}, "create_sheet": {"path": {}}}
    tools = tuple(
        ToolDefinition({"name": name, "description": f"{name.replace('_', ' a ')}.", "inputSchema": {"properties": of}})
        for name, of in properties.items()
    )
    suite = SuiteManifest(name="s", directory="/", files=(TaskFileRef(path="tasks.jsonl", loader="native"),))
    servers = {"xl": ServerDefinition(name="xl", tools=tools)}
    setup = Setup(PipelineSettings(pipeline="tools", tasks=20), suite, servers, ServerPool())
    source = ArgumentSource(arguments=file, tool="create_book", tool_arguments=file)
    maker = ToolCandidate(id="b", server="xl", category="xl", tool="create_book", known_arguments=(file,))
    needy = ToolCandidate(id="s", server="xl", category="xl", tool="create_sheet", sources=(source,))
    drawn = sample(setup, [maker, needy])
    assert {call.tool for calls in calls_of(drawn) for call in calls} == {"create_book"}
    assert "one call can make both" in {each.reason for each in drawn.dropped}


def test_a_table_is_dictated_alone() -> None:
    tools = {"draw_pie_chart": "Draw a pie chart.", "draw_bar_chart": "Draw a bar chart."}
    rows: Arguments = {"data": [{"name": "Rent", "value": 900}, {"name": "Food", "value": 350}]}
    assert {len(calls) for calls in calls_of(drawn_chains(tools, rows))} == {1}


def test_what_a_tool_needs_is_made_by_a_tool_of_its_own_server() -> None:
    add = ToolDefinition({"name": "add_note", "description": "Add a note."})
    mark = ToolDefinition({"name": "mark_note", "description": "Mark a note as read."})
    servers = {name: ServerDefinition(name=name, tools=(add, mark)) for name in ("desk", "wall")}
    suite = SuiteManifest(name="s", directory="/", files=(TaskFileRef(path="tasks.jsonl", loader="native"),))
    setup = Setup(PipelineSettings(pipeline="tools", tasks=20), suite, servers, ServerPool())
    source = ArgumentSource(arguments={}, tool="add_note", tool_arguments={"text": "Tea"})
    needy = ToolCandidate(id="m", server="desk", category="notes", tool="mark_note", sources=(source,))
    makers = [
        ToolCandidate(id=name, server=name, category="notes", tool="add_note", known_arguments=({"text": "Tea"},))
        for name in servers
    ]
    chains = calls_of(sample(setup, [needy, *makers]))
    assert any("mark_note" in {call.tool for call in calls} for calls in chains)
    for calls in chains:
        tools = [(call.server, call.tool) for call in calls]
        assert ("desk", "mark_note") not in tools or ("desk", "add_note") in tools[: tools.index(("desk", "mark_note"))]


def test_only_few_single_calls_choose_nothing_but_the_tool() -> None:
    sentences = ("Dinner is ready at seven", "The parcel has arrived", "Lunch is in the garden")
    told, *others = ({"message": each} for each in sentences)
    names = ("list_rooms", "list_guests", "list_bookings")
    drawn = drawn_chains(
        {"echo": "Echo a message.", "show": "Show a room.", **{each: each.replace("_", " ") for each in names}},
        {},
        {"echo": dict(told), "show": {"room": "7"}},
        {"echo": tuple(map(dict, others)), "show": tuple({"room": str(each)} for each in range(4))},
    )
    alone = Counter(calls[0].tool for calls in calls_of(drawn) if len(calls) == 1)
    assert alone["echo"] == 2
    assert sum(alone[name] for name in names) == 2
    assert alone["show"] == 5
