"""Transport to one server of MCP-Atlas's container ``agent-environment``, which has a REST interface instead of MCP.

The interface (``services/agent-environment`` of the authors' repository): ``POST /list-tools`` returns the tools of all
servers, named ``<server>_<tool>``; ``POST /call-tool`` returns content blocks, or status 500 with a ``detail`` for a
call that failed; ``GET /enabled-servers`` returns the state of each server.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import mcp_types as types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from pydantic import TypeAdapter, ValidationError

from pytest_mcpbench.core.frozen import DEFERRED
from pytest_mcpbench.core.secret_sources import public_url, secrets_of_server
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.files.bounded_decoding import ENCODINGS, BodyError
from pytest_mcpbench.servers.failures import ConnectionDiagnostics, is_closed_connection
from pytest_mcpbench.servers.http_replies import HttpReplies, http_timeout
from pytest_mcpbench.text.json_reading import read_json

if TYPE_CHECKING:
    import httpx2

Request = ServerRequestContext[Any]

_CONTENT: TypeAdapter[list[types.ContentBlock]] = TypeAdapter(list[types.ContentBlock], config=DEFERRED)
_UNREACHABLE = "Client failed to connect"
"""Text of a failed call whose server is not connected to the container any more (FastMCP)."""


class AtlasTransport:
    """MCP server object that forwards to the container; it is lost if the container does not answer as documented."""

    pid: int | None = None

    def __init__(self, ref: ServerRef) -> None:
        url = urlsplit(str(ref.url))
        self.is_lost = False
        self.target = Server(
            ref.name, lifespan=self._lifespan, on_list_tools=self._list_tools, on_call_tool=self._call_tool
        )
        self._ref = ref
        self._base = url._replace(path=url.path.rstrip("/"), query="", fragment="").geturl()
        self._uses_cache = parse_qs(url.query).get("use_cache") == ["true"]
        self._prefix = f"{ref.name}_"
        self._problem = ""
        self._client: httpx2.AsyncClient | None = None

    def warnings(self, _server: str) -> tuple[str, ...]:
        return ()

    def report_error(self, error: MCPError) -> bool:
        return is_closed_connection(error)

    def lost_reply(self, _error: BaseException) -> str:
        return ""

    async def diagnostics(self) -> ConnectionDiagnostics:
        return ConnectionDiagnostics(hint=self._problem)

    @asynccontextmanager
    async def _lifespan(self, _server: Server[Any]) -> AsyncIterator[None]:
        import httpx2

        timeout = http_timeout(self._ref.timeouts.start_seconds)
        headers = {"Accept-Encoding": ENCODINGS, **self._ref.headers}
        hooks = {"response": [_bound_body]}
        async with httpx2.AsyncClient(headers=headers, timeout=timeout, event_hooks=hooks) as self._client:
            yield None

    async def _list_tools(self, _request: Request, _page: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        listed = await self._json("POST", "/list-tools")
        own = [tool for tool in listed if tool["name"].startswith(self._prefix)]
        if not own:
            states = dict((await self._json("GET", "/enabled-servers"))["servers"])
            if list(states) != [self._ref.name]:
                if self._ref.name in states:
                    problem = f"the container lists no tool of it and says {states[self._ref.name]}"
                else:
                    there_are = ", ".join(states) or "none"
                    problem = f"the container does not run it; it runs: {there_are} (see ENABLED_SERVERS)"
                raise MCPError(types.INTERNAL_ERROR, problem)
            # FastMCP adds no prefix if the container has one server only.
            self._prefix, own = "", listed
        tools = []
        for tool in own:
            # Under the server's own name, without the schema of structured results, which never arrive.
            shown = {key: value for key, value in tool.items() if key != "outputSchema"}
            shown["name"] = tool["name"].removeprefix(self._prefix)
            tools.append(types.Tool.model_validate(shown))
        return types.ListToolsResult(tools=tools)

    async def _call_tool(self, _request: Request, call: types.CallToolRequestParams) -> types.CallToolResult:
        body = {
            "tool_name": f"{self._prefix}{call.name}",
            "tool_args": call.arguments or {},
            "use_cache": self._uses_cache,
        }
        response = await self._send("POST", "/call-tool", body)
        failure = _failure(response)
        if failure is not None:
            return types.CallToolResult(content=[types.TextContent(text=failure)], is_error=True)
        try:
            return types.CallToolResult(content=_CONTENT.validate_python(self._decoded(response)))
        except ValidationError as error:
            raise MCPError(types.INTERNAL_ERROR, f"the result is not a list of MCP content blocks: {error}") from None

    async def _json(self, method: str, path: str) -> Any:
        return self._decoded(await self._send(method, path))

    async def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> "httpx2.Response":
        import httpx2

        assert self._client is not None
        try:
            return await self._client.request(method, self._base + path, json=body)
        except httpx2.HTTPError as error:
            raise self._loss(f"{path}: {type(error).__name__}: {error}") from error
        except BodyError as error:
            raise self._loss(f"{path}: {error}") from None

    def _decoded(self, response: "httpx2.Response") -> Any:
        """Return the JSON of a response; anything else means that the container does not work."""
        path = response.request.url.path
        if not response.is_success:
            raise self._loss(f"{path}: HTTP {response.status_code}: {self._shorten(response.text)}")
        try:
            return read_json(response.content)
        except ValueError as error:
            problem = f"the response is not JSON: {self._shorten(response.text)!r} ({error})"
            raise self._loss(f"{path}: {problem}") from None

    def _shorten(self, text: str) -> str:
        return secrets_of_server(self._ref).shorten(text, 500)

    def _loss(self, problem: str) -> MCPError:
        self.is_lost = True
        self._problem = f"{public_url(self._base)}{problem}"
        return MCPError(types.CONNECTION_CLOSED, "Connection closed")


def _failure(response: "httpx2.Response") -> str | None:
    """Return the text of a failed call, which the agent reads; ``None`` for any other response."""
    if response.status_code != 500:
        return None
    try:
        content = read_json(response.content)
    except ValueError:
        return None
    detail = content.get("detail") if isinstance(content, dict) else None
    return detail if isinstance(detail, str) and _UNREACHABLE not in detail else None


async def _bound_body(response: "httpx2.Response") -> None:
    HttpReplies().watch_body(response)
