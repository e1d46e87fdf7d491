"""Servers of one event loop, and the arenas that show them to attempts."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

import anyio
from pydantic import JsonValue

from pytest_mcpbench.agents.context_reader import ContextReader
from pytest_mcpbench.agents.dispatchers import LEXICAL, PATTERN, REGEX, Dispatchers
from pytest_mcpbench.agents.tool_search import WORDS, ToolSearcher
from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.attempt.arena import Arena, RouteArena
from pytest_mcpbench.attempt.named_directory import filled_suite
from pytest_mcpbench.attempt.tape import NO_TAPE, Tape
from pytest_mcpbench.core.conditions import NO_DISPATCHER, PROVIDER
from pytest_mcpbench.core.definition_tokens import definition_tokens
from pytest_mcpbench.core.dispatch import select_tools
from pytest_mcpbench.core.errors import McpBenchError, ServerError, TaskError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.secrets import NO_SECRETS
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.suite import SuiteManifest, place_of
from pytest_mcpbench.core.task import PreparingCall, Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.definitions.canonical import ServerDefinition
from pytest_mcpbench.loaders.recorded_servers import is_replayed
from pytest_mcpbench.models.factory import Models
from pytest_mcpbench.servers.definition_cache import DefinitionCache
from pytest_mcpbench.servers.exposure import as_client_shows, expose, servers_needed
from pytest_mcpbench.servers.isolation import NO_ISOLATION, Isolation
from pytest_mcpbench.servers.loading import connection_pool
from pytest_mcpbench.servers.server_connection import ServerConnection
from pytest_mcpbench.servers.shared_server import SharedConnection
from pytest_mcpbench.text.paths import SANDBOX

if TYPE_CHECKING:
    from pytest_mcpbench.servers.connection import Connection
    from pytest_mcpbench.servers.pool import ConnectionPool

AnyArena = TypeVar("AnyArena", bound=Arena)

_RESET_SECONDS = 10.0
"""Time that the calls of ``reset`` may take after an attempt that failed or was cancelled."""
_ERROR_CHARACTERS = 300


@asynccontextmanager
async def prepared(arena: Arena) -> AsyncIterator[None]:
    """Make the calls of the task's ``setup`` now, and those of its ``reset`` at the end, whatever happens.

    Raises:
        TaskError: a call returned an error, or no server offers its tool.
        ServerError: a server died.
    """
    try:
        await _make(arena, "setup", arena.task.setup)
        # The worlds of servers in this process have recorded what these calls changed.
        arena.sandbox.restart_worlds()
        yield
    except BaseException:
        # Shielded: a server that outlives an attempt that is cancelled must be reset, too.
        with anyio.move_on_after(_RESET_SECONDS, shield=True), suppress(McpBenchError):
            await _make(arena, "reset", arena.task.reset)
        raise
    await _make(arena, "reset", arena.task.reset)


async def _make(arena: Arena, field: str, calls: tuple[PreparingCall, ...]) -> None:
    for index, call in enumerate(calls):
        where = f"{field}[{index}]"
        result = await arena.read(call.server, call.tool, call.arguments, field=where)
        if result.is_error:
            text = NO_SECRETS.shorten(result.text, _ERROR_CHARACTERS).rstrip(".")
            problem = f"the call of {call.tool!r} returns an error: {text}."
            raise TaskError(problem, place_of(arena.task, arena.suite), where)


class ServerPool:
    """Servers of one event loop: a shared server lives as long as the pool, any other as long as its arena."""

    def __init__(
        self,
        *,
        root: Path | None = None,
        models: Models | None = None,
        dispatchers: Dispatchers | None = None,
        isolation: Isolation = NO_ISOLATION,
    ) -> None:
        self._root = root
        self._isolation = isolation
        self._definitions = DefinitionCache(self.definition)
        self._models = models or Models({})
        self._dispatchers = dispatchers or Dispatchers(models)

    async def __aenter__(self) -> "ServerPool":
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop every server; return within bounded time."""
        if self._has_connections:
            await self._connections.close()
        await self._dispatchers.aclose()

    def take_restarts(self) -> dict[str, int]:
        """Return the number of restarts of each shared server since the last call of this method."""
        return self._connections.take_restarts() if self._has_connections else {}

    def kill(self) -> None:
        """Kill the servers that a hanging event loop has not closed; callable from any thread, without waiting."""
        if self._has_connections:
            self._connections.kill()

    @cached_property
    def _connections(self) -> "ConnectionPool":
        return connection_pool()(root=self._root, isolation=self._isolation)

    @property
    def _has_connections(self) -> bool:
        """Return whether a server has been needed, so that there is a pool to close."""
        return "_connections" in vars(self)

    @asynccontextmanager
    async def arena(
        self, task: Task, suite: SuiteManifest, sandbox: Sandbox, *, trial: int = 1, tape: Tape = NO_TAPE
    ) -> AsyncIterator[Arena]:
        """Open the arena of one attempt; its servers start concurrently, except those that the tape replays.

        Raises:
            TaskError: the task refers to a server or to tools that do not exist.
            ServerError: a server that the task needs failed.
        """
        suite = filled_suite(suite, sandbox)
        refs = [_declaring(ref, suite) for ref in servers_needed(task, suite)]
        replayed = {ref.name: server for ref in refs if (server := tape.replayed(ref)) is not None}
        # Every connection starts to open here; awaiting them one by one below does not serialise their starts.
        started = [
            self._connections.connection(ref, sandbox, Path(suite.directory))
            for ref in refs
            if ref.name not in replayed
        ]
        try:
            for connection in started:
                await connection.ready()
            opened = {connection.ref.name: tape.opened(connection) for connection in started} | replayed
            connections = [opened[ref.name] for ref in refs]
            for each in connections:
                _require_tools(each.ref.name, each.tools, suite)
            offered = [tool for each in connections for tool in suite.shown_tools.get(each.ref.name, each.tools)]
            arena = _arena(task, suite, sandbox, connections, offered, kind=Arena)
            arena = self._with_search(await self._with_dispatched_tools(replace(arena, trial=trial, tape=tape)))
            sampler = tape.model(self._models.get(suite.sampling)) if suite.sampling else None
            arena = replace(await _with_reader(arena), sampler=sampler, respondent=Respondent(task, sampler=sampler))
            async with prepared(arena):
                before = await arena.external_worlds()
                yield arena
                # Read while the servers still run: they are stopped in the finally block.
                for name, world in before.items():
                    sandbox.adopt(name, world, await arena.final_world(name))
        finally:
            if started:
                await self._connections.release(started)

    async def route_arena(
        self, task: Task, suite: SuiteManifest, sandbox: Sandbox, *, trial: int = 1, tape: Tape = NO_TAPE
    ) -> RouteArena:
        """Return the arena of an attempt in route mode; its errors are those of :meth:`arena`."""
        arena = await self._listed_arena(task, suite, sandbox)
        return await self._with_dispatched_tools(replace(arena, trial=trial, tape=tape))

    async def exposed_tools(self, task: Task, suite: SuiteManifest) -> tuple[ToolSpec, ...]:
        """Return the tools that an agent sees, for estimates: servers are asked once for all tasks, and no model is.

        The first ``top_k`` tools stand for those that an embedding model would select. Where models search for tools,
        the first ``search_results`` tools, after the tool that searches, stand for those that a model would find.

        Raises:
            TaskError: the task refers to a server or to tools that do not exist.
            ServerError: a server that the task needs failed.
        """
        arena = await self._listed_arena(task, suite, Sandbox(path=Path(), identity=task.id))
        if suite.dispatcher not in (NO_DISPATCHER, *LEXICAL):
            arena = replace(arena, first_tools=arena.tools[: suite.top_k])
        else:
            arena = await self._with_dispatched_tools(arena)
        shown = self._with_search(arena)
        if shown.searcher is None and not any(tool.is_deferred for tool in shown.tools):
            return shown.tools
        search = () if shown.searcher is None else (shown.searcher.tool,)
        return (*search, *shown.tools[: suite.search_results])

    async def _listed_arena(self, task: Task, suite: SuiteManifest, sandbox: Sandbox) -> RouteArena:
        """Return an arena without connections: a server is asked for its tools once for all attempts."""
        suite = filled_suite(suite, sandbox)
        refs = [_declaring(ref, suite) for ref in servers_needed(task, suite)]
        listed = [ref for ref in refs if ref.name not in suite.shown_tools]
        definitions = {
            ref.name: (await self._definitions.get(ref, Path(suite.directory))).in_directory(lambda: sandbox.path)
            for ref in listed
        }
        for name, definition in definitions.items():
            _require_tools(name, definition.tools, suite)
        tools = [tool for ref in refs for tool in _tools_shown(suite, ref.name, definitions)]
        facts = [
            ServerFacts(
                name=name,
                implementation=each.implementation,
                protocol=each.protocol,
                instructions=each.instructions,
            )
            for name, each in definitions.items()
        ]
        facts += [ServerFacts(name=ref.name) for ref in refs if ref.name not in definitions]
        return replace(
            _arena(task, suite, sandbox, (), tools, kind=RouteArena), listed=tuple(tools), listed_servers=tuple(facts)
        )

    async def _with_dispatched_tools(self, arena: AnyArena) -> AnyArena:
        """Return the arena with the tools that the suite's dispatcher selects for all user messages of the task."""
        suite = arena.suite
        if suite.dispatcher == NO_DISPATCHER or not arena.tools:
            return arena
        request = arena.task.request
        dispatcher = arena.tape.dispatcher(self._dispatchers.get(suite.dispatcher))
        scores = await dispatcher.scores(request, arena.tools)
        picked = select_tools(arena.tools, scores, dispatcher=dispatcher.name, top_k=suite.top_k)
        return replace(arena, first_tools=picked.tools, dispatch=picked.dispatch)

    def _with_search(self, arena: Arena) -> Arena:
        """Return the arena with a search in its tools, if that is how models learn of them."""
        suite = arena.suite
        if suite.presentation != "search" or not arena.tools:
            return arena
        if suite.search_from is not None and definition_tokens(arena.tools).total < suite.search_from:
            return arena
        if suite.tool_search == PROVIDER:
            return replace(
                arena, first_tools=tuple(tool.model_copy(update={"is_deferred": True}) for tool in arena.tools)
            )
        query = PATTERN if suite.tool_search == REGEX else WORDS
        taped = arena.tape.dispatcher(self._dispatchers.get_search(suite.tool_search))
        shown = suite.deferred_tools
        searcher = ToolSearcher(arena.tools, taped, suite.search_results, query, deferred_tools=shown)
        return replace(arena, searcher=searcher)

    async def definition(
        self, server: ServerRef, *, directory: Path | None = None, files: Path | None = None
    ) -> ServerDefinition:
        """Return everything that a client sees of a server: its tools, all pages in its order, and its instructions.

        The directory in which it was started for this request is ``{sandbox}``, as that of an attempt.

        Args:
            server: Server to ask; unless it is shared, it is started for this request alone.
            directory: Base of its relative paths; by default the working directory.
            files: Directory whose content the server finds in its own, for servers that do not start without files.

        Raises:
            ServerError: the server cannot be started or its tools cannot be listed.
        """
        with TemporaryDirectory(prefix="mcpbench-") as scratch:
            # Resolved, because servers name the real path (on macOS /tmp is a link).
            path = Path(scratch).resolve()
            if files is not None:
                copytree(files, path, dirs_exist_ok=True)
            async with self.session(server, path, directory=directory) as connection:
                return connection.definition.with_texts(lambda text: text.replace(str(path), SANDBOX))

    @asynccontextmanager
    async def session(
        self,
        server: ServerRef,
        scratch: Path,
        *,
        directory: Path | None = None,
        seeds: Mapping[str, JsonValue] | None = None,
    ) -> "AsyncIterator[Connection | SharedConnection]":
        """Open a connection that belongs to no attempt, for direct calls.

        Args:
            server: Server to connect to; unless it is shared, it is started for this session alone.
            scratch: Directory in which it works.
            directory: Base of its relative paths; by default the working directory.
            seeds: Server -> seed of its world; by default its own.

        Raises:
            ServerError: the server cannot be started or its tools cannot be listed.
        """
        sandbox = Sandbox(path=scratch, identity=server.name, seeds=seeds or {})
        connection = self._connections.connection(server, sandbox, directory or Path.cwd())
        try:
            await connection.ready()
            yield connection
        finally:
            await self._connections.release([connection])


def _declaring(ref: ServerRef, suite: SuiteManifest) -> ServerRef:
    """Return the reference to a server, to which the suite's client declares what it can do."""
    declared = suite.capabilities if ref.capabilities is None else ref.capabilities
    if suite.sampling is not None:
        from pytest_mcpbench.servers.connection import DECLARED

        declared = tuple(dict.fromkeys((*(DECLARED if declared is None else declared), "sampling")))
    return ref if declared == ref.capabilities else ref.model_copy(update={"capabilities": declared})


async def _with_reader(arena: Arena) -> Arena:
    """Return the arena with a reader of what its servers and skills offer besides tools."""
    task, suite, searcher = arena.task, arena.suite, arena.searcher
    reader = await ContextReader.open(
        arena.connections,
        arena.budget,
        task.offered_skills,
        [tool.name for tool in (*arena.tools, *([searcher.tool] if searcher else []))],
        resources=suite.server_resources == "tools"
        or (suite.server_resources is None and bool(task.expected.resources)),
        prompts=suite.server_prompts == "tools",
    )
    return replace(arena, reader=reader)


def _require_tools(server: str, tools: Sequence[object], suite: SuiteManifest) -> None:
    """Raise ServerError for a server without tools, because a task that forbids calls would always pass with it.

    A replayed server has only the tools that its recording calls, which may be none.
    """
    if not tools and not is_replayed(server, suite):
        raise ServerError("it lists no tool, so that no task can use it", server, "list")


def _tools_shown(suite: SuiteManifest, server: str, definitions: Mapping[str, ServerDefinition]) -> Sequence[ToolSpec]:
    shown = suite.shown_tools.get(server)
    return shown if shown is not None else [tool.spec(server) for tool in definitions[server].tools]


def _arena(  # noqa: PLR0913 (the parts of an arena)
    task: Task,
    suite: SuiteManifest,
    sandbox: Sandbox,
    connections: Sequence[ServerConnection],
    offered: Sequence[ToolSpec],
    *,
    kind: type[AnyArena],
) -> AnyArena:
    exposure = expose(task, suite, offered)
    tools, notes = as_client_shows(exposure.tools, suite)
    return kind(
        task=task,
        suite=suite,
        sandbox=sandbox,
        first_tools=tools,
        unavailable_tools=exposure.unavailable,
        notes=(*exposure.notes, *notes),
        connections={connection.ref.name: connection for connection in connections},
        respondent=Respondent(task),
    )
