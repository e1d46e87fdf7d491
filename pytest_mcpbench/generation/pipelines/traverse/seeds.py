"""Seed calls: those that people write, and calls that fill a server before others."""

from collections.abc import Mapping, Sequence

from pytest_mcpbench.core.errors import SourceLocation, TaskError, UsageError
from pytest_mcpbench.core.fidelity.trace import TracedCall
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.pipeline.candidates import Dropped
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipelines.persona.trees import is_read
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments, ToolCandidate
from pytest_mcpbench.generation.pipelines.tools.collecting import NO_RESULT, collect
from pytest_mcpbench.generation.pipelines.traverse.candidates import SeedCandidate
from pytest_mcpbench.generation.source.calls import ReferenceCall
from pytest_mcpbench.generation.source.files import SourceEntry, read_entries, source_text
from pytest_mcpbench.loaders.traces import read_traces
from pytest_mcpbench.text.suggestions import hint

_REMOVING = frozenset({"delete", "remove", "clear", "reset", "drop", "cancel", "archive", "close", "stop", "kill"})
"""Words in the names of tools that empty a server."""


class _SeedCall(ReferenceCall, SourceEntry):
    """Entry of a YAML file of calls."""


def server_of(setup: Setup) -> str:
    """Return the name of the only server. Raises UsageError if there are several."""
    if len(setup.servers) != 1:
        raise UsageError("--pipeline traverse records one server: name it with --server, and no other.")
    return next(iter(setup.servers))


def collect_seeds(setup: Setup) -> Selection:
    """Return the tools of the server, with the calls of people, which are then tried before those of rules."""
    written = _written_calls(setup)
    found = collect(setup)
    kept = [
        each.model_copy(update={"proposed_arguments": tuple(written.get(each.tool, ()))})
        for each in found.kept
        if isinstance(each, ToolCandidate)
    ]
    return Selection(kept, found.dropped)


def with_untried_calls(setup: Setup, found: Selection) -> Selection:
    """Return the selection with the calls that an empty server does not answer, to be tried once it is filled.

    These are the calls of people and, for a tool that requires no argument, the one without any.
    """
    definition = setup.servers[server_of(setup)]
    kept: dict[str, ToolCandidate] = {}
    for answered in found.kept:
        if isinstance(answered, ToolCandidate):
            written = answered.proposed_arguments
            others = (each for each in answered.known_arguments if each not in written)
            kept[answered.id] = answered.model_copy(update={"known_arguments": (*written, *others)})
    left: list[Dropped] = []
    for each in found.dropped:
        tool = ToolCandidate.model_validate(each.candidate)
        defined = definition.tool(tool.tool)
        calls = tool.proposed_arguments or (() if defined is not None and defined.required else ({},))
        if each.reason == NO_RESULT and calls:
            kept[tool.id] = tool.model_copy(update={"known_arguments": calls})
        else:
            left.append(each)
    names = [tool.name for tool in definition.tools]
    ordered = sorted(kept.values(), key=lambda each: names.index(each.tool))
    return Selection(ordered, left)


def with_given(setup: Setup, tools: Sequence[ToolCandidate]) -> Selection:
    """Return the tools with the calls that fill the server: one of each tool that adds or changes something.

    Calls of people come first, in their order.
    """
    definition = setup.servers[server_of(setup)]
    written = list(_written_calls(setup))
    filling = tuple(
        TracedCall(tool=each.tool, arguments=dict(each.known_arguments[0]))
        for each in sorted(tools, key=lambda each: written.index(each.tool) if each.tool in written else len(written))
        if each.known_arguments and not is_read_only(definition, each.tool) and not removes(each.tool)
    )
    return Selection([SeedCandidate(**each.model_dump(), given=filling) for each in tools])


def is_read_only(definition: ServerDefinition, tool: str) -> bool:
    """Return whether a tool changes nothing, by its promise or its name."""
    found = definition.tool(tool)
    return found is not None and is_read(found)


def removes(tool: str) -> bool:
    """Return whether a tool takes something away, by its name."""
    return bool(_REMOVING & set(words_of(tool)))


def _written_calls(setup: Setup) -> Mapping[str, list[Arguments]]:
    """Return the arguments that people wrote, by tool: in traces, whose results are not needed, or in a YAML list."""
    definition = setup.servers[server_of(setup)]
    calls: dict[str, list[Arguments]] = {}
    for file in setup.inputs:
        found: list[tuple[TracedCall | _SeedCall, SourceLocation]]
        if file.suffix == ".jsonl":
            traces = read_traces(source_text(file), str(file), require_results=False)
            found = [(call, SourceLocation(str(file))) for each in traces for call in each.calls]
        else:
            found = [(each, each.place) for each in read_entries(file, _SeedCall)]
        for call, place in found:
            if definition.tool(call.tool) is None:
                names = [each.name for each in definition.tools]
                raise TaskError(f"the server has no tool {call.tool!r}.", place, remedy=hint(call.tool, names))
            calls.setdefault(call.tool, []).append(dict(call.arguments))
    return calls
