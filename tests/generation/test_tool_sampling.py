"""Chains that are drawn for requests."""

from collections.abc import Mapping

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.tools.candidates import (
    Arguments,
    ChainCandidate,
    PlannedCall,
    ToolCandidate,
)
from pytest_mcpbench.generation.pipelines.tools.sampling import sample


def drawn_chains(descriptions: Mapping[str, str], arguments: Arguments) -> Selection:
    """Return the chains of tools of one server that take the same arguments."""
    schema = {"properties": {name: {"type": "string"} for name in arguments}, "required": list(arguments)}
    tools = [
        ToolDefinition({"name": name, "description": text, "inputSchema": schema})
        for name, text in descriptions.items()
    ]
    suite = SuiteManifest(name="s", directory="/", files=(TaskFileRef(path="tasks.jsonl", loader="native"),))
    server = ServerDefinition(name="xl", tools=tuple(tools))
    setup = Setup(PipelineSettings(pipeline="tools", tasks=20), suite, {"xl": server}, ServerPool())
    candidates = [
        ToolCandidate(id=name, server="xl", category="xl", tool=name, known_arguments=(arguments,))
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
    pairs = {tuple(call.tool for call in calls) for calls in calls_of(drawn) if len(calls) == 2}
    assert ("read_sheet", "delete_sheet") in pairs
    assert ("set_title", "delete_sheet") not in pairs
    assert "the chain deletes what it has changed" in {each.reason for each in drawn.dropped}


CHANGES = {
    "show_changes": "Show the changes.",
    "describe_changes": "Describe the changes.",
    "count_changes": "Count the changes.",
}


def test_a_repository_connects_no_more_than_two_calls_of_a_kind() -> None:
    of_repository = calls_of(drawn_chains(CHANGES, {"repo_path": "{sandbox}"}))
    of_file = calls_of(drawn_chains(CHANGES, {"path": "a.md"}))
    assert {len(calls) for calls in of_repository} == {1, 2}
    assert {len(calls) for calls in of_file} == {1, 2, 3}


def test_calls_that_only_read_need_no_order_and_others_do() -> None:
    reading = calls_of(drawn_chains(CHANGES, {"path": "a.md"}))
    assert {call.step for calls in reading for call in calls} == {0}
    editing = calls_of(drawn_chains({**CHANGES, "write_changes": "Write the changes."}, {"path": "a.md"}))
    written = [[call.step for call in calls] for calls in editing if "write_changes" in {call.tool for call in calls}]
    assert all(steps == list(range(len(steps))) for steps in written)
    assert [0, 1] in written


def test_what_is_possible_is_asked_for_first() -> None:
    tools = {"list_supported_notes": "List the supported notes.", "write_note": "Write a note."}
    pairs = {tuple(call.tool for call in calls) for calls in calls_of(drawn_chains(tools, {"path": "a.md"}))}
    assert ("list_supported_notes", "write_note") in pairs
    assert ("write_note", "list_supported_notes") not in pairs
