"""Proposals of tasks for the tools of a server, tried on the server where this is safe.

Tools are first tried on one connection, where the results of one tell values for others and what one has made is there
for the next. Each call that worked is then played by ``oracle`` in a fresh sandbox, twice, after calls that it needs.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Protocol

import anyio

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.placeholders import PLACEHOLDER, decode_json, payload, unwrap_result
from pytest_mcpbench.core.task import Context
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import Parameter
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.definitions.proposals import first_sentence
from pytest_mcpbench.generation.first_suite.values import (
    attempts_at,
    file_names,
    full_path,
    missed_in_directory,
    relative_path,
    seed_text,
)
from pytest_mcpbench.generation.offered_values import offered_values
from pytest_mcpbench.generation.pipeline.paths import scalars
from pytest_mcpbench.generation.pipelines.tools.values import KnownValues
from pytest_mcpbench.generation.reading_tools import CHANGING, READING, only_reads
from pytest_mcpbench.generation.reported_errors import problem_of
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.text.paths import SANDBOX

_MOST_RESOURCES = 20
"""Resources of a server that are read."""
_ROUNDS = 3
"""Times that tools are tried; values of one round fill arguments of the next one."""
_SETS = 6
"""Different arguments with which a tool is tried in a round."""
_SLOWEST_SECONDS = 20
_LONGEST_SETUP = 6
"""Calls that may come before the one that a task is about."""
_BARE = Context()
_FULL_PATH = re.compile(r"(?i)\b(?:absolute|full)\b")
"""Words with which servers refuse the name of a file, because they want its path."""
_ENDING = frozenset(
    {"archive", "cancel", "clear", "close", "delete", "drop", "erase", "kill", "purge", "remove", "reset", "shutdown"}
    | {"stop"}
)
"""Verbs of tools that undo what others have made, as in `delete_note` or `note_delete`."""
_LAST = _ENDING | {"move", "rename"}
"""Verbs of tools that are tried last."""


@dataclass(frozen=True)
class KnownCall:
    """A call of a tool with arguments that worked."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MakingCall:
    """A call that makes something, whose id is in its result only."""

    tool: ToolDefinition
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Proposal:
    """A proposed task."""

    tool: ToolDefinition
    arguments: Mapping[str, Any] = field(default_factory=dict)
    setup: tuple[KnownCall, ...] = ()
    """Calls that make what the tool needs."""
    context: Context = _BARE
    """What the tool needs in the directory of the attempt."""
    maker: MakingCall | None = None
    """Call of the task before this one, whose result the arguments refer to: it has an id that differs each time."""
    problem: str | None = None
    """What keeps the reference from being played; ``None`` if ``oracle`` passes."""
    missing: tuple[Parameter, ...] = ()
    """Required parameters for which no value is known."""

    @property
    def request(self) -> str:
        """Return a draft of the request: the first sentence of the description, with the values."""
        before = f"{_sentence(self.maker.tool, self.maker.arguments)} Then: " if self.maker is not None else ""
        return before + _sentence(self.tool, self.arguments)


def _sentence(tool: ToolDefinition, arguments: Mapping[str, Any]) -> str:
    shown = {name: value for name, value in arguments.items() if not PLACEHOLDER.search(str(value))}
    values = ", ".join(f"{name} {value}" for name, value in shown.items())
    return first_sentence(tool) + (f" ({values})" if values else "") + "."


@dataclass(frozen=True)
class Permissions:
    """Tools that may be called, and arguments that the author has given."""

    named: Sequence[str] = ()
    """Names and patterns, such as ``create_*``, of tools that may be called although they may change something."""
    examples: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Tool -> values of its parameters."""

    def may_call(self, tool: ToolDefinition) -> bool:
        """Return whether a tool only reads, or only adds to what its server keeps, or is named."""
        # It promises to destroy nothing, and to reach nothing outside its server.
        hints = tool.annotations
        only_adds = hints.get("destructiveHint") is False and hints.get("openWorldHint") is False
        return only_reads(tool) or only_adds or self.names(tool)

    def names(self, tool: ToolDefinition) -> bool:
        """Return whether the author has named a tool."""
        return any(fnmatchcase(tool.name, pattern) for pattern in self.named)


class ExploredConnection(Protocol):
    """Connection whose calls and results have ``{sandbox}`` for the directory of the server."""

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """Return the result of a call."""
        ...

    async def read_text(self, uri: str) -> str | None:
        """Return the text of a resource; ``None`` if there is no such resource."""
        ...

    async def resources(self) -> frozenset[str]:
        """Return the URIs of the resources that the server lists."""
        ...


class Suggest(Protocol):
    """Model that proposes arguments for a tool that no other values fit."""

    async def __call__(self, tool: ToolDefinition, problem: str, known: KnownValues) -> Sequence[dict[str, Any]]:
        """Return arguments to try; ``problem`` says what keeps the tool from being called, or what it answered."""
        ...


Session = Callable[[Context], AbstractAsyncContextManager[ExploredConnection]]


@dataclass(frozen=True)
class Played:
    """How ``oracle`` did with a proposal."""

    problem: str | None = None
    """Why it does not pass; ``None`` if it does."""
    results: tuple[Any, ...] = ()
    """What the calls of the task have returned."""


Play = Callable[[Proposal], Awaitable[Played]]


async def propose_tasks(
    server: ServerDefinition,
    permissions: Permissions,
    open_session: Session,
    play: Play,
    suggest: Suggest | None = None,
) -> list[Proposal]:
    """Return one proposal for each tool, in the server's order.

    Args:
        server: The server.
        permissions: Tools that may be called, and examples of arguments.
        open_session: Opens a connection to the server in a fresh state, in a directory with files or a repository.
        play: Plays a proposal with ``oracle`` in a fresh sandbox.
        suggest: Proposes arguments for tools that did not work with any known values.
    """
    exploration = _Exploration(server, permissions)
    await exploration.run(open_session)
    if exploration.furnish():
        await exploration.run(open_session)
    if suggest is not None:
        await exploration.ask(suggest)
        await exploration.run(open_session)
    proposals: dict[int, Proposal] = {}

    async def confirm(index: int, tool: ToolDefinition) -> None:
        proposals[index] = await _confirmed(exploration.proposals(tool), play)

    async with anyio.create_task_group() as group:
        for index, tool in enumerate(server.tools):
            group.start_soon(confirm, index, tool)
    return [proposals[index] for index in range(len(server.tools))]


async def _confirmed(candidates: Sequence[Proposal], play: Play) -> Proposal:
    """Return the first candidate that passes twice; the first one with its problem if none does."""
    first: str | None = None
    for candidate in candidates:
        if candidate.problem is not None:
            return candidate
        played = await play(candidate)
        problem = played.problem
        if problem is None:
            again = await play(candidate)
            if again.problem is None:
                is_stable = again.results == played.results
                return await _without_needless_setup(candidate, again, play) if is_stable else candidate
            problem = f"it ran once and then not, as if the server kept its state outside of {SANDBOX}: {again.problem}"
        first = first or problem
    return replace(candidates[0], problem=first)


async def _without_needless_setup(proposal: Proposal, played: Played, play: Play) -> Proposal:
    """Return the proposal without calls before it that make no difference to its results, played twice as well."""
    for setup in ((), proposal.setup[-1:]):
        shorter = replace(proposal, setup=setup)
        if len(setup) < len(proposal.setup) and await play(shorter) == played == await play(shorter):
            return shorter
    return proposal


@dataclass
class _Exploration:
    """Calls of tools on one connection, whose results tell further values."""

    server: ServerDefinition
    permissions: Permissions
    known: KnownValues = field(init=False)
    context: Context = _BARE
    """What the directory of the server has."""
    worked: dict[str, tuple[KnownCall, list[tuple[KnownCall, ...]], Context]] = field(default_factory=dict)
    """Tool -> call that worked, calls before it that may have made what it needs, the likeliest first, and context."""
    linked: dict[str, tuple[KnownCall, Mapping[str, Any]]] = field(default_factory=dict)
    """Tool -> call whose result its call repeats, and the arguments with placeholders for these values."""
    refusals: dict[str, tuple[KnownCall, str]] = field(default_factory=dict)
    """Tool -> last call that did not work, and what the server said."""
    changes: list[tuple[KnownCall, Any]] = field(default_factory=list)
    """Calls that may have changed something, with their results, since the connection was opened."""
    tried: dict[str, list[tuple[Mapping[str, Any], int]]] = field(default_factory=dict)
    """Tool -> arguments with which it was called, and the number of changes before."""
    asked_for: dict[str, set[str]] = field(default_factory=dict)
    """Tool -> parameters that the server has named when it refused a call."""
    given_up: set[str] = field(default_factory=set)
    suggested: dict[str, Sequence[dict[str, Any]]] = field(default_factory=dict)
    """Tool -> arguments that a model has proposed."""

    def __post_init__(self) -> None:
        self.known = KnownValues(file_names(self.server))

    async def run(self, open_session: Session) -> None:
        """Try each tool that may be called, those that undo or move something last; one that ends the server once."""
        last = [tool for tool in self._allowed if _has_verb(tool, _LAST)]
        first = [tool for tool in self._allowed if tool not in last]
        left = [*first * _ROUNDS, *last * _ROUNDS]
        while left:
            self.changes.clear()
            async with open_session(self.context) as connection:
                if not self.tried:
                    await self._learn_from_resources(connection)
                while left:
                    tool = left.pop(0)
                    try:
                        await self._try(connection, tool)
                    except ServerError as error:
                        self.given_up.add(tool.name)
                        self.refusals[tool.name] = KnownCall(tool.name, self.tried[tool.name][-1][0]), str(error)
                        break

    def furnish(self) -> bool:
        """Take up what the refused calls miss in the directory; return whether that is something.

        The tools that did not work are then tried anew.
        """
        missed = [missed_in_directory(call.arguments, said) for call, said in self.refusals.values()]
        files = {name: text for each in missed for name, text in each.files.items()}
        is_repository = any(each.is_repository for each in missed)
        if is_repository:
            files |= {name: text for name in map(relative_path, self.known.files) if (text := seed_text(name))}
            self.known.learn({"revision": "HEAD", "target": "HEAD"}, "repository")
        self.context = Context(files=files or None, git=is_repository)
        if self.context == _BARE:
            return False
        self.tried = {name: calls for name, calls in self.tried.items() if name in self.worked}
        self.refusals = {name: said for name, said in self.refusals.items() if name in self.given_up}
        return True

    async def ask(self, suggest: Suggest) -> None:
        """Ask for arguments of the tools that may be called and did not work."""
        for tool in self._allowed:
            if tool.name not in self.worked and tool.name not in self.given_up:
                (proposal, *_) = self.proposals(tool)
                self.suggested[tool.name] = await suggest(tool, proposal.problem or "", self.known)

    @property
    def _allowed(self) -> list[ToolDefinition]:
        return [tool for tool in self.server.tools if self.permissions.may_call(tool)]

    async def _learn_from_resources(self, connection: ExploredConnection) -> None:
        """Remember the addresses of resources, and the values in those that are JSON."""
        for uri in sorted(await connection.resources())[:_MOST_RESOURCES]:
            self.known.learn({"uri": uri}, "resource")
            with anyio.move_on_after(_SLOWEST_SECONDS):
                self.known.learn(decode_json(await connection.read_text(uri) or ""), "resource")

    async def _try(self, connection: ExploredConnection, tool: ToolDefinition) -> None:
        if tool.name in self.worked or tool.name in self.given_up:
            return
        tried = self.tried.setdefault(tool.name, [])
        for _ in range(_SETS):
            attempts, _ = self._attempts(tool)
            arguments = next((each for each in attempts if (each, len(self.changes)) not in tried), None)
            if arguments is None:
                return
            tried.append((arguments, len(self.changes)))
            call = KnownCall(tool.name, arguments)
            result: ToolResult | None = None
            with anyio.move_on_after(_SLOWEST_SECONDS):
                result = await connection.call(tool.name, arguments)
            if result is None:
                self.given_up.add(tool.name)
                self.refusals[tool.name] = call, f"no result within {_SLOWEST_SECONDS} s"
                return
            problem = problem_of(result)
            if problem is None:
                self._learn(tool, call, payload(result))
                return
            if arguments == attempts[0]:
                self.refusals[tool.name] = call, problem
            said = result.text
            missed = {name for name in tool.properties if re.search(rf"(?i)\b{re.escape(name)}\b", said)}
            self.asked_for.setdefault(tool.name, set()).update(missed)
            if _FULL_PATH.search(said):
                self.known.files = tuple(map(full_path, self.known.files))
            for name, values in offered_values(arguments, said).items():
                self.known.offer(tool.name, name, values)

    def _learn(self, tool: ToolDefinition, call: KnownCall, result: Any) -> None:
        before = tuple(each for each, _ in self.changes)
        needed = self._needed_by(call)
        # `format_text` with a `paragraph_index` needs what `add_paragraph` has made in the file that both name.
        things = {word for name in (tool.name, *call.arguments) for word in words_of(name)}
        related = [each for each in before if each not in needed and things & set(words_of(each.tool)[1:])]
        makers = [*needed, *related[: max(0, _LONGEST_SETUP - len(needed))]]
        setups = [needed, tuple(each for each in before if each in makers), (), before]
        self.worked[tool.name] = call, setups, self.context
        self._link(call)
        self.known.learn(result, tool.name)
        if not only_reads(tool):
            self.known.learn(call.arguments, tool.name)
            self.changes.append((call, unwrap_result(result)))

    def _link(self, call: KnownCall) -> None:
        """Remember the last change whose result has a value of a call that nobody has told the server."""
        for made, result in reversed(self.changes):
            told = _texts(made.arguments)
            places = {
                value: "".join(f".{part}" for part in path)
                for path, value in scalars(result)
                if isinstance(value, str) and value not in told
            }
            arguments = {
                name: f"<1_result{places[value]}>" if isinstance(value, str) and value in places else value
                for name, value in call.arguments.items()
            }
            if arguments != call.arguments:
                self.linked[call.tool] = made, arguments
                return

    def _needed_by(self, call: KnownCall) -> tuple[KnownCall, ...]:
        """Return the earlier changes that brought up the texts in a call's arguments, and those that these need."""
        needed: list[int] = []
        left = _texts(call.arguments)
        while left:
            text = left.pop()
            found = (
                index for index, (made, result) in enumerate(self.changes) if text in _texts([made.arguments, result])
            )
            first = next(found, None)
            if first is not None and first not in needed:
                needed.append(first)
                left |= _texts(self.changes[first][0].arguments)
        return tuple(self.changes[index][0] for index in sorted(needed))

    def proposals(self, tool: ToolDefinition) -> list[Proposal]:
        """Return the proposals for a tool that are worth playing, or the one that says why there is none."""
        if tool.name in self.worked:
            call, calls_before, context = self.worked[tool.name]
            setups: list[tuple[KnownCall, ...]] = []
            for calls in calls_before:
                setup = tuple(each for each in calls if each.tool not in self._enders)
                if setup not in setups and len(setup) <= _LONGEST_SETUP:
                    setups.append(setup)
            found = [Proposal(tool, call.arguments, setup, context) for setup in setups]
            if tool.name in self.linked:
                made, arguments = self.linked[tool.name]
                maker = MakingCall(next(each for each in self.server.tools if each.name == made.tool), made.arguments)
                before = tuple(each for each in setups[0] if each != made)
                found.append(Proposal(tool, arguments, before, context, maker))
            return found
        if tool.name in self.refusals:
            call, said = self.refusals[tool.name]
            return [Proposal(tool, call.arguments, problem=one_line(said))]
        attempts, missing = self._attempts(tool)
        if not self.permissions.may_call(tool):
            problem = f"it may change something; `mcpbench init --call {tool.name}` tries it"
            return [Proposal(tool, attempts[0] if attempts else {}, problem=problem, missing=tuple(missing))]
        names = ", ".join(parameter.name for parameter in missing)
        return [Proposal(tool, problem=f"no value is known for {names}", missing=tuple(missing))]

    @property
    def _enders(self) -> set[str]:
        return {tool.name for tool in self.server.tools if _has_verb(tool, _ENDING)}

    def _attempts(self, tool: ToolDefinition) -> tuple[list[dict[str, Any]], list[Parameter]]:
        example = self.permissions.examples.get(tool.name, {})
        attempts, missing = attempts_at(tool, self.known, example, also=self.asked_for.get(tool.name, ()), most=_SETS)
        suggested = [{**each, **example} for each in self.suggested.get(tool.name, ())]
        return [*suggested, *attempts], [] if suggested else missing


def _has_verb(tool: ToolDefinition, verbs: frozenset[str]) -> bool:
    """Return whether the name of a tool begins with one of some verbs, or ends with it, as `todo_delete`."""
    name = words_of(tool.name)
    begins_with_verb = not (READING | CHANGING).isdisjoint(name[:1])  # `add_stop` stops nothing
    return not verbs.isdisjoint(name[:1] if begins_with_verb else (*name[:1], *name[-1:]))


def _texts(value: Any) -> set[str]:
    """Return the texts in a value by which a thing may be known."""
    return {text for _, text in scalars(value) if isinstance(text, str) and 1 < len(text) < 100}
