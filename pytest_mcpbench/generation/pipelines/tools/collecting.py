"""The first stages: the tools of the servers, and arguments for which they return a result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.placeholders import payload, unwrap_result
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.pipeline.candidates import Candidate, Drop, Dropped
from pytest_mcpbench.generation.pipeline.paths import Path, path_text, scalars
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipeline.trial_servers import open_server
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments, ArgumentSource, ToolCandidate
from pytest_mcpbench.generation.pipelines.tools.equality import equal_tools
from pytest_mcpbench.generation.pipelines.tools.phrases import order_words
from pytest_mcpbench.generation.pipelines.tools.values import KnownValues, argument_sets, is_path, unknown_parameters
from pytest_mcpbench.generation.pipelines.tools.words import words
from pytest_mcpbench.generation.reported_errors import problem_of
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.servers.server_connection import ServerConnection
from pytest_mcpbench.text.json_reading import value_at

# Calls whose results have the values that other tools take, with words for these values.

_ORDINALS = ("first", "second", "third")
_LABELS = ("name", "title", "subject", "summary", "label")
"""Members by which a person knows one thing from the others."""
_LONGEST_LABEL = 60


@dataclass(frozen=True)
class Returned:
    """A call with its result."""

    tool: str
    arguments: Arguments
    result: Any


def sources_of(arguments: Arguments, returned: Sequence[Returned]) -> Iterator[ArgumentSource]:
    """Yield the first call of each tool whose result has an id or name among the arguments."""
    for parameter, value in arguments.items():
        if not _identifies(parameter) or isinstance(value, bool | list | dict) or len(str(value)) < 2:
            continue
        seen: set[str] = set()
        for call in returned:
            found = None if call.tool in seen or value in call.arguments.values() else _path_to(value, call.result)
            said = None if found is None else _words(parameter, found, call.result)
            if found is not None and said is not None:
                seen.add(call.tool)
                yield ArgumentSource(
                    arguments=arguments,
                    parameter=parameter,
                    tool=call.tool,
                    tool_arguments=call.arguments,
                    path=path_text(found) or "",
                    words=said,
                )


def _identifies(parameter: str) -> bool:
    return (words_of(parameter) or [""])[-1] in words().identifying


def _path_to(value: Any, result: Any) -> Path | None:
    """Return the path to a value that a placeholder can name."""
    for path, found in scalars(result):
        if type(found) is type(value) and found == value and path_text(path):
            return path
    return None


def _words(parameter: str, path: Path, result: Any) -> str | None:
    """Return the words for a value of a list: the name of its thing, or the place; ``None`` if there are none."""
    positions = [at for at, part in enumerate(path) if isinstance(part, int)]
    if len(positions) != 1:
        return None
    siblings = value_at(result, path[: positions[0]])
    label = _label(siblings, int(path[positions[0]]))
    owner = " ".join(words_of(parameter)[:-1])
    if label is not None and owner and label != value_at(result, path):
        return f'the {owner} "{label}"'
    at = int(path[positions[0]])
    return f"the {_ORDINALS[at]} {owner or 'one'}" if at < len(_ORDINALS) else None


def _label(siblings: Any, at: int) -> str | None:
    """Return a text by which one of several things is known; ``None`` if others have the same."""
    for name in _LABELS:
        texts = [each.get(name) if isinstance(each, dict) else None for each in siblings]
        label = texts[at]
        if isinstance(label, str) and 0 < len(label) <= _LONGEST_LABEL and texts.count(label) == 1:
            return label
    return None


_ROUNDS = 3
"""Times that tools without arguments yet are tried; results of one round fill arguments of the next one."""
NO_RESULT = "the tool returns no result for any known values"
"""Reason for which a tool is dropped that a server with something in it might answer."""
_SETS = 8
"""Arguments of one tool."""
_SLOWEST_SECONDS = 3
"""A tool that takes longer makes every attempt slow."""


async def collect(setup: Setup) -> Selection:
    """Return the tools of all servers, each with its category; tools that may not be called are dropped."""
    categories = categories_of(setup.suite)
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    for server, definition in setup.servers.items():
        for tool in definition.tools:
            candidate = ToolCandidate(
                id=f"{server}.{tool.name}", server=server, category=categories[server], tool=tool.name
            )
            fault = _unfit(setup, server, tool)
            if fault is None:
                kept.append(candidate)
            else:
                dropped.append(Dropped.of(candidate, fault))
    return Selection(kept, dropped)


def _unfit(setup: Setup, server: str, tool: ToolDefinition) -> Drop | None:
    if not setup.may_be_called(server, tool.name):
        return Drop("the tool does not promise to be read-only (--call TOOL uses it)")
    if "deprecated" in tool.description.casefold():
        return Drop("the tool is deprecated")
    return None


def categories_of(suite: SuiteManifest) -> Mapping[str, str]:
    """Return the category of each server; a server without one is its own."""
    named = {server: name for name, servers in suite.categories.items() for server in servers}
    return {server: named.get(server, server) for server in suite.servers}


async def try_arguments(setup: Setup, tools: Sequence[ToolCandidate]) -> Selection:
    """Keep the tools that return a result, with the arguments that led to one."""
    trial = _Trial(setup, KnownValues(files=_files(setup)))
    for _ in range(_ROUNDS):
        for server in setup.servers:
            left = [each for each in tools if each.server == server and trial.is_worth_trying(each)]
            if left:
                await trial.try_tools(server, left)
    usable = trial.found.keys() - trial.broken.keys()
    for server in setup.servers:
        found = {each.tool: trial.found[each.id] for each in tools if each.server == server and each.id in usable}
        for tool, others in (await equal_tools(setup, server, found)).items():
            trial.equal[f"{server}.{tool}"] = others
    kept = [trial.with_findings(each) for each in tools if each.id in usable]
    rest = [Dropped.of(each, trial.problem(each)) for each in tools if each.id not in usable]
    return Selection(kept, rest)


@dataclass
class _Trial:
    """Calls of tools with different arguments, whose results tell further values."""

    setup: Setup
    known: KnownValues
    found: dict[str, list[Arguments]] = field(default_factory=dict)
    """Id of a tool -> arguments that worked."""
    tried: dict[str, list[Arguments]] = field(default_factory=dict)
    """Id of a tool -> arguments with which it was called."""
    broken: dict[str, str] = field(default_factory=dict)
    """Id of a tool that ended its server -> error."""
    slow: set[str] = field(default_factory=set)
    """Ids of tools that take too long."""
    equal: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Id of a tool -> tools that do the same."""
    refusals: dict[str, str] = field(default_factory=dict)
    """Id of a tool -> text of the last call that came to nothing."""
    returned: dict[str, list[Returned]] = field(default_factory=dict)
    """Name of a server -> results of its tools."""

    async def try_tools(self, server: str, tools: Sequence[ToolCandidate]) -> None:
        """Call tools of one server; one that ends the server is dropped, and the others go on with a new one."""
        left = list(tools)
        while left:
            try:
                await self._try_in_turn(server, left)
            except ServerError as error:
                if error.phase != "call":
                    raise
                self.broken[left.pop(0).id] = str(error)

    async def _try_in_turn(self, server: str, left: list[ToolCandidate]) -> None:
        """Call tools on a server in a fresh state, and remove those that are done."""
        async with open_server(self.setup, server) as (connection, _):
            while left:
                await self._try_tool(connection, left[0])
                left.pop(0)

    def is_worth_trying(self, candidate: ToolCandidate) -> bool:
        """Return whether nothing was found for a tool, and there are arguments that it was not called with."""
        tried = self.tried.get(candidate.id, [])
        is_open = candidate.id not in {*self.found, *self.slow, *self.broken}
        return is_open and any(each not in tried for each in self._sets(candidate))

    def with_findings(self, candidate: ToolCandidate) -> ToolCandidate:
        """Return a tool with what was found for it."""
        found = {
            "known_arguments": tuple(self.found[candidate.id]),
            "sources": tuple(self._sources(candidate)),
            "equal_tools": self.equal.get(candidate.id, ()),
        }
        return candidate.model_copy(update=found)

    def problem(self, candidate: ToolCandidate) -> Drop:
        """Return why nothing was found for a tool."""
        if candidate.id in self.broken:
            return Drop("a call of the tool ends its server", self.broken[candidate.id])
        if candidate.id in self.slow:
            return Drop("the tool is too slow", f"more than {_SLOWEST_SECONDS} s for a call")
        tool = self.setup.tool(candidate.server, candidate.tool)
        unknown = unknown_parameters(tool, self.known, self.setup.dictionaries)
        if candidate.proposed_arguments or not unknown:
            return Drop(NO_RESULT, self.refusals.get(candidate.id, ""))
        if not self.known.files and any(map(is_path, unknown)):
            return Drop(
                "no value is known for a required path (--files DIR provides files in {sandbox})", ", ".join(unknown)
            )
        return Drop("no value is known for a required parameter (--dictionary states some)", ", ".join(unknown))

    async def _try_tool(self, connection: ServerConnection, candidate: ToolCandidate) -> None:
        for arguments in self._sets(candidate):
            if candidate.id in self.slow:
                return
            self.tried.setdefault(candidate.id, []).append(arguments)
            result = await self._result(connection, candidate, arguments)
            if result is not None:
                self.found.setdefault(candidate.id, []).append(arguments)
                self._learn(candidate, arguments, payload(result))

    def _learn(self, candidate: ToolCandidate, arguments: Arguments, result: Any) -> None:
        if not self._makes(candidate):
            self.known.learn(result, candidate.tool)
        returned = Returned(candidate.tool, arguments, unwrap_result(result))
        self.returned.setdefault(candidate.server, []).append(returned)

    def _sources(self, candidate: ToolCandidate) -> Iterator[ArgumentSource]:
        if self._makes(candidate):
            return
        others = [each for each in self.returned[candidate.server] if each.tool != candidate.tool]
        for arguments in self.found[candidate.id]:
            yield from sources_of(arguments, others)

    def _makes(self, candidate: ToolCandidate) -> bool:
        """Return whether a tool makes a new thing, which is there in this trial only."""
        return order_words(self.setup.tool(candidate.server, candidate.tool))[0] in words().making_verbs

    async def _result(
        self, connection: ServerConnection, candidate: ToolCandidate, arguments: Arguments
    ) -> ToolResult | None:
        """Return the result of a call; ``None`` if it came to nothing, or too late."""
        result = None
        with anyio.move_on_after(_SLOWEST_SECONDS):
            result = await connection.call(candidate.tool, arguments)
        if result is None:
            self.slow.add(candidate.id)
            self.found.pop(candidate.id, None)
            return None
        if problem_of(result) is not None:
            self.refusals[candidate.id] = one_line(result.text)
            return None
        return result

    def _sets(self, candidate: ToolCandidate) -> list[Arguments]:
        tool = self.setup.tool(candidate.server, candidate.tool)
        rng = self.setup.random(f"arguments of {candidate.id}")
        own = argument_sets(tool, self.known, self.setup.dictionaries, rng, _SETS)
        return [*candidate.proposed_arguments, *(each for each in own if each not in candidate.proposed_arguments)]


def _files(setup: Setup) -> tuple[str, ...]:
    """Return the files of the sandbox, as a request names them; nobody names hidden ones, such as those of git."""
    if setup.files is None:
        return ()
    files = (file.relative_to(setup.files) for file in setup.files.rglob("*"))
    return tuple(sorted(str(file) for file in files if not any(part.startswith(".") for part in file.parts)))
