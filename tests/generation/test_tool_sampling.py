"""Chains that are drawn for requests."""

from pytest_mcpbench.attempt.server_pool import ServerPool
from pytest_mcpbench.core.suite import SuiteManifest, TaskFileRef
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.generation.pipeline.settings import PipelineSettings
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipelines.tools.candidates import ChainCandidate, ToolCandidate
from pytest_mcpbench.generation.pipelines.tools.sampling import sample

DESCRIPTIONS = {
    "read_sheet": "Read a sheet.",
    "set_title": "Set the title of a sheet.",
    "delete_sheet": "Delete a sheet.",
}


def a_tool(name: str) -> ToolDefinition:
    schema = {"properties": {"sheet": {"type": "string"}}, "required": ["sheet"]}
    return ToolDefinition({"name": name, "description": DESCRIPTIONS[name], "inputSchema": schema})


def test_what_a_chain_changes_it_does_not_delete() -> None:
    suite = SuiteManifest(name="s", directory="/", files=(TaskFileRef(path="tasks.jsonl", loader="native"),))
    server = ServerDefinition(name="xl", tools=tuple(map(a_tool, DESCRIPTIONS)))
    setup = Setup(PipelineSettings(pipeline="tools", tasks=20), suite, {"xl": server}, ServerPool())
    drawn = sample(
        setup,
        [
            ToolCandidate(id=name, server="xl", category="xl", tool=name, known_arguments=({"sheet": "Costs"},))
            for name in DESCRIPTIONS
        ],
    )
    chains = [chain.calls for chain in drawn.kept if isinstance(chain, ChainCandidate)]
    pairs = {tuple(call.tool for call in calls) for calls in chains if len(calls) == 2}
    assert ("read_sheet", "delete_sheet") in pairs
    assert ("set_title", "delete_sheet") not in pairs
    assert "the chain deletes what it has changed" in {each.reason for each in drawn.dropped}
