"""The REST interface of MCP-Atlas's container, played on loopback as its source documents it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.files.bounded_decoding import LARGEST_BODY
from pytest_mcpbench.loaders.mcp_json import read_mcp_json
from tests.servers.subjects import open_connection

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
PIXEL = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


def _tool(name: str) -> dict[str, Any]:
    # FastMCP derives an output schema, and the REST interface drops the structured content that belongs to it.
    return {"name": name, "description": f"Does {name}.", "inputSchema": SCHEMA, "outputSchema": {"type": "object"}}


class Container:
    """Answers of the container, and the requests that it got."""

    def __init__(self, *servers: str, offline: tuple[str, ...] = ()) -> None:
        self.requests: list[tuple[str, Any]] = []
        is_single = len(servers) == 1 and not offline
        self.tools = [
            _tool(name if is_single else f"{server}_{name}") for server in servers for name in ("read", "a_b")
        ]
        self.states = [*([name, "OK"] for name in servers), *([name, "ERROR_NOT_ONLINE"] for name in offline)]
        self.answers: dict[str, tuple[int, Any]] = {}
        """Answers to calls by exposed name; any other call echoes its arguments."""

    def answer(self, path: str, body: Any) -> tuple[int, Any]:
        self.requests.append((path, body))
        if path == "/list-tools":
            return 200, self.tools
        if path == "/enabled-servers":
            return 200, {"mode": "local", "servers": self.states, "total": len(self.states)}
        echo = [{"type": "text", "text": json.dumps(body["tool_args"])}]
        return self.answers.get(body["tool_name"], (200, echo))


@contextmanager
def _serve(answer: Callable[[str, Any], tuple[int, Any]]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, content = answer(self.path, json.loads(body) if body else None)
            sent = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _ref(url: str, name: str = "filesystem") -> ServerRef:
    file = json.dumps({"mcpServers": {name: {"type": "atlas", "url": url}}})
    return read_mcp_json(file, "mcp.json", {}).servers[name]


def _run(container: Container, *calls: str, name: str = "filesystem", query: str = "") -> tuple[list[str], list[Any]]:
    """Return the tools that a server of the container offers, and the results of calls."""

    async def play(url: str, directory: Path) -> tuple[list[str], list[Any]]:
        async with open_connection(_ref(url + query, name), directory) as connection:
            results = [await connection.call(tool, {"path": "/data"}) for tool in calls]
            return [tool.name for tool in connection.tools], results

    with _serve(container.answer) as url:
        return anyio.run(play, url, Path.cwd())


def test_one_server_of_the_container_offers_its_tools_under_their_own_names() -> None:
    container = Container("weather", "filesystem", "weather-data")
    tools, (result,) = _run(container, "a_b", name="weather")
    assert (tools, result.text, result.is_error) == (["read", "a_b"], '{"path": "/data"}', False)
    body = {"tool_name": "weather_a_b", "tool_args": {"path": "/data"}, "use_cache": False}
    assert container.requests[-1] == ("/call-tool", body)


def test_the_containers_cache_of_results_can_be_used() -> None:
    container = Container("filesystem", "git")
    _run(container, "read", query="?use_cache=true")
    assert container.requests[-1][1]["use_cache"] is True


def test_the_only_server_of_a_container_has_tools_without_a_prefix() -> None:
    container = Container("filesystem")
    assert _run(container, "read")[0] == ["read", "a_b"]
    assert container.requests[-1][1]["tool_name"] == "read"


def test_a_call_that_failed_is_a_result_that_the_agent_reads() -> None:
    container = Container("filesystem", "git")
    detail = "Failed to call tool 'filesystem_read': ENOENT: no such file or directory"
    container.answers["filesystem_read"] = (500, {"detail": detail})
    _, (failed, fine) = _run(container, "read", "a_b")
    assert failed == ToolResult.failure(detail, "tool")
    assert not fine.is_error


def test_results_other_than_text_arrive() -> None:
    container = Container("filesystem", "git")
    container.answers["filesystem_read"] = (200, [PIXEL, {"type": "text", "text": "done", "isError": False}])
    _, (result,) = _run(container, "read")
    assert [(block.type, block.data or block.text) for block in result.content] == [("image", "aGk="), ("text", "done")]


@pytest.mark.parametrize(
    ("container", "problem"),
    [
        (Container("git", "fetch"), "the container does not run it; it runs: git, fetch (see ENABLED_SERVERS)"),
        (Container("git", offline=("filesystem",)), "the container lists no tool of it and says ERROR_NOT_ONLINE"),
        (Container(), "the container does not run it; it runs: none (see ENABLED_SERVERS)"),
    ],
    ids=["not enabled", "offline", "empty"],
)
def test_a_server_that_the_container_does_not_offer_is_an_error_of_the_server(
    container: Container, problem: str
) -> None:
    with pytest.raises(ServerError, match="failed to list") as caught:
        _run(container)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("status", "content", "problem"),
    [
        (502, b"<h1>Bad Gateway</h1>", "/call-tool: HTTP 502: <h1>Bad Gateway</h1>"),
        (500, b"Internal Server Error", "/call-tool: HTTP 500: Internal Server Error"),
        (500, {"detail": "Failed to call tool 'x': Client failed to connect: closed"}, "Client failed to connect"),
        (200, b"<html>", "the response is not JSON"),
        (200, b"[" * 100_000, "the response is not JSON"),
        (200, b"[" + b" " * LARGEST_BODY + b"]", "/call-tool: its response has more than 64 MB"),
    ],
    ids=["gateway", "crash", "server gone", "not JSON", "deep", "large"],
)
def test_a_container_that_does_not_work_is_an_error_and_no_result(status: int, content: Any, problem: str) -> None:
    container = Container("filesystem", "git")
    container.answers["filesystem_read"] = (status, content)
    with pytest.raises(ServerError, match="failed to call") as caught:
        _run(container, "read")
    assert problem in str(caught.value)


def test_a_container_that_is_not_there_is_an_error_with_its_url(tmp_path: Path) -> None:
    async def connect(url: str) -> None:
        async with open_connection(_ref(url), tmp_path):
            pass

    with _serve(Container().answer) as url:
        pass
    with pytest.raises(ServerError, match=f"{url}/list-tools: ConnectError"):
        anyio.run(connect, url.replace("//", "//user:secret@"))
