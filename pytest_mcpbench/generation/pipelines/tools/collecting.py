"""The first stages: the tools of the servers, and arguments for which they return a result."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio

from pytest_mcpbench.attempt.sandbox import snapshot
from pytest_mcpbench.concurrency import concurrent_map
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.placeholders import payload, unwrap_result
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.generation.offered_values import offered_values
from pytest_mcpbench.generation.pipeline.candidates import Candidate, Drop, Dropped
from pytest_mcpbench.generation.pipeline.paths import Path, path_text, scalars
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Selection
from pytest_mcpbench.generation.pipeline.trial_servers import Directed, open_server
from pytest_mcpbench.generation.pipelines.tools.amounts import is_limit
from pytest_mcpbench.generation.pipelines.tools.candidates import Arguments, ArgumentSource, ToolCandidate
from pytest_mcpbench.generation.pipelines.tools.equality import equal_tools
from pytest_mcpbench.generation.pipelines.tools.orders import singular
from pytest_mcpbench.generation.pipelines.tools.values import (
    KnownValues,
    argument_sets,
    is_path,
    makes_new,
    unknown_parameters,
)
from pytest_mcpbench.generation.pipelines.tools.words import words
from pytest_mcpbench.generation.reading_tools import only_reads
from pytest_mcpbench.generation.reported_errors import problem_of
from pytest_mcpbench.metrics.comparison.arguments import is_number
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.text.json_reading import value_at
from pytest_mcpbench.text.paths import SANDBOX

# Calls whose results have the values that other tools take, with words for these values.

_ORDINALS = ("first", "second", "third")
_LABELS = ("name", "title", "subject", "summary", "label", "text")
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
            if said in {f"the {each} {' '.join(words_of(parameter)[:-1])}" for each in _ORDINALS} and any(
                _identifies(other) for other in arguments if other != parameter
            ):
                continue  # Who knows the id of another thing speaks of none by its place.
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
    at = int(path[positions[0]])
    label = _label(siblings, at)
    owner = " ".join(words_of(parameter)[:-1])
    if label is not None and owner and label != value_at(result, path):
        return f'the {owner} "{label}"'
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
_RANKS = 3
"""Sources of values that are tried, the best first."""
_MOST_MADE = 5
"""Arguments of a tool for which a call that makes what it needs is looked for."""
_MOST_AGAIN = 3
"""Calls of a tool that are tried in states of their own."""
_MOST_MAKERS = 2
"""Calls that are tried before one of them."""
NO_RESULT = "the tool returns no result for any known values"
"""Reason for which a tool is dropped that a server with something in it might answer."""
_WRITING = frozenset(
    {"add", "append", "delete", "edit", "insert", "mark", "remove", "rename", "set", "update", "write"}
)
"""Verbs of tools that leave something else behind whenever they do what they are for."""
_MOST_LOOKS = 24
"""Calls that only read by which it is seen whether another one has changed something."""
_NOTHING = re.compile(r"(?i)\W*(?:no|0) (?:\w+ )?(?:matches|results|\w+s)(?: (?:were|are))? found\b")
"""Beginning of a result by which a search has found nothing."""
_SETS = 8
"""Arguments of one tool."""
_TERM = re.compile(r"(?<!\w)[a-z]{5,}(?!\w)")
_LARGEST_TEXT = 100_000
"""Bytes of a file whose words are searched for."""
_SLOWEST_SECONDS = 3
"""A tool that takes longer makes every attempt slow."""


def collect(setup: Setup) -> Selection:
    """Return the tools of all servers, each with its category; tools that may not be called are dropped."""
    categories = categories_of(setup.suite)
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    for server, definition in setup.servers.items():
        for tool in definition.tools:
            candidate = ToolCandidate(
                id=f"{server}.{tool.name}", server=server, category=categories[server], tool=tool.name
            )
            if not setup.may_be_called(server, tool.name):
                fault = Drop("the tool does not promise to be read-only (--call TOOL uses it)")
                dropped.append(Dropped.of(candidate, fault))
            elif "deprecated" in tool.description.casefold():
                dropped.append(Dropped.of(candidate, Drop("the tool is deprecated")))
            else:
                kept.append(candidate)
    return Selection(kept, dropped)


def categories_of(suite: SuiteManifest) -> Mapping[str, str]:
    """Return the category of each server; a server without one is its own."""
    named = {server: name for name, servers in suite.categories.items() for server in servers}
    return {server: named.get(server, server) for server in suite.servers}


async def try_arguments(setup: Setup, tools: Sequence[ToolCandidate]) -> Selection:
    """Keep the tools that return a result, with the arguments that led to one."""
    files = _files(setup)
    directories = tuple(file for file in files if setup.files is not None and (setup.files / file).is_dir())
    trial = _Trial(setup, KnownValues(files=files, directories=directories, terms=_terms(setup)))
    for name, text in _texts_of_files(setup):
        if not name.endswith(".json"):
            continue
        # A server may keep its things in JSON files.
        try:
            told = json.loads(text)
        except ValueError:
            continue
        trial.known.learn(told, "files")
        trial.known.learn_at_start(told)
    for server in setup.servers:
        own = [each for each in tools if each.server == server]
        await trial.try_tools(server, own)
        await trial.confirm(server, [each for each in own if each.id in trial.usable])
        # What others had made may have taken the place of what is there at the start.
        again = [each for each in own if not trial.found.get(each.id)]
        await trial.try_alone(server, again)
        await trial.confirm(server, [each for each in again if each.id in trial.usable])
        found = {each.tool: trial.found[each.id] for each in own if trial.found.get(each.id)}
        for tool, others in (await equal_tools(setup, server, found)).items():
            trial.equal[f"{server}.{tool}"] = others
    kept = [trial.with_findings(each) for each in tools if each.id in trial.usable]
    rest = [Dropped.of(each, trial.problem(each)) for each in tools if each.id not in trial.usable]
    return Selection(kept, rest)


@dataclass(frozen=True)
class _Change:
    """A call that may have changed something, with its result."""

    candidate: ToolCandidate
    arguments: Arguments
    result: Any
    text: str


@dataclass
class _Trial:
    """Calls of tools with different arguments, whose results tell further values."""

    setup: Setup
    known: KnownValues
    found: dict[str, list[Arguments]] = field(default_factory=dict)
    """Id of a tool -> arguments that worked; once they are confirmed, those that work in a fresh state."""
    made: dict[str, list[ArgumentSource]] = field(default_factory=dict)
    """Id of a tool -> calls that make what it needs."""
    tried: dict[str, list[tuple[Arguments, int]]] = field(default_factory=dict)
    """Id of a tool -> arguments with which it was called, and the number of changes before."""
    broken: dict[str, str] = field(default_factory=dict)
    """Id of a tool that ended its server -> error."""
    slow: set[str] = field(default_factory=set)
    """Ids of tools that take too long."""
    equal: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Id of a tool -> tools that do the same."""
    refusals: dict[str, str] = field(default_factory=dict)
    """Id of a tool -> text of the last call that came to nothing."""
    asked_for: dict[str, set[str]] = field(default_factory=dict)
    """Id of a tool -> optional parameters that the server has named when it refused a call."""
    looked: set[str] = field(default_factory=set)
    """Ids of tools that were called with nothing."""
    returned: dict[str, list[Returned]] = field(default_factory=dict)
    """Name of a server -> results of its tools that only read."""
    changes: list[_Change] = field(default_factory=list)
    """Calls of the server that is tried, since it was started."""

    @property
    def usable(self) -> set[str]:
        """Return the ids of the tools for which arguments were found."""
        found = {tool for tool in {*self.found, *self.made} if self.found.get(tool) or self.made.get(tool)}
        return found - self.broken.keys()

    async def try_tools(self, server: str, tools: Sequence[ToolCandidate]) -> None:
        """Call tools of one server, those that make something before those that undo it, so that results stay.

        One that ends the server is dropped, and the others go on with a new one.
        """
        last = [each for each in tools if self._ends(each)]
        first = [each for each in tools if self._only_reads(each) and each not in last]
        others = sorted((each for each in tools if each not in last), key=self._turn)
        left = [*first * _ROUNDS, *others * _ROUNDS, *last * _ROUNDS]
        while left:
            self.changes.clear()
            try:
                async with open_server(self.setup, server) as (connection, directory):
                    while left:
                        await self._try_tool(Directed(connection, directory), left[0])
                        left.pop(0)
            except ServerError as error:
                if error.phase != "call":
                    raise
                self.broken[left.pop(0).id] = str(error)

    async def try_alone(self, server: str, tools: Sequence[ToolCandidate]) -> None:
        """Try tools for which nothing is found, each in a fresh state of its own, with what all others have told.

        To delete a task that is not done works before others have done it.
        """
        earlier = list(self.changes)
        for each in tools:
            # No server is started for a tool without values.
            if each.id in self.broken or not self._sets(each, 0):
                continue
            self.found.pop(each.id, None)  # A tool with an entry counts as tried.
            self.changes.clear()
            try:
                async with open_server(self.setup, server) as (connection, directory):
                    await self._try_tool(Directed(connection, directory), each)
            except ServerError as error:
                if error.phase != "call":
                    raise
                # One that ends its server if it is called alone may work after a call that makes what it needs.
                if not self.made.get(each.id):
                    self.broken[each.id] = str(error)
            earlier += self.changes
        self.changes[:] = earlier

    async def confirm(self, server: str, tools: Sequence[ToolCandidate]) -> None:
        """Keep the arguments that work in a fresh state, and find the calls that the others need before them."""
        failed: dict[str, list[Arguments]] = {}
        reading = [each for each in tools if self._only_reads(each)]
        calls = [[(each, arguments) for each in reading for arguments in self.found.get(each.id, ())]]
        for each in (each for each in tools if each not in reading):
            parts = _of_different_things(self.found.get(each.id, ()))
            calls += [[(each, arguments) for arguments in part] for part in parts]
        worked = await concurrent_map(calls, partial(self._work_again, server), concurrency=self.setup.concurrency)
        idle = self._idle_calls(calls, worked)
        for of_group, each_worked in zip(calls, worked, strict=True):
            for (each, arguments), (works, _) in zip(of_group, each_worked, strict=True):
                if works and (each.id, arguments) in idle:
                    self.found[each.id].remove(arguments)
                elif not works or self._names_what_was_made(each, arguments):
                    self.found[each.id].remove(arguments)
                    failed.setdefault(each.id, []).append(arguments)

        async def find_makers(tool: ToolCandidate) -> list[ArgumentSource]:
            made: list[ArgumentSource] = []
            for arguments in failed.get(tool.id, ())[:_MOST_MADE]:
                source = await self._maker(server, tool, arguments)
                if source is None:
                    break
                made += [every for every in self._likes(server, source) if every not in made]
            return made

        found = await concurrent_map(tools, find_makers, concurrency=self.setup.concurrency)
        self.made.update({each.id: made for each, made in zip(tools, found, strict=True) if made})

    def _names_what_was_made(self, candidate: ToolCandidate, arguments: Arguments) -> bool:
        """Return whether arguments name what another tool has made: a server may delete what is not there, too."""
        named = {value for name, value in _named(arguments) if isinstance(value, str) or _is_name(name)}
        first: dict[Any, ToolCandidate] = {}
        for change in filter(lambda change: self._makes(change.candidate), self.changes):
            for name, value in (*_named(change.arguments), *_named(change.result)):
                if _is_name(name) and not self._was_there(value):
                    first.setdefault(value, change.candidate)
        return any(first.get(value, candidate) != candidate for value in named)

    def _was_there(self, value: Any) -> bool:
        """Return whether a value was known, or a file was there, before anything was changed."""
        return value in self.known.at_start or str(value).removeprefix(f"{SANDBOX}/") in (SANDBOX, *self.known.files)

    async def _work_again(
        self, server: str, calls: Sequence[tuple[ToolCandidate, Arguments]]
    ) -> list[tuple[bool, bool]]:
        """Return the same; a call that may have failed because of an earlier one is tried in a state of its own."""
        found = await self._work_in_turn(server, calls)
        changed = next((at for at, (_, changes) in enumerate(found) if changes), len(found))
        failed = [at for at in range(changed + 1, len(found)) if found[at] != (True, True)]
        for at in failed[:_MOST_AGAIN]:
            (found[at],) = await self._work_in_turn(server, calls[at : at + 1])
        return found

    async def _work_in_turn(
        self, server: str, calls: Sequence[tuple[ToolCandidate, Arguments]]
    ) -> list[tuple[bool, bool]]:
        """Return of each call whether it works and whether it changes anything, in turn from a fresh state."""
        found: list[tuple[bool, bool]] = []
        writes = any(not self._only_reads(each) for each, _ in calls)
        with suppress(ServerError):
            async with open_server(self.setup, server) as (connection, directory):
                directed = Directed(connection, directory)
                before = await self._state(server, directed) if writes else None
                for each, arguments in calls:
                    works = problem_of(await directed.call(each.tool, arguments)) is None
                    after = await self._state(server, directed) if writes else None
                    # What could not be looked at may have changed.
                    found.append((works, after is None or before != after))
                    before = after
        return found + [(False, False)] * (len(calls) - len(found))

    async def _state(self, server: str, directed: Directed) -> tuple[str, list[str]] | None:
        """Return the files of a server, and what its tools that only read say; ``None`` if one of them failed."""
        looks = self.returned.get(server, ())[:_MOST_LOOKS]
        try:
            said = [(await directed.call(each.tool, each.arguments)).text for each in looks]
            return snapshot(directed.directory).text(), said
        except (ServerError, OSError):
            return None

    def _idle_calls(
        self,
        calls: Sequence[Sequence[tuple[ToolCandidate, Arguments]]],
        worked: Sequence[Sequence[tuple[bool, bool]]],
    ) -> list[tuple[str, Arguments]]:
        """Return the calls that should change something and change nothing, such as staging a file without changes.

        A tool should if it has changed something with other arguments, or says so by its verb and other tools did. A
        server of which no change can be seen shows nothing.
        """
        effects = [
            (each, arguments, changes)
            for of_group, each_worked in zip(calls, worked, strict=True)
            for (each, arguments), (works, changes) in zip(of_group, each_worked, strict=True)
            if works and not self._only_reads(each)
        ]
        changing = {each.id for each, _, changes in effects if changes}
        return [
            (each.id, arguments)
            for each, arguments, changes in effects
            if not changes and (each.id in changing or (changing and _WRITING.intersection(words_of(each.tool))))
        ]

    async def _maker(self, server: str, candidate: ToolCandidate, arguments: Arguments) -> ArgumentSource | None:
        """Return a call after which a tool works in a fresh state; ``None`` if there is none."""
        told = {str(value) for _, value in scalars(arguments)}
        new = {each for each in told if not self._was_there(each)}
        nouns = _nouns(candidate.tool)
        is_end = not words().ending_verbs.isdisjoint(words_of(candidate.tool))
        near: list[tuple[int, _Change]] = []
        for change in self.changes:
            is_kept = change.arguments in self.found.get(change.candidate.id, ()) and not self._ends(change.candidate)
            if change.candidate != candidate and is_kept:
                said = {str(value) for part in (change.arguments, change.result) for _, value in scalars(part)}
                shared = 2 * len(new & said) + len(nouns & _nouns(change.candidate.tool))
                # The tool would write a sentence that is there already.
                repeats = not is_end and any(value.count(" ") > 1 for value in told & said)
                # A tool without arguments may list what any other one has made.
                near += [(shared, change)] if (shared or not told) and not repeats else []
        for _, change in sorted(near, key=lambda each: -each[0])[:_MOST_MAKERS]:
            source = await self._confirmed_source(server, candidate, arguments, change)
            if source is not None:
                return source
        return None

    def _likes(self, server: str, source: ArgumentSource) -> list[ArgumentSource]:
        """Return a source, and the same for whatever else its tool has made if nothing in the arguments names it."""
        if not source.path and source.arguments:
            return [source]
        return [source.model_copy(update={"tool_arguments": each}) for each in self.found[f"{server}.{source.tool}"]]

    async def _confirmed_source(
        self, server: str, candidate: ToolCandidate, arguments: Arguments, change: _Change
    ) -> ArgumentSource | None:
        source, path = _source_in_change(arguments, change, is_maker=self._makes(change.candidate))
        if source is None:
            return None
        with suppress(ServerError, LookupError):
            async with open_server(self.setup, server) as (connection, directory):
                directed = Directed(connection, directory)
                made = await directed.call(change.candidate.tool, change.arguments)
                if problem_of(made) is not None:
                    return None
                if path:
                    arguments = {**arguments, source.parameter: value_at(unwrap_result(payload(made)), path)}
                if problem_of(await directed.call(candidate.tool, arguments)) is None:
                    return source
        return None

    def with_findings(self, candidate: ToolCandidate) -> ToolCandidate:
        """Return a tool with what was found for it."""
        sources: list[ArgumentSource] = []
        if not self._makes(candidate):
            others = [each for each in self.returned.get(candidate.server, ()) if each.tool != candidate.tool]
            for arguments in self.found.get(candidate.id, ()):
                told = sources_of(arguments, others)
                sources += [each for each in told if arguments[each.parameter] in self.known.at_start]
        found = {
            "known_arguments": tuple(self.found.get(candidate.id, ())),
            "sources": (*sources, *self.made.get(candidate.id, ())),
            "equal_tools": self.equal.get(candidate.id, ()),
        }
        return candidate.model_copy(update=found)

    def problem(self, candidate: ToolCandidate) -> Drop:
        """Return why nothing was found for a tool."""
        if candidate.id in self.broken:
            return Drop("a call of the tool ends its server", self.broken[candidate.id])
        if candidate.id in self.slow:
            return Drop("the tool is too slow", f"more than {_SLOWEST_SECONDS} s for a call")
        tool = self._definition(candidate)
        unknown = unknown_parameters(tool, self.known, self.setup.dictionaries)
        if candidate.proposed_arguments or not unknown:
            return Drop(NO_RESULT, self.refusals.get(candidate.id, ""))
        if not self.known.files and any(map(is_path, unknown)):
            return Drop(
                "no value is known for a required path (--files DIR provides files in {sandbox})", ", ".join(unknown)
            )
        return Drop("no value is known for a required parameter (--dictionary states some)", ", ".join(unknown))

    async def _try_tool(self, connection: Directed, candidate: ToolCandidate) -> None:
        """Call a tool with the values of the best source, then with what its refusals tell and with other values."""
        if candidate.id in {*self.found, *self.slow, *self.broken}:
            return
        tried = self.tried.setdefault(candidate.id, [])
        await self._look_at_all(connection, candidate)
        for turn in range(2 * _RANKS):
            # What the first turn has told leads to further arguments in the second one.
            rank, is_last = divmod(turn, 2)
            for arguments in self._sets(candidate, rank):
                if (arguments, len(self.changes)) in tried or candidate.id in self.slow:
                    continue
                tried.append((arguments, len(self.changes)))
                result = await self._result(connection, candidate, arguments)
                if result is not None and not await self._is_idly_limited(connection, candidate, arguments, result):
                    self.found.setdefault(candidate.id, []).append(arguments)
                    self._learn(candidate, arguments, result)
            if (is_last or not self._only_reads(candidate)) and self.found.get(candidate.id):
                return

    async def _is_idly_limited(
        self, connection: Directed, candidate: ToolCandidate, arguments: Arguments, result: ToolResult
    ) -> bool:
        """Return whether a call that only reads returns the same without its optional limit."""
        tool = self._definition(candidate)
        limits = {
            name
            for name, value in arguments.items()
            if name not in tool.required and is_number(value) and is_limit(words_of(name), is_required=False)
        }
        if not limits or not self._only_reads(candidate):
            return False
        with anyio.move_on_after(_SLOWEST_SECONDS):
            whole = await connection.call(
                candidate.tool, {name: value for name, value in arguments.items() if name not in limits}
            )
            return whole.text == result.text
        return False

    async def _look_at_all(self, connection: Directed, candidate: ToolCandidate) -> None:
        """Learn what a tool that only reads returns if it is given nothing, although nobody would ask for that."""
        tool = self._definition(candidate)
        if tool.required or not tool.properties or self.changes or not self._only_reads(candidate):
            return
        if candidate.id in self.looked:
            return
        self.looked.add(candidate.id)
        with anyio.move_on_after(_SLOWEST_SECONDS):
            result = await connection.call(candidate.tool, {})
            if problem_of(result) is None:
                told = unwrap_result(payload(result))
                self.known.learn(told, candidate.tool)
                self.known.learn_at_start(told)

    def _learn(self, candidate: ToolCandidate, arguments: Arguments, result: ToolResult) -> None:
        told = unwrap_result(payload(result))
        self.known.learn(told, candidate.tool)
        self.known.learn_table(arguments, told)
        if self._only_reads(candidate):
            if not self.changes:
                self.known.learn_at_start(told)
            self.returned.setdefault(candidate.server, []).append(Returned(candidate.tool, arguments, told))
        else:
            self.known.learn(arguments, candidate.tool)
            self.changes.append(_Change(candidate, arguments, told, result.text))

    def _definition(self, candidate: ToolCandidate) -> ToolDefinition:
        return self.setup.tool(candidate.server, candidate.tool)

    def _turn(self, candidate: ToolCandidate) -> int:
        return 0 if self._only_reads(candidate) else 1 if self._makes(candidate) else 2

    def _only_reads(self, candidate: ToolCandidate) -> bool:
        return only_reads(self._definition(candidate))

    def _makes(self, candidate: ToolCandidate) -> bool:
        """Return whether a tool makes a new thing."""
        return makes_new(self._definition(candidate))

    def _ends(self, candidate: ToolCandidate) -> bool:
        """Return whether a tool undoes what others have made, as `delete_note` or `note_delete`."""
        name = words_of(candidate.tool)
        return not words().ending_verbs.isdisjoint({*name[:1], *name[-1:]})

    async def _result(self, connection: Directed, candidate: ToolCandidate, arguments: Arguments) -> ToolResult | None:
        """Return the result of a call; ``None`` if it came to nothing, from which something is learnt, or too late."""
        result = None
        with anyio.move_on_after(_SLOWEST_SECONDS):
            result = await connection.call(candidate.tool, arguments)
        if result is None:
            self.slow.add(candidate.id)
            self.found.pop(candidate.id, None)
            return None
        if problem_of(result) is not None or (self._only_reads(candidate) and _NOTHING.match(result.text)):
            self.refusals[candidate.id] = one_line(result.text)
            self._learn_from_refusal(candidate, arguments, result.text)
            return None
        return result

    def _learn_from_refusal(self, candidate: ToolCandidate, arguments: Arguments, said: str) -> None:
        """Remember the optional parameters, the form of paths and the values that a server asks for."""
        tool = self._definition(candidate)
        named = {name for name in tool.properties if re.search(rf"\b{re.escape(name)}\b", said)}
        self.asked_for.setdefault(candidate.id, set()).update(named - set(tool.required))
        if re.search(r"(?i)\b(?:absolute|full path)\b", said):
            self.known.wants_full_paths = True
        for name, values in offered_values(arguments, said).items():
            # Full paths outside of the attempt's directory are examples of a message.
            told = [each for each in values if not (is_path(name) and re.match(r"[/~\\]|[A-Za-z]:", str(each)))]
            self.known.offer(candidate.tool, name, told)

    def _sets(self, candidate: ToolCandidate, rank: int) -> list[Arguments]:
        rng = self.setup.random(f"arguments of {candidate.id}")
        own = argument_sets(
            self._definition(candidate),
            self.known,
            self.setup.dictionaries,
            rng,
            max(_SETS, self.setup.candidates_wanted // len(self.setup.servers[candidate.server].tools)),
            self.asked_for.get(candidate.id, ()),
            rank,
        )
        return [*candidate.proposed_arguments, *(each for each in own if each not in candidate.proposed_arguments)]


def _source_in_change(arguments: Arguments, change: _Change, *, is_maker: bool) -> tuple[ArgumentSource | None, Path]:
    """Return how a tool refers to what a call has made, with the path of the value in the result.

    There is no source if several arguments refer to it, or none has words, as nothing new is in the result of a call
    that makes nothing.
    """
    told = {value for _, value in scalars(change.arguments)}
    linked: list[tuple[str, Path]] = []
    for parameter, value in arguments.items():
        if isinstance(value, bool | list | dict) or value in told:
            continue
        found = _path_to(value, change.result)
        if found is not None or re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", change.text):
            linked.append((parameter, found or ()))
    if len(linked) > 1:
        return None, ()
    source = ArgumentSource(arguments=arguments, tool=change.candidate.tool, tool_arguments=change.arguments)
    if not linked:
        return source, ()
    parameter, path = linked[0]
    if not is_maker:
        return None, ()
    nouns = [word for word in words_of(change.candidate.tool) if word not in words().verbs]
    owner = [word for word in words_of(parameter) if word not in words().identifying] or nouns[-1:]
    if not owner:
        return None, ()
    named = {"parameter": parameter, "path": path_text(path) or "", "words": f"the new {singular(owner[-1])}"}
    return source.model_copy(update=named), path


def _named(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the scalars of a value, each with the last name in its path."""
    for path, scalar in scalars(value):
        names = [part for part in path if isinstance(part, str)]
        if names and not isinstance(scalar, bool):
            yield names[-1], scalar


def _of_different_things(sets: Sequence[Arguments]) -> list[list[Arguments]]:
    """Return arguments in groups none of which names a thing twice: a second change could undo the first one.

    Files do not count, as many things may be in one.
    """
    groups: list[tuple[list[Arguments], set[Any]]] = []
    for arguments in sets:
        named = {value for name, value in _named(arguments) if _is_name(name) and not is_path(name)}
        group = next((group for group in groups if not named & group[1]), None)
        if group is None:
            groups.append(group := ([], set()))
        group[0].append(arguments)
        group[1].update(named)
    return [calls for calls, _ in groups]


def _is_name(parameter: str) -> bool:
    last = (words_of(parameter) or [""])[-1]
    return singular(last) in words().identifying or last == "title" or is_path(parameter)


def _nouns(tool: str) -> set[str]:
    return {singular(word) for word in words_of(tool) if word not in words().verbs}


def _texts_of_files(setup: Setup) -> Iterator[tuple[str, str]]:
    """Yield name and text of each file that has a short one."""
    for file in sorted(setup.files.rglob("*")) if setup.files is not None else ():
        if file.is_file() and ".git" not in file.parts and file.stat().st_size <= _LARGEST_TEXT:
            with suppress(UnicodeDecodeError):
                yield file.name, file.read_text(encoding="utf-8")


def _terms(setup: Setup) -> tuple[str, ...]:
    """Return words of letters that only one line of all texts in the files has, which finds that line."""
    lines: Counter[str] = Counter()
    for _, text in _texts_of_files(setup):
        for line in text.splitlines():
            lines.update(set(_TERM.findall(line)))
    names = {
        word
        for server in setup.servers.values()
        for tool in server.tools
        for word in words_of(" ".join([tool.name, *tool.properties]))
    }
    return tuple(sorted(word for word, number in lines.items() if number == 1 and singular(word) not in names))


def _files(setup: Setup) -> tuple[str, ...]:
    """Return the files of the sandbox, as a request names them; nobody names hidden ones, such as those of git."""
    if setup.files is None:
        return ()
    files = (file.relative_to(setup.files) for file in setup.files.rglob("*"))
    return tuple(sorted(file.as_posix() for file in files if not any(part.startswith(".") for part in file.parts)))
