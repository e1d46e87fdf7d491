"""Recording of the calls that a program makes through the proxies, within the limits of its task."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import anyio
from pydantic import JsonValue

from pytest_mcpbench.agents.agent import AgentEnvironment
from pytest_mcpbench.agents.context_reader import TARGETS
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.task import Limits
from pytest_mcpbench.core.tool import Call, CallRecord, ContextMethod, ContextRead, ToolResult, ToolSpec
from pytest_mcpbench.core.trajectory import StopReason

INTERRUPTED = "The call was interrupted: the attempt ended before it returned a result."
ROUTE_SECONDS = 1.0
"""Time in route mode, where nothing is executed, in which a program may make the parallel calls of its message."""


@dataclass
class _Entry:
    call: Call
    started: float
    record: CallRecord | None = None

    @property
    def finished(self) -> CallRecord:
        """Return the record; a call that is still in flight is recorded as interrupted."""
        if self.record is not None:
            return self.record
        result = ToolResult.failure(INTERRUPTED, "timeout")
        return CallRecord(**self.call.model_dump(), result=result, seconds=time.perf_counter() - self.started)


class CallRecorder:
    """Executor of the calls of one attempt: each goes to the arena and is recorded in the order of its arrival.

    Calls that overlap in time are one group, the calls of one message. When a limit of the turn is reached, or a server
    dies, :attr:`stopped` is set and no further call is executed.
    """

    def __init__(self, arena: AgentEnvironment, limits: Limits) -> None:
        self._arena = arena
        self._limits = limits
        self._count = 0
        self._in_flight = 0
        self._groups: list[list[_Entry]] = []
        self._reads: list[tuple[int, ContextRead]] = []
        self._unlisted = dict.fromkeys(tools_of_servers(arena.tools))
        self.stopped = anyio.Event()
        self.stop: StopReason | None = None
        """Limit that ended the turn."""
        self.error: McpBenchError | None = None
        """Error of a server that ended the attempt."""

    def start_turn(self) -> None:
        """Forget the calls and reads of the turn before."""
        self._groups = []
        self._reads = []
        self.stopped = anyio.Event()
        self.stop = None

    @property
    def unlisted(self) -> tuple[str, ...]:
        """Servers whose tools the program has neither listed nor called in any turn."""
        return tuple(self._unlisted)

    @property
    def groups(self) -> tuple[tuple[CallRecord, ...], ...]:
        """Calls of the turn, those that overlapped in one group."""
        return tuple(tuple(entry.finished for entry in group) for group in self._groups)

    @property
    def reads(self) -> tuple[tuple[int, ContextRead], ...]:
        """Resources and prompts that were read in the turn, each with the number of groups of calls before it."""
        return tuple(self._reads)

    def list_tools(self, server: str) -> tuple[ToolSpec, ...]:
        """Return the tools of a server that are exposed now, to a program that lists them."""
        self._unlisted.pop(server, None)
        return self._tools_of(server)

    def _tools_of(self, server: str) -> tuple[ToolSpec, ...]:
        return tuple(tool for tool in self._arena.tools if tool.server == server)

    async def request(self, server: str, method: ContextMethod, arguments: dict[str, JsonValue]) -> ToolResult:
        """Return what a server answers about its resources and prompts, and record what is read of them.

        Lists are not recorded: programs ask for them without being told to by their model.
        """
        if self._arena.reader is None or self.stopped.is_set():
            return ToolResult.failure(INTERRUPTED, "timeout")
        try:
            result = await self._arena.reader.request(server, method, arguments)
        except McpBenchError as error:
            self.error = self.error or error
            self.stopped.set()
            return ToolResult.failure(str(error), "transport")
        if method in TARGETS:
            self._count += 1
            call = Call(id=f"read_{self._count}", name=method, arguments=arguments)
            target = str(arguments[TARGETS[method]])
            read = ContextRead(**call.model_dump(), kind=method, target=target, server=server, result=result)
            self._reads.append((len(self._groups), read))
        return result

    async def call(self, server: str, tool: str, arguments: dict[str, JsonValue]) -> CallRecord:
        """Execute a call of a program, unless a limit forbids it.

        Args:
            server: Server through whose proxy the call came.
            tool: The server's own name of the tool, or the name under which it is exposed.
            arguments: Arguments of the call by name.
        """
        self._unlisted.pop(server, None)
        name = next((each.name for each in self._tools_of(server) if tool in (each.tool, each.name)), None)
        if name is None:
            # Another server may expose a tool of this name, which this proxy does not offer.
            is_taken = any(each.name == tool for each in self._arena.tools)
            name = f"{server}_{tool}" if is_taken else tool
        return await self.call_exposed(name, arguments)

    async def call_exposed(self, name: str, arguments: dict[str, JsonValue]) -> CallRecord:
        """Execute a call of a tool under the name that is unique in the arena, unless a limit forbids it."""
        self._count += 1
        call = Call(id=f"call_{self._count}", name=name, arguments=arguments)
        limit = None if self.stopped.is_set() else self._reached_limit(call)
        entry = _Entry(call, time.perf_counter())
        if self._in_flight:
            self._groups[-1].append(entry)
        else:
            self._groups.append([entry])
        if limit is not None or self.stopped.is_set():
            entry.record = CallRecord(**call.model_dump())
            self._stop(limit)
            return entry.record
        self._in_flight += 1
        try:
            entry.record = await self._execute(call)
        finally:
            self._in_flight -= 1
        return entry.record

    async def _execute(self, call: Call) -> CallRecord:
        try:
            record = await self._arena.call(call)
        except McpBenchError as error:
            self.error = self.error or error
            self.stopped.set()
            return CallRecord(**call.model_dump(), result=ToolResult.failure(str(error), "transport"))
        if record.result is None:  # route mode: there is nothing to go on with
            await anyio.sleep(ROUTE_SECONDS)
            self._stop("routed")
        return record

    def _stop(self, reason: StopReason | None) -> None:
        self.stop = self.stop or reason
        self.stopped.set()

    def _reached_limit(self, call: Call) -> StopReason | None:
        if sum(map(len, self._groups)) >= _or_infinite(self._limits.tool_calls):
            return "call_limit"
        if not self._in_flight and len(self._groups) >= _or_infinite(self._limits.rounds):
            return "round_limit"
        repeats = 0
        for entry in (entry for group in reversed(self._groups) for entry in reversed(group)):
            if (entry.call.name, entry.call.arguments) != (call.name, call.arguments):
                break
            repeats += 1
        return "repetition" if repeats >= _or_infinite(self._limits.repeats) else None


def tools_of_servers(tools: Sequence[ToolSpec]) -> dict[str, tuple[ToolSpec, ...]]:
    """Return the exposed tools by server, in their order."""
    servers = dict.fromkeys(tool.server for tool in tools)
    return {server: tuple(tool for tool in tools if tool.server == server) for server in servers}


def _or_infinite(limit: int | None) -> float:
    return math.inf if limit is None else limit
