"""One connection to a server, opened, kept and closed by one task of its own."""

import asyncio
import math
import warnings
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import replace
from typing import Any, Literal

import anyio
import mcp_types as types
from mcp import Client, MCPError
from mcp.shared.exceptions import MCPDeprecationWarning

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ToolResult, ToolSpec
from pytest_mcpbench.runtime.servers import callbacks
from pytest_mcpbench.runtime.servers.cache import ServerCache
from pytest_mcpbench.runtime.servers.failures import ProtocolViolationError, cause, in_words, is_closed_connection
from pytest_mcpbench.runtime.servers.results import tool_result
from pytest_mcpbench.runtime.servers.transports import ConnectionContext, Evidence, Transport, make_transport, public

CLOSE_SECONDS = 2.5
"""How long closing may take before the connection is given up."""
_GIVE_UP_SECONDS = 1.0

Phase = Literal["configure", "start", "list", "call", "close"]


class Connection:
    """A server that any task of the loop may call, many at once.

    mcp's client must be entered and left in the same task: :meth:`start` begins that task, :meth:`close` ends it.
    """

    def __init__(
        self,
        ref: ServerRef,
        surroundings: ConnectionContext,
        gate: AbstractAsyncContextManager[Any],
        learned: ServerCache | None = None,
    ) -> None:
        self.ref = ref
        self.tools: tuple[ToolSpec, ...] = ()
        """All that it offers, under its own names, in its own order."""
        self.facts = ServerFacts(name=ref.name)
        self._listed: list[types.Tool] = []
        self._surroundings = surroundings
        self._gate = gate
        self._learned = learned or ServerCache()
        self._phase: Phase = "start"
        self._link: Transport | None = None
        self._client: Client | None = None
        self._error: ServerError | None = None
        self._settled = asyncio.Event()
        self._stop = asyncio.Event()
        self._turn = asyncio.Lock()
        self._owner: asyncio.Task[None] | None = None

    @property
    def is_lost(self) -> bool:
        """Whether it was ready once and the server is gone."""
        return self._client is not None and (self._is_over or (self._link is not None and self._link.is_lost))

    @property
    def listing(self) -> list[dict[str, Any]]:
        """What ``tools/list`` said, all pages, in the protocol's own spelling."""
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in self._listed]

    def start(self) -> None:
        """Begin to open it; :meth:`ready` waits for the end of that."""
        self._owner = asyncio.create_task(self._own(), name=f"mcp server {self.ref.name}")

    async def ready(self) -> None:
        """Wait until the tools are listed.

        Raises:
            ServerError: the server could not be started or listed; the same again at each call.
        """
        await self._settled.wait()
        if self._error is not None:
            raise replace(self._error)

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """What the tool gave back; errors that the agent may read are results.

        Raises:
            ServerError: the server is gone.
        """
        _ignore_deprecations()
        async with self._turn if self.ref.sequential else nullcontext():
            return await self._call(tool, arguments)

    async def has_resource(self, uri: str) -> bool:
        """Whether the server lists a resource; of all its connections in this process only the first asks for the list.

        A server that is asked for what it does not have may complain on its stderr, beside what a user wants to read.
        """
        if self._learned.resources is None:
            self._learned.resources = await self._listed_resources()
        return uri in self._learned.resources

    async def read_text(self, uri: str) -> str | None:
        """The text of a resource; ``None`` where the server has no such resource."""
        read = await self._asked(self._open_client.read_resource(uri))
        contents = read.contents if read is not None else ()
        return next((part.text for part in contents if isinstance(part, types.TextResourceContents)), None)

    async def close(self) -> None:
        """End the connection and its server; returns within bounded time. One that is being opened is broken off."""
        if self._client is not None:
            self._learned.keep_compiled(self._client)
        self._stop.set()
        if self._owner is None:
            return
        if not self._settled.is_set():
            self._owner.cancel()
        with anyio.CancelScope(shield=True):
            _, late = await asyncio.wait({self._owner}, timeout=CLOSE_SECONDS)
            for task in late:
                task.cancel()
                await asyncio.wait({task}, timeout=_GIVE_UP_SECONDS)

    async def _listed_resources(self) -> frozenset[str]:
        """The addresses of all resources; none where the server cannot tell."""
        client = self._open_client
        if client.server_capabilities.resources is None:
            return frozenset()
        listed: set[str] = set()
        cursors: set[str | None] = set()
        cursor: str | None = None
        while cursor not in cursors:
            cursors.add(cursor)
            page = await self._asked(client.list_resources(cursor=cursor))
            if page is not None:
                listed.update(str(resource.uri) for resource in page.resources)
                cursor = page.next_cursor or None
        return frozenset(listed)

    async def _asked(self, request: Any) -> Any:
        """What the server answers about its resources; ``None`` where it refuses or its answer is invalid.

        Raises:
            ServerError: it does not answer, or is gone.
        """
        try:
            return await self._within(request)
        except TimeoutError:
            seconds = self.ref.timeouts.call_seconds
            raise ServerError(
                f"it did not answer about its resources within {seconds:g} seconds", self.ref.name, self._phase
            ) from None
        except ServerError:
            raise
        except Exception as error:  # an invalid reply reaches us as whatever mcp's client raises on it
            if isinstance(error, MCPError) and self._open_link.note(error):
                raise await self._lost(error) from error
            return None

    @property
    def _has_died(self) -> bool:
        return self.ref.transport == "stdio" and self._link is not None and self._link.is_lost

    @property
    def _is_over(self) -> bool:
        return self._owner is not None and self._owner.done()

    @property
    def _open_client(self) -> Client:
        assert self._client is not None, "ready() was not awaited"
        return self._client

    async def _own(self) -> None:
        """The one task that opens, keeps and closes the connection."""
        try:
            await self._keep_open()
        except ServerError as error:
            self._error = error
        except asyncio.CancelledError:
            self._error = ServerError("it was closed while it was being opened", self.ref.name, self._phase)
            raise
        except Exception as error:  # what a transport may raise is not bounded; all of it becomes one error
            self._error = await self._in_our_words(cause(error))
        finally:
            self._settled.set()

    async def _keep_open(self) -> None:
        _ignore_deprecations()
        with anyio.CancelScope() as patience:
            async with AsyncExitStack() as stack:
                async with self._gate:
                    await self._open(stack, patience)
                self._settled.set()
                await self._stop.wait()
        if patience.cancelled_caught:
            raise TimeoutError

    async def _open(self, stack: AsyncExitStack, patience: anyio.CancelScope) -> None:
        """Connect and list. Both within one scope whose deadline moves: the client's own scopes nest in it."""
        timeouts = self.ref.timeouts
        patience.deadline = anyio.current_time() + timeouts.start_seconds
        self._link = make_transport(self.ref, self._surroundings)
        client = await stack.enter_async_context(self._client_on(self._link))
        self._phase = "list"
        patience.deadline = anyio.current_time() + timeouts.list_seconds
        self._learned.take(self.ref, client, [tool async for tool in _all_tools(client)])
        self._describe(client)
        patience.deadline = math.inf
        self._phase = "call"
        self._client = client

    def _client_on(self, link: Transport) -> Client:
        return Client(
            link.target,
            mode=self._learned.version or self.ref.mode or ("auto" if self.ref.transport == "in_process" else "legacy"),
            prior_discover=self._learned.discovered,
            list_roots_callback=callbacks.Roots(self._surroundings.roots),
            elicitation_callback=callbacks.decline,
            cache=None,
        )

    def _describe(self, client: Client) -> None:
        self._listed = self._learned.listed
        self.tools = self._learned.tools
        said = client.server_info
        self.facts = ServerFacts(
            name=self.ref.name,
            implementation=said.name if said else None,
            version=said.version if said else None,
            protocol=client.protocol_version,
            tools_hash=self._learned.tools_hash,
        )

    async def _call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        if self.is_lost:
            raise await self._lost(None)
        try:
            return tool_result(await self._within(self._open_client.call_tool(tool, arguments)))
        except TimeoutError:
            seconds = self.ref.timeouts.call_seconds
            return ToolResult.failure(f"The tool did not answer within {seconds:g} seconds.", "timeout")
        except MCPError as error:
            if self._open_link.note(error):
                raise await self._lost(error) from error
            return ToolResult.failure(f"Error {error.code}: {error.message}", "protocol")
        except ServerError:
            raise
        except Exception as error:  # an invalid reply reaches us as whatever mcp's client raises on it
            return ToolResult.failure(f"The server's reply is invalid: {in_words(cause(error))}", "protocol")

    async def _within(self, request: Any) -> Any:
        """The outcome of a request, in a task of its own: it can be given up although it does not heed a cancellation.

        Raises:
            TimeoutError: it took longer than a call may.
            ServerError: the connection ended meanwhile.
        """
        assert self._owner is not None
        task = asyncio.ensure_future(request)
        try:
            await asyncio.wait(
                {task, self._owner}, timeout=self.ref.timeouts.call_seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if not task.done() and not self._is_over:
                raise TimeoutError
        finally:
            if not task.done():
                task.cancel()
                task.add_done_callback(_look_away)
        if not task.done() or task.cancelled():
            raise await self._lost(None)
        return task.result()

    @property
    def _open_link(self) -> Transport:
        assert self._link is not None
        return self._link

    async def _lost(self, error: MCPError | None) -> ServerError:
        """Why the server can be called no more."""
        if self._error is not None:
            return replace(self._error)
        return await self._explained(error or MCPError(types.CONNECTION_CLOSED, "Connection closed"))

    async def _in_our_words(self, error: BaseException) -> ServerError:
        return error if isinstance(error, ServerError) else await self._explained(error)

    async def _explained(self, error: BaseException) -> ServerError:
        evidence = await self._link.evidence() if self._link else Evidence()
        problem = self._problem(error, evidence)
        hinted = f"{problem}; {evidence.hint}" if evidence.hint else problem
        return ServerError(hinted, self.ref.name, self._phase, evidence.stderr, evidence.returncode)

    def _problem(self, error: BaseException, evidence: Evidence) -> str:
        timeouts = self.ref.timeouts
        if isinstance(error, TimeoutError) and self._phase == "start":
            return f"it did not answer within {timeouts.start_seconds:g} seconds"
        if isinstance(error, TimeoutError) and self._phase == "list":
            return f"it did not list its tools within {timeouts.list_seconds:g} seconds"
        if self._has_died and is_closed_connection(error):
            end = "it closed its stdout" if evidence.returncode is None else "its process ended"
            return end if self._client else f"{end} before it was ready"
        if self.ref.url is not None:
            return f"{public(self.ref.url)}: {in_words(error)}"
        return in_words(error)


async def _all_tools(client: Client) -> AsyncIterator[types.Tool]:
    """Every page of ``tools/list``; nothing from a server that has no tools."""
    seen: set[str] = set()
    cursor: str | None = None
    while True:
        try:
            page = await client.list_tools(cursor=cursor)
        except MCPError as error:
            if error.code == types.METHOD_NOT_FOUND and client.server_capabilities.tools is None:
                return
            raise
        for tool in page.tools:
            yield tool
        cursor = page.next_cursor
        if not cursor:
            return
        if cursor in seen:
            raise ProtocolViolationError(f"tools/list gave the cursor {cursor!r} a second time")
        seen.add(cursor)


def _look_away(task: "asyncio.Task[Any]") -> None:
    """Take what a given-up request ended with, lest asyncio complain that nobody did."""
    if not task.cancelled():
        task.exception()


def _ignore_deprecations() -> None:
    """Servers may use what MCP deprecates; pytest resets the filters for each test, hence again and again."""
    if not warnings.filters or warnings.filters[0][:3] != ("ignore", None, MCPDeprecationWarning):
        warnings.filterwarnings("ignore", category=MCPDeprecationWarning)
