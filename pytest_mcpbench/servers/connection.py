"""Connection to one server, opened, kept open and closed by a task of its own."""

import asyncio
import math
import warnings
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import anyio
import mcp_types as types
from mcp import Client, ClientSession, MCPError
from mcp.client.subscriptions import Subscription, SubscriptionLost
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from pytest_mcpbench.core.chat import CUT_OFF
from pytest_mcpbench.core.errors import CallNotSentError, McpBenchError, ServerError
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.secret_sources import public_url, secrets_of_server
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ContextMethod, ToolResult, ToolSpec
from pytest_mcpbench.definitions.canonical import ServerDefinition, tool_definitions
from pytest_mcpbench.servers.cache import ServerCache
from pytest_mcpbench.servers.context_requests import request_context
from pytest_mcpbench.servers.environment import hint_at_missing_variable
from pytest_mcpbench.servers.failures import (
    CLOSED,
    ConnectionDiagnostics,
    ProtocolViolationError,
    describe_error,
    is_closed_connection,
    loss_of_request,
    root_cause,
)
from pytest_mcpbench.servers.mcp_caches import reuse_adapters
from pytest_mcpbench.servers.open_call import (
    CURRENT,
    OpenCall,
    asking_calls,
    elicit_result,
    elicitation,
    expects_questions,
    sampling,
)
from pytest_mcpbench.servers.pages import every_page
from pytest_mcpbench.servers.results import tool_result, tool_spec
from pytest_mcpbench.servers.server_connection import ServerRespondent
from pytest_mcpbench.servers.tool_tasks import EXTENSION as TASKS
from pytest_mcpbench.servers.tool_tasks import TasksExtension, call_as_task, offers_tasks
from pytest_mcpbench.servers.transports import ConnectionContext, HttpTransport, Transport, make_transport
from pytest_mcpbench.text.json_reading import is_nested_deeper

# Complete lists of a server's tools and resources, which the protocol returns in pages.

ResourcePage = Callable[[str | None], Awaitable[types.ListResourcesResult | None]]


async def all_tools(client: Client) -> AsyncIterator[types.Tool]:
    """Yield the tools of every page of ``tools/list``; nothing for a server that has no tools."""
    try:
        async for page in every_page("tools/list", lambda cursor: client.list_tools(cursor=cursor)):
            for tool in page.tools:
                yield tool
    except MCPError as error:
        # Some servers list tools although they do not declare the capability: so it is tried in any case.
        if error.code != types.METHOD_NOT_FOUND or client.server_capabilities.tools is not None:
            raise


def _require_distinct_names(tools: Iterable[types.Tool]) -> None:
    """Raise ProtocolViolationError if several tools have one name: a call could mean any of them."""
    counts = Counter(tool.name for tool in tools)
    repeated = ", ".join(f"{name!r} ({count} tools)" for name, count in counts.items() if count > 1)
    if repeated:
        raise ProtocolViolationError(f"tools/list has several tools of one name: {repeated}; a name must be unique")


async def all_resource_uris(request_page: ResourcePage) -> frozenset[str]:
    """Return the URIs of every page of ``resources/list``.

    Args:
        request_page: Function that requests the page at a cursor; it returns ``None`` if the server refuses.
    """
    uris: set[str] = set()
    cursors: set[str | None] = set()
    cursor: str | None = None
    while cursor not in cursors:  # a server that repeats a cursor would be asked for ever
        cursors.add(cursor)
        page = await request_page(cursor)
        if page is not None:
            uris.update(str(resource.uri) for resource in page.resources)
            cursor = page.next_cursor or None
    return frozenset(uris)


# Answers of the client to requests of a server, and the capabilities that it declares.

# mcp passes the arguments by name, hence the unused parameters.
# ruff: noqa: ARG002


DECLARED = ("elicitation.form", "elicitation.url", "roots.listChanged", "tasks")
"""Capabilities that are declared by default."""


class _DeclaringClient(Client):
    """Client that declares some capabilities, and not all for which it has a callback."""

    def __init__(self, server: Any, declared: Sequence[str], **options: Any) -> None:
        super().__init__(server, **options)
        self._declared = declared

    async def _build_session(self, exit_stack: AsyncExitStack) -> ClientSession:
        reuse_adapters()
        session = await super()._build_session(exit_stack)
        capabilities: dict[str, dict[str, Any]] = {}
        for name in (f"extensions.{TASKS}" if each == "tasks" else each for each in self._declared):
            kind, _, part = name.partition(".")
            found = capabilities.setdefault(kind, {})
            if part:
                found[part] = True if kind == "roots" else {}
        # In the earlier era clients declare nothing to call tools as tasks.
        modern = types.ClientCapabilities.model_validate(capabilities)
        legacy = modern.model_copy(update={"extensions": None})

        def declared_in(version: str) -> types.ClientCapabilities:
            return modern if version in MODERN_PROTOCOL_VERSIONS else legacy

        session._build_capabilities = declared_in  # type: ignore[method-assign]
        return session


class RootsCallback:
    """Answer to ``roots/list``: the sandbox directory of the attempt; no root for a server that attempts share."""

    def __init__(self, directories: Callable[[], Sequence[Path]]) -> None:
        self._directories = directories

    async def __call__(self, context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(
            roots=[
                types.Root.model_validate({"uri": directory.resolve().as_uri(), "name": directory.name})
                for directory in self._directories()
            ]
        )


Result = TypeVar("Result")

CLOSE_SECONDS = 2.5
"""Time in which a connection may close; after it the connection is abandoned."""
_CANCEL_SECONDS = 1.0
_MODES = {"stdio": ("legacy", "auto"), "http": ("auto", "legacy"), "in_process": ("auto",)}
"""Ways of connecting that are tried one after the other, for a server whose mode is not stated."""
_HANDSHAKE_HINT = 'a server that begins with a handshake has the mode "legacy", or "auto"'
_NO_HANDSHAKE = (types.UNSUPPORTED_PROTOCOL_VERSION, types.METHOD_NOT_FOUND, types.INVALID_PARAMS)
"""Errors with which a server of the modern era answers ``initialize``."""
MOST_ROUNDS = 3
"""Times that a call is made again because the user must open a URL first."""
_DEEPEST_DEFINITION = 150
"""Levels of objects and lists in the definition of a tool; those of real servers have about 20."""

Phase = Literal["configure", "start", "list", "call", "close"]


class Connection:
    """Connection whose tools any task of the event loop may call, also concurrently.

    :meth:`start` creates the task that owns the connection, :meth:`close` ends it.
    """

    # mcp's client must be entered and left in the same task, because its anyio cancel scopes belong to that task. The
    # attempts that use a shared connection come and go, hence the task of its own.

    def __init__(
        self,
        ref: ServerRef,
        context: ConnectionContext,
        start_limit: AbstractAsyncContextManager[Any],
        cache: ServerCache | None = None,
    ) -> None:
        self.ref = ref
        self.tools: tuple[ToolSpec, ...] = ()
        """All tools of the server under its own names, in its own order."""
        self.facts = ServerFacts(name=ref.name)
        self._listed: list[types.Tool] = []
        self._task_tools: frozenset[str] = frozenset()
        """Tools that the server executes as tasks only."""
        self._context = context
        self._start_limit = start_limit
        self._cache = cache or ServerCache()
        self._phase: Phase = "start"
        self._transport: Transport | None = None
        self._client: Client | None = None
        self._error: ServerError | None = None
        self._has_closed = False
        """Whether a request was lost with the connection, which the server's process may show only later."""
        self._has_changed = False
        """Whether the server has told that its tools are others by now."""
        self._settled = asyncio.Event()
        """Set when the connection is ready or has failed."""
        self._stop = asyncio.Event()
        self._call_lock = asyncio.Lock()
        self._open_calls: list[OpenCall] = []
        self._owner: asyncio.Task[None] | None = None

    @property
    def is_lost(self) -> bool:
        """``True`` if the connection was ready and the server is gone."""
        is_gone = self._is_over or self._has_closed or (self._transport is not None and self._transport.is_lost)
        return self._client is not None and is_gone

    @property
    def definition(self) -> ServerDefinition:
        """Return everything that a client learns about the server before the first call.

        Raises:
            ServerError: a definition is nested so deeply that nothing could read it.
        """
        listing = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in self._listed]
        for tool in listing:
            if is_nested_deeper(tool, _DEEPEST_DEFINITION):
                problem = f"the definition of the tool {tool['name']!r} has more than {_DEEPEST_DEFINITION} levels"
                raise ServerError(problem, self.ref.name, "list")
        return ServerDefinition(
            name=self.ref.name,
            tools=tool_definitions(listing),
            instructions=self.facts.instructions,
            implementation=self.facts.implementation,
            protocol=self.facts.protocol,
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return warnings for the server's author about behaviour that only this client tolerates."""
        return self._transport.warnings(self.ref.name) if self._transport is not None else ()

    @property
    def pid(self) -> int | None:
        """Return the id of the server's process, if it is one of this client."""
        return self._transport.pid if self._transport is not None else None

    @property
    def directory(self) -> Path | None:
        """Return the configured working directory of the server's process."""
        configured = self.ref.working_directory
        return (self._context.suite_directory / configured).resolve() if configured else None

    def start(self) -> None:
        """Start to open the connection; :meth:`ready` waits until it is open."""
        self._owner = asyncio.create_task(self._own(), name=f"mcp server {self.ref.name}")

    async def ready(self) -> None:
        """Wait until the tools are listed.

        Raises:
            ServerError: the server could not be started or its tools could not be listed; raised by every call.
        """
        await self._settled.wait()
        if self._error is not None:
            # A copy: an exception that is raised in several tasks would collect the tracebacks of all of them.
            raise replace(self._error)
        if self._client is None:
            raise ServerError("it was not opened", self.ref.name, self._phase)

    async def call(
        self, tool: str, arguments: dict[str, Any], respondent: ServerRespondent | None = None
    ) -> ToolResult:
        """Call a tool and return its result; errors that the agent may read are results.

        Args:
            tool: The server's own name of the tool.
            arguments: Arguments of the call by name.
            respondent: Respondent to what the server asks the user meanwhile; ``None``: every question is declined.

        Raises:
            ServerError: the server is gone, or its reply is not valid MCP.
            McpBenchError: the respondent cannot answer.
        """
        _ignore_deprecations()
        # Before 2026-07-28 a question does not say to which of several calls it belongs.
        is_asked = expects_questions(respondent) and not self._is_modern
        async with self._call_lock if self.ref.sequential or is_asked else nullcontext():
            seconds = self.ref.timeouts.call_seconds
            call = OpenCall(seconds, server=self.ref.name, tool=tool, respondent=respondent)
            self._open_calls.append(call)
            try:
                result = await self._result(lambda: self._request_call(tool, arguments, call), call)
            finally:
                call.close()
                self._open_calls.remove(call)
        asked = {
            "elicitations": tuple(call.elicitations),
            "samplings": tuple(call.samplings),
            "refused_samplings": call.refused_samplings,
            "progress": tuple(call.progress),
        }
        relisted = await self._list_again() if self._has_changed else None
        if relisted is None and not any(asked.values()):
            return result
        return result.model_copy(update={**asked, "relisted": relisted})

    async def _list_again(self) -> tuple[ToolSpec, ...]:
        """Return the tools of a server whose list has changed. Raises ServerError if they cannot be listed."""
        self._has_changed = False
        client = self._open_client

        async def list_all() -> list[types.Tool]:
            return [tool async for tool in all_tools(client)]

        try:
            listed = await self._within_deadline(list_all())
            _require_distinct_names(listed)
        except TimeoutError:
            problem = f"it did not list its changed tools within {self.ref.timeouts.call_seconds:g} seconds"
            raise ServerError(problem, self.ref.name, "list") from None
        except ServerError:
            raise
        except Exception as error:  # mcp's client raises various exceptions for an invalid reply
            raise await self._server_error(root_cause(error)) from error
        self._take_tools(listed, tuple(tool_spec(self.ref.name, tool) for tool in listed))
        return self.tools

    def _take_tools(self, listed: list[types.Tool], tools: tuple[ToolSpec, ...]) -> None:
        self._listed, self.tools = listed, tools
        self._task_tools = frozenset(
            tool.name for tool in listed if tool.execution is not None and tool.execution.task_support == "required"
        )

    async def request(self, method: ContextMethod, arguments: dict[str, Any]) -> ToolResult:
        """Return the answer to a request about resources or prompts; errors that the agent may read are results.

        Raises:
            ServerError: the server is gone, or its reply is not valid MCP.
        """
        _ignore_deprecations()
        call = OpenCall(self.ref.timeouts.call_seconds, server=self.ref.name, tool=method)
        return await self._result(lambda: request_context(self._open_client, method, arguments), call)

    async def has_resource(self, uri: str) -> bool:
        """Return whether the server lists a resource; only the first connection to a server requests the list."""
        # Listed rather than read at once: servers log a failed read to stderr, next to what a user wants to see there.
        return uri in await self.resources()

    async def resources(self) -> frozenset[str]:
        """Return the URIs of the resources that the server lists."""
        if self._cache.resources is None:
            has_resources = self._open_client.server_capabilities.resources is not None
            self._cache.resources = await all_resource_uris(self._resource_page) if has_resources else frozenset()
        return self._cache.resources

    async def read_text(self, uri: str) -> str | None:
        """Return the text of a resource; ``None`` if the server has no such resource."""
        result = await self._request_or_none(self._open_client.read_resource(uri))
        contents = result.contents if result is not None else ()
        return next((part.text for part in contents if isinstance(part, types.TextResourceContents)), None)

    async def close(self) -> None:
        """Close the connection and end its server; return within bounded time."""
        if self._client is not None:
            self._cache.store_validators(self._client)
        self._stop.set()
        if self._owner is None:
            return
        # The owner looks at the stop event only when the connection is open.
        if not self._settled.is_set():
            self._owner.cancel()
        with anyio.CancelScope(shield=True):
            _, late = await asyncio.wait({self._owner}, timeout=CLOSE_SECONDS)
            for task in late:
                task.cancel()
                await asyncio.wait({task}, timeout=_CANCEL_SECONDS)

    async def _resource_page(self, cursor: str | None) -> types.ListResourcesResult | None:
        return await self._request_or_none(self._open_client.list_resources(cursor=cursor))

    async def _request_or_none(self, request: Coroutine[Any, Any, Result]) -> Result | None:
        """Return the answer to a request about resources; ``None`` if the server refuses or its answer is invalid.

        Raises:
            ServerError: the server does not answer, or is gone.
        """
        try:
            return await self._within_deadline(request)
        except TimeoutError:
            seconds = self.ref.timeouts.call_seconds
            problem = f"it did not answer about its resources within {seconds:g} seconds"
            raise ServerError(problem, self.ref.name, self._phase) from None
        except ServerError:
            raise
        except Exception as error:  # mcp's client raises various exceptions for an invalid reply
            if isinstance(error, MCPError):
                await self._require_connection(error)
            return None

    @property
    def _is_over(self) -> bool:
        return self._owner is not None and self._owner.done()

    @property
    def _open_client(self) -> Client:
        assert self._client is not None, "ready() was not awaited"
        return self._client

    @property
    def _open_transport(self) -> Transport:
        assert self._transport is not None
        return self._transport

    async def _own(self) -> None:
        """Open the connection, keep it open and close it; record why it failed."""
        try:
            await self._keep_open()
        except ServerError as error:
            self._error = error
        except asyncio.CancelledError:
            self._error = ServerError("it was closed while it was being opened", self.ref.name, self._phase)
            raise
        except BaseException as error:  # a transport, or a server in this process, may raise any exception
            cause = root_cause(error)
            self._error = cause if isinstance(cause, ServerError) else await self._server_error(cause)
        finally:
            self._settled.set()

    async def _keep_open(self) -> None:
        _ignore_deprecations()
        # One scope whose deadline is moved from step to step, around the client and not inside it: cancel scopes must
        # be left in the reverse order of their entry, and the client keeps scopes open from its entry to its exit.
        with anyio.CancelScope() as deadline_scope:
            async with AsyncExitStack() as stack:
                async with self._start_limit:
                    await self._open(stack, deadline_scope)
                self._settled.set()
                await self._stop.wait()
        if deadline_scope.cancelled_caught:
            raise TimeoutError

    async def _open(self, stack: AsyncExitStack, deadline_scope: anyio.CancelScope) -> None:
        """Connect and list the tools, each within its own deadline."""
        timeouts = self.ref.timeouts
        deadline_scope.deadline = anyio.current_time() + timeouts.start_seconds
        client = await self._connect(stack)
        if isinstance(self._transport, HttpTransport):
            self._transport.settle_era(is_modern=client.session.discover_result is not None)
        self._phase = "list"
        deadline_scope.deadline = anyio.current_time() + timeouts.list_seconds
        listed = [tool async for tool in all_tools(client)]
        _require_distinct_names(listed)
        self._cache.update(self.ref, client, listed)
        self._record_facts(client)
        await self._listen(stack, client)
        deadline_scope.deadline = math.inf
        self._phase = "call"
        self._client = client

    async def _hear(self, message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._has_changed = True

    async def _listen(self, stack: AsyncExitStack, client: Client) -> None:
        """Ask a server of the modern era to tell when its tools change; one of the earlier era does so unasked.

        A server in this process is not asked, because that would cost each attempt more than a call.
        """
        tools = client.server_capabilities.tools
        is_silent = client.session.discover_result is None or self.ref.transport == "in_process"
        if is_silent or tools is None or not tools.list_changed:
            return
        try:
            subscription = await stack.enter_async_context(client.listen(tools_list_changed=True))
        except (MCPError, SubscriptionLost):  # it declares what it does not do
            return
        follower = asyncio.create_task(self._follow(subscription))
        stack.callback(follower.cancel)

    async def _follow(self, subscription: Subscription) -> None:
        with suppress(SubscriptionLost):
            async for _ in subscription:
                self._has_changed = True

    async def _connect(self, stack: AsyncExitStack) -> Client:
        """Connect in the era of the protocol that the server speaks, which its cache remembers.

        A probe for the modern era is cheap over HTTP. On stdio a server that ignores it would cost ten seconds, and one
        that speaks both eras might ask its user in the earlier one only: there the handshake comes first. A server that
        cannot stand what is tried first is connected to again, and one that says it speaks the modern era has more time
        than mcp's client gives to a probe.
        """
        known = self._cache.version
        mode = self.ref.mode
        if mode in (None, "auto") and self._cache.is_modern is not None:
            mode = "modern" if self._cache.is_modern else "legacy"
        if known is not None or mode == "legacy":
            return await stack.enter_async_context(self._new_client(known or "legacy"))
        if mode == "modern":
            return await self._connect_without_handshake(stack)
        modes = _MODES.get(self.ref.transport, ("legacy",)) if mode is None else ("auto",)
        for tried in modes:
            try:
                return await stack.enter_async_context(self._new_client(tried))
            except Exception as error:
                cause = root_cause(error)
                if _names_modern_version(cause):
                    break
                if tried == modes[-1] or not _speaks_another_era(cause, tried):
                    raise
        return await self._connect_without_handshake(stack)

    async def _connect_without_handshake(self, stack: AsyncExitStack) -> Client:
        """Connect in the modern era, in which a server may take the whole time of its start to answer discovery."""
        client = await stack.enter_async_context(self._new_client(LATEST_MODERN_VERSION))
        try:
            result = await client.session.send_request(types.DiscoverRequest(), types.DiscoverResult)
        except MCPError as error:
            if is_closed_connection(error) or loss_of_request(error):
                raise
            problem = f"it answers server/discover with error {error.code}: {error.message}"
            raise ProtocolViolationError(f"{problem}; {_HANDSHAKE_HINT}") from error
        if not set(result.supported_versions) & set(MODERN_PROTOCOL_VERSIONS):
            spoken = ", ".join(result.supported_versions) or "no version"
            raise ProtocolViolationError(f"its answer to server/discover names {spoken}; {_HANDSHAKE_HINT}")
        client.session.adopt(result)
        return client

    def _new_client(self, mode: str) -> Client:
        self._transport = make_transport(self.ref, self._context)
        declared = DECLARED if self.ref.capabilities is None else self.ref.capabilities
        names = {name.partition(".")[0] for name in declared}
        return _DeclaringClient(
            self._transport.target,
            declared,
            mode=mode,
            prior_discover=self._cache.discovery(self._transport.target),
            list_roots_callback=RootsCallback(self._context.roots) if "roots" in names else None,
            elicitation_callback=self._elicit if "elicitation" in names else None,
            sampling_callback=self._sample,
            message_handler=self._hear,
            extensions=[TasksExtension()] if "tasks" in declared else None,
            # mcp would return the results of some requests from its cache: a benchmark must see every one.
            cache=None,
        )

    def _record_facts(self, client: Client) -> None:
        self._take_tools(self._cache.listed, self._cache.tools)
        info = client.server_info
        self.facts = ServerFacts(
            name=self.ref.name,
            implementation=info.name if info else None,
            version=info.version if info else None,
            protocol=client.protocol_version,
            tools_hash=self._cache.tools_hash,
            instructions=client.instructions or "",
            capabilities=tuple(client.server_capabilities.model_dump(by_alias=True, exclude_none=True)),
        )

    @property
    def _is_modern(self) -> bool:
        """Return whether the server speaks the protocol without sessions, of 2026-07-28 or later."""
        return self._client is not None and self._client.session.discover_result is not None

    async def _elicit(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Answer a question of the server to the user; outside of calls there is nobody to ask."""
        answers = [await call.answer(elicitation(params)) for call in asking_calls(self._open_calls)]
        return elicit_result(answers[0]) if answers else types.ElicitResult(action="decline")

    async def _sample(
        self, context: Any, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.ErrorData:
        """Ask the model that answers servers; without one the request is refused, and noted with the call."""
        answers = [await call.sample(sampling(params)) for call in asking_calls(self._open_calls)]
        sampled = answers[0] if answers else None
        if sampled is None:
            return types.ErrorData(code=types.INVALID_REQUEST, message="Sampling not supported")
        stop = "maxTokens" if sampled.finish_reason in CUT_OFF else "endTurn"
        content = types.TextContent(text=sampled.reply)
        return types.CreateMessageResult(role="assistant", content=content, model=sampled.model, stop_reason=stop)

    async def _request_call(self, tool: str, arguments: dict[str, Any], call: OpenCall) -> ToolResult:
        """Return the result of a call, which is made again after the user has opened the URLs that it needs."""
        CURRENT.set(call)
        for _ in range(MOST_ROUNDS):
            try:
                return await self._call_once(tool, arguments, call)
            except MCPError as error:
                if error.code != types.URL_ELICITATION_REQUIRED or not await _opens_urls(error, call):
                    raise
        return await self._call_once(tool, arguments, call)

    async def _call_once(self, tool: str, arguments: dict[str, Any], call: OpenCall) -> ToolResult:
        client = self._open_client
        if tool in self._task_tools and offers_tasks(client):
            return tool_result(await call_as_task(client, tool, arguments, call))
        try:
            return tool_result(await client.call_tool(tool, arguments, progress_callback=call.note_progress))
        except MCPError as error:
            if tool in self._task_tools and error.code == types.METHOD_NOT_FOUND:
                missing = "the server does not declare `tasks.requests.tools.call`"
                problem = f"its tool {tool!r} runs only as a task (`taskSupport: required`), and {missing}"
                raise ServerError(problem, self.ref.name, "call") from error
            raise

    async def _result(self, request: Callable[[], Coroutine[Any, Any, ToolResult]], call: OpenCall) -> ToolResult:
        """Return the result of a request, as an error if it is one that an agent may read."""
        if self.is_lost:
            loss = await self.loss()
            raise CallNotSentError(loss.problem, loss.server, loss.phase, loss.stderr, loss.returncode)
        try:
            return await self._within_deadline(request(), call)
        except TimeoutError as error:
            await self._require_readable_reply(error)
            seconds = self.ref.timeouts.call_seconds
            return ToolResult.failure(f"The tool did not answer within {seconds:g} seconds.", "timeout")
        except MCPError as error:
            await self._require_connection(error)
            await self._require_readable_reply(error)
            return ToolResult.failure(f"Error {error.code}: {error.message}", "protocol")
        except McpBenchError:
            raise
        except ValidationError as error:
            raise await self._server_error(error) from error
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:  # nothing takes what is to be sent
            closed = MCPError(types.CONNECTION_CLOSED, CLOSED)
            self._open_transport.report_error(closed)
            raise await self.loss(closed) from error
        except Exception as error:  # mcp's client raises various exceptions for a result that breaks the tool's schema
            return ToolResult.failure(f"The server's reply is invalid: {describe_error(root_cause(error))}", "protocol")

    async def _require_connection(self, error: MCPError) -> None:
        """Raise ServerError if an error means that the connection or this one request is lost."""
        if loss_of_request(error):
            raise await self._server_error(error) from error
        if self._open_transport.report_error(error):
            raise await self.loss(error) from error

    async def _require_readable_reply(self, error: Exception) -> None:
        """Raise ServerError if the server sent something that nobody can read in place of the reply."""
        if self._open_transport.lost_reply(error):
            raise await self._server_error(error) from None

    async def _within_deadline(self, request: Coroutine[Any, Any, Result], call: OpenCall | None = None) -> Result:
        """Return the result of a request.

        Raises:
            TimeoutError: the request took longer than a call may take.
            ServerError: the connection ended during the request.
            McpBenchError: nobody can answer what the server asks the user.
        """
        call = call or OpenCall(self.ref.timeouts.call_seconds)
        assert self._owner is not None
        # In a task of its own and without a cancel scope: a request that does not react to its cancellation is
        # abandoned, and the caller goes on at once. The owner ends if the server dies, even if nothing else tells.
        task = asyncio.ensure_future(self._survive(request))
        try:
            ends: set[asyncio.Future[Any]] = {task, self._owner, call.over}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if call.error is not None:
                raise call.error
            if not task.done() and not self._is_over:
                raise TimeoutError
        finally:
            call.close()
            if not task.done():
                task.cancel()
                task.add_done_callback(_retrieve_exception)
        if not task.done() or task.cancelled():
            raise await self.loss()
        return task.result()

    async def _survive(self, request: Coroutine[Any, Any, Result]) -> Result:
        """Return the result of a request. Raises ServerError if the server, in this process, tries to end it."""
        try:
            return await request
        except (Exception, asyncio.CancelledError):
            raise
        except BaseException as error:  # such as SystemExit, with which asyncio would leave the event loop
            raise ServerError(describe_error(root_cause(error)), self.ref.name, self._phase) from error

    async def loss(self, error: MCPError | None = None) -> ServerError:
        """Take the connection for lost and return the error that explains why the server cannot be called any more."""
        self._has_closed = True
        if self._error is not None:
            return replace(self._error)
        return await self._server_error(error or MCPError(types.CONNECTION_CLOSED, CLOSED))

    async def _server_error(self, error: BaseException) -> ServerError:
        diagnostics = await self._transport.diagnostics() if self._transport else ConnectionDiagnostics()
        lost_reply = self._transport.lost_reply(error) if self._transport else ""
        problem = lost_reply or self._problem(error, diagnostics)
        error_class = loss_of_request(error)
        hints = [] if lost_reply or error_class else [diagnostics.hint, self._hint_at_definition(error, diagnostics)]
        return (error_class or ServerError)(
            # The server may have written any text of it: into an error, a status line, an exception.
            secrets_of_server(self.ref).remove("; ".join(filter(None, (problem, *hints)))),
            self.ref.name,
            self._phase,
            diagnostics.stderr,
            # A server that is given up ends because of that, which explains nothing.
            None if lost_reply else diagnostics.returncode,
        )

    def _hint_at_definition(self, error: BaseException, diagnostics: ConnectionDiagnostics) -> str:
        """Return what to change in the server's definition; empty if that is not known."""
        if isinstance(error, TimeoutError) and self._phase in ("start", "list"):
            era = f"; {_HANDSHAKE_HINT}" if self.ref.mode == "modern" and self._phase == "start" else ""
            return f"if it needs longer, raise `timeouts: {{{self._phase}_seconds: …}}` of the server{era}"
        # Over HTTP the code stands for any page that is not found.
        is_refused = isinstance(error, MCPError) and error.code in _NO_HANDSHAKE
        if is_refused and self._phase == "start" and self.ref.transport == "stdio":
            modern = f'if it speaks {LATEST_MODERN_VERSION} only, set `mode = "modern"`'
            return (
                f"{modern}; server/discover may then take the time of a start" if self.ref.mode != "legacy" else modern
            )
        if self.ref.transport == "stdio" and self._client is None:
            return hint_at_missing_variable(diagnostics.stderr, self.ref.environment)
        return ""

    def _problem(self, error: BaseException, diagnostics: ConnectionDiagnostics) -> str:
        timeouts = self.ref.timeouts
        if isinstance(error, TimeoutError) and self._phase == "start":
            what = " server/discover" if self.ref.mode == "modern" else ""
            return f"it did not answer{what} within {timeouts.start_seconds:g} seconds"
        if isinstance(error, TimeoutError) and self._phase == "list":
            return f"it did not list its tools within {timeouts.list_seconds:g} seconds"
        has_died = self.ref.transport == "stdio" and self._transport is not None and self._transport.is_lost
        if has_died and is_closed_connection(error):
            end = "it closed its stdout" if diagnostics.returncode is None else "its process ended"
            return end if self._client else f"{end} before it was ready"
        if self.ref.url is not None:
            return f"{public_url(self.ref.url)}: {describe_error(error)}"
        return describe_error(error)


def _names_modern_version(error: BaseException) -> bool:
    """Return whether a server has refused the handshake and names a version without one instead."""
    if not isinstance(error, MCPError) or error.code != types.UNSUPPORTED_PROTOCOL_VERSION:
        return False
    try:
        named = types.UnsupportedProtocolVersionErrorData.model_validate(error.error.data).supported
    except ValidationError:
        return False
    return any(version in MODERN_PROTOCOL_VERSIONS for version in named)


def _speaks_another_era(error: BaseException, tried: str) -> bool:
    """Return whether the error with which a connection failed may be the answer to the era that was tried."""
    if tried == "legacy":
        return isinstance(error, MCPError) and error.code in _NO_HANDSHAKE
    # An answer to the probe, even an error, is followed by the handshake on the same connection.
    return not isinstance(error, MCPError)


async def _opens_urls(error: MCPError, call: OpenCall) -> bool:
    """Return whether the user opens all addresses that a call needs; ``False`` for an error that names none."""
    try:
        asked = types.ElicitationRequiredErrorData.model_validate(error.error.data).elicitations
    except ValidationError:
        return False
    answers = [await call.answer(elicitation(params)) for params in asked]
    return bool(answers) and all(answer.action == "accept" for answer in answers)


def _retrieve_exception(task: "asyncio.Task[Any]") -> None:
    """Retrieve the exception of an abandoned request, so that asyncio does not log that nobody did."""
    if not task.cancelled():
        task.exception()


def _ignore_deprecations() -> None:
    """Ignore warnings about deprecated features of MCP, which servers may use."""
    # Before each use, because pytest resets the filters for each test; the first entry shows whether it has.
    if not warnings.filters or warnings.filters[0][:3] != ("ignore", None, MCPDeprecationWarning):
        warnings.filterwarnings("ignore", category=MCPDeprecationWarning)
