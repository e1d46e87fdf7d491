"""Environment of one attempt: the tools that the agent may call and the connections to their servers."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from pytest_mcpbench.agents.context_reader import ContextReader
from pytest_mcpbench.agents.tool_search import ToolSearcher
from pytest_mcpbench.agents.users.dialogue import User
from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.attempt.refusal import refusal
from pytest_mcpbench.attempt.tape import NO_TAPE, Tape
from pytest_mcpbench.core.conditions import Presentation
from pytest_mcpbench.core.dispatch import Dispatch
from pytest_mcpbench.core.errors import ServerError, TaskError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.prompt import ResultView
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.suite import SuiteManifest, place_of
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.tool import Call, CallRecord, ToolResult, ToolSpec
from pytest_mcpbench.core.world import WORLD_RESOURCE
from pytest_mcpbench.models.model import Model
from pytest_mcpbench.servers.exposure import as_client_shows, cut_text, expose
from pytest_mcpbench.servers.server_connection import ServerConnection
from pytest_mcpbench.text.json_reading import read_json
from pytest_mcpbench.text.suggestions import did_you_mean

# Bound on all results of one attempt, which are kept in memory and stored with its record.

MOST_CHARACTERS = 128 * 1024**2
"""Characters of all results of one attempt: twice the longest message of a server."""
_CHARACTERS_OF_VALUE = 8
"""Characters that a number, a truth value, a key or the brackets of a structured result count at least."""


@dataclass
class ResultBudget:
    """Number of characters that are left for the results of one attempt."""

    remaining: int = MOST_CHARACTERS

    def spend(self, result: ToolResult, server: str) -> None:
        """Count a result of a server.

        Raises:
            ServerError: the results of the attempt are larger than what is kept.
        """
        blocks = sum(len(block.text or "") + len(block.data or "") + _CHARACTERS_OF_VALUE for block in result.content)
        self.remaining -= blocks + _size_of_value(result.structured)
        if self.remaining < 0:
            problem = f"the results of this attempt have more than {MOST_CHARACTERS:,} characters"
            raise ServerError(problem, server, "call")


def _size_of_value(value: JsonValue) -> int:
    size, rest = 0, [value]
    while rest:
        part = rest.pop()
        size += _CHARACTERS_OF_VALUE
        if isinstance(part, str):
            size += len(part)
        elif isinstance(part, list):
            rest += part
        elif isinstance(part, dict):
            size += sum(map(len, part))
            rest += part.values()
    return size


@dataclass
class ToolChanges:
    """What servers have changed of their tools during an attempt."""

    offered: dict[str, tuple[ToolSpec, ...]] = field(default_factory=dict)
    """Tools that servers with changes offer by now, by server."""
    tools: tuple[ToolSpec, ...] | None = None
    """Tools that the agent sees since the last change; ``None`` before the first."""
    added: dict[str, ToolSpec] = field(default_factory=dict)
    """Tools that the agent did not see at first, by the name under which it saw them."""
    notes: list[str] = field(default_factory=list)

    def note(self, before: Sequence[ToolSpec], after: Sequence[ToolSpec], what: str) -> None:
        """Note the difference between two lists of tools that the agent sees."""
        old, new = ({tool.name: tool for tool in tools} for tools in (before, after))
        changes = {
            "added": [name for name in new if name not in old],
            "removed": [name for name in old if name not in new],
            "changed": [name for name, tool in new.items() if name in old and tool != old[name]],
        }
        self.added |= {name: new[name] for name in changes["added"]}
        if parts := [f"{change} {', '.join(names)}" for change, names in changes.items() if names]:
            self.notes.append(f"{what}: {'; '.join(parts)}")


@dataclass(frozen=True)
class Arena:
    """Tools of one attempt, with the servers that execute them."""

    task: Task
    suite: SuiteManifest
    sandbox: Sandbox
    first_tools: tuple[ToolSpec, ...]
    """Tools that the agent sees at first, in the suite's order of servers and each server's order of tools."""
    unavailable_tools: tuple[str, ...]
    """Tools that the task lists and no server offers."""
    notes: tuple[str, ...]
    connections: Mapping[str, ServerConnection]
    """Open connections by the name of their server."""
    dispatch: Dispatch | None = None
    """Result of the dispatcher, if one selected the tools."""
    searcher: ToolSearcher | None = None
    """Search by which models learn of the tools; ``None`` if they see all definitions."""
    reader: ContextReader | None = None
    """Reader of resources, prompts and skills; ``None`` in route mode."""
    listed: tuple[ToolSpec, ...] = ()
    """All tools of the servers, if there are no connections, because no call is executed."""
    listed_servers: tuple[ServerFacts, ...] = ()
    """Facts about these servers."""
    trial: int = 1
    """Number of this attempt among the trials of its task, counted from 1."""
    user: User | None = None
    """User that answers; ``None`` if the user's messages are those of the task."""
    respondent: Respondent | None = None
    """Respondent who answers the questions that servers ask the user; ``None`` if nobody does."""
    sampler: Model | None = None
    """Model that answers servers that ask for a message; ``None``: such requests are refused."""
    tape: Tape = NO_TAPE
    """Tape on which the attempt is recorded, or from which it is replayed."""
    changes: ToolChanges = field(default_factory=ToolChanges)
    """What servers have changed of their tools meanwhile."""
    budget: ResultBudget = field(default_factory=ResultBudget)
    """Bound on the results of all calls of the agent."""

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """Tools that the agent sees now."""
        return self.first_tools if self.changes.tools is None else self.changes.tools

    @property
    def directory(self) -> Path:
        """Sandbox directory of the attempt."""
        return self.sandbox.path

    @property
    def presentation(self) -> Presentation | None:
        """How programs are to show tools to their models; ``None``: by their own defaults."""
        return self.suite.presentation

    def taped(self, model: Model) -> Model:
        """Return a model that records this one or replays its replies; the model itself without a tape."""
        return self.tape.model(model)

    @property
    def lacks_results(self) -> bool:
        """Return whether the servers replay a recording, so that a reference call may lack a result."""
        return self.suite.recorded

    @property
    def servers(self) -> tuple[ServerFacts, ...]:
        """Facts that the connected servers reported about themselves, with the instructions that agents read."""
        facts = self.listed_servers or tuple(connection.facts for connection in self.connections.values())
        shown = self.suite.shown_instructions
        if self.suite.server_instructions == "hidden":
            shown = dict.fromkeys((each.name for each in facts), "")
        texts = {each.name: shown.get(each.name, each.instructions) for each in facts}
        most = self.suite.instruction_characters
        cut = {name: cut_text(text, most) for name, text in texts.items()}
        return tuple(
            each if cut[each.name] == each.instructions else each.model_copy(update={"instructions": cut[each.name]})
            for each in facts
        )

    @property
    def result_view(self) -> ResultView:
        """Form in which models read results."""
        return ResultView(self.suite.result_form, self.suite.result_limit, self.suite.result_preview)

    async def require_servers(self) -> None:
        """Raise ServerError if a server failed while the attempt waited: before a model is asked in vain."""
        for connection in self.connections.values():
            await connection.ready()

    async def call(self, call: Call) -> CallRecord:
        """Make a call of the agent and return it with its result; a faulty call gives an error result.

        Raises:
            ServerError: the server died, or the results of the attempt are larger than what is kept.
        """
        tool = next((tool for tool in self.tools if tool.name == call.name), None)
        existing_names = {name for tool in self.offered for name in (tool.tool, f"{tool.server}_{tool.tool}")}
        refused = refusal(call, [tool.name for tool in self.tools], existing_names)
        target = {"tool": tool.tool, "server": tool.server} if tool else {}
        if refused is not None:
            return refused.model_copy(update=target)
        assert tool is not None, "refusal() rejects unknown tools"
        return await self._execute(call, tool)

    async def _execute(self, call: Call, tool: ToolSpec) -> CallRecord:
        start = time.perf_counter()
        result = await self.connections[tool.server].call(tool.tool, call.arguments, self.respondent)
        self.budget.spend(result, tool.server)
        if result.relisted is not None:
            self._relist(tool.server, result.relisted, call.name)
        return CallRecord(
            **call.model_dump(),
            tool=tool.tool,
            server=tool.server,
            result=result,
            seconds=time.perf_counter() - start,
        )

    def _relist(self, server: str, listed: tuple[ToolSpec, ...], called: str) -> None:
        """Show the agent the changed tools of a server, as the conditions of the attempt have them."""
        if server in self.suite.shown_tools or self.dispatch is not None:
            return  # what the agent sees was chosen before
        self.changes.offered[server] = listed
        shown = expose(self.task, self.suite, [*self._shown_by_servers()], is_checked=False)
        tools, _ = as_client_shows(shown.tools, self.suite)
        if any(tool.is_deferred for tool in self.first_tools):
            tools = tuple(tool.model_copy(update={"is_deferred": True}) for tool in tools)
        self.changes.note(self.tools, tools, f"tools of {server} after a call of {called}")
        self.changes.tools = tools
        if self.searcher is not None:
            self.searcher.relist(tools)

    def _shown_by_servers(self) -> Iterator[ToolSpec]:
        for name, connection in self.connections.items():
            offered = self.changes.offered.get(name, connection.tools)
            yield from self.suite.shown_tools.get(name, offered)

    async def read(
        self, server: str | None, tool: str, arguments: Mapping[str, JsonValue], *, field: str = "verify"
    ) -> ToolResult:
        """Return the result of any tool of a connected server, whether or not the agent sees it.

        Args:
            server: Name of the server; optional if only one server offers the tool.
            tool: The server's own name of the tool.
            arguments: Arguments of the call by name.
            field: Field of the task that asks for the call, for messages.

        Raises:
            TaskError: no connected server, or more than one, offers the tool.
            ServerError: the server died.
        """
        candidates = [
            connection
            for name, connection in self.connections.items()
            if server in (None, name) and any(offered.tool == tool for offered in connection.tools)
        ]
        if len(candidates) != 1:
            raise self._lookup_error(server, tool, field, [connection.ref.name for connection in candidates])
        return await candidates[0].call(tool, dict(arguments), self.respondent)

    async def world(self, server: str) -> JsonValue:
        """Return the world that a server publishes as ``mcpbench://world``; ``None`` if it publishes none.

        Raises:
            ServerError: the resource is not a JSON object, or the server is gone.
        """
        text = await self.connections[server].read_text(WORLD_RESOURCE)
        return None if text is None else _parse_world(text, server)

    async def final_world(self, server: str) -> JsonValue:
        """Return the world of a server that has published one before.

        Raises:
            ServerError: the server does not publish it any more, the resource is not a JSON object, or the server is
                gone.
        """
        world = await self.world(server)
        if world is None:
            raise ServerError(f"it does not publish its resource {WORLD_RESOURCE} any more", server, "call")
        return world

    async def external_worlds(self) -> dict[str, JsonValue]:
        """Return the worlds of private servers in other processes by server, without servers that publish none."""
        worlds = {}
        for name, connection in self.connections.items():
            # The sandbox already holds the worlds of servers in this process, and attempts on a shared server would
            # see one another's changes.
            is_external = connection.ref.transport != "in_process" and not connection.ref.is_shared
            if is_external and await connection.has_resource(WORLD_RESOURCE):
                worlds[name] = await self.world(name)
        return {name: world for name, world in worlds.items() if world is not None}

    @property
    def offered(self) -> tuple[ToolSpec, ...]:
        """Return all tools of the connected servers, exposed or not, under the servers' own names."""
        return self.listed or tuple(
            tool
            for name, connection in self.connections.items()
            for tool in self.changes.offered.get(name, connection.tools)
        )

    def _lookup_error(self, server: str | None, tool: str, field: str, candidates: Sequence[str]) -> TaskError:
        place = place_of(self.task, self.suite)
        if candidates:
            return TaskError(f"{tool!r} is offered by {', '.join(candidates)}; name the server.", place, field)
        if server is not None and server not in self.connections:
            there_are = ", ".join(self.connections) or "none"
            problem = f"no server of the task is called {server!r}; there are: {there_are}."
            return TaskError(problem, place, field, did_you_mean(server, self.connections))
        owner = f"server {server!r}" if server else "any connected server"
        offered = {offered.tool for connection in self.connections.values() for offered in connection.tools} - {tool}
        return TaskError(f"{tool!r} is not offered by {owner}.", place, field, did_you_mean(tool, offered))


@dataclass(frozen=True)
class RouteArena(Arena):
    """Arena of route mode: its calls are recorded as the agent asks for them, and not executed."""

    @property
    def lacks_results(self) -> bool:
        """Return ``True``: no call is executed."""
        return True

    async def _execute(self, call: Call, tool: ToolSpec) -> CallRecord:
        return CallRecord(**call.model_dump(), tool=tool.tool, server=tool.server)


def _parse_world(text: str, server: str) -> JsonValue:
    try:
        world: JsonValue = read_json(text)
    except ValueError as error:
        raise ServerError(f"its resource {WORLD_RESOURCE} is not valid JSON: {error}", server, "call") from None
    if not isinstance(world, dict):
        problem = f"its resource {WORLD_RESOURCE} must be a JSON object, not {type(world).__name__}"
        raise ServerError(problem, server, "call")
    return world
