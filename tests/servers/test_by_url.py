"""Servers that are reached by URL: streamable HTTP and SSE on loopback."""

import socket
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.servers.pool import ConnectionPool
from tests.servers.subjects import failure_of, open_connection, text_of, url_server


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with url_server() as url:
        yield url


@pytest.fixture(params=[("http", "/mcp", "legacy"), ("http", "/mcp", "auto"), ("sse", "/sse", "legacy")], ids="-".join)
def server(request: pytest.FixtureRequest, base_url: str) -> ServerRef:
    transport, path, mode = request.param
    return ServerRef(
        name="remote",
        transport=transport,
        url=base_url + path,
        mode=mode,
        headers={"X-Team": "blue"},
        timeouts=ServerTimeouts(call_seconds=1),
    )


@pytest.mark.extra
def test_tools_are_listed_and_called_with_the_configured_headers(server: ServerRef, tmp_path: Path) -> None:
    async def calls() -> tuple[list[str], ToolResult, str]:
        async with open_connection(server, tmp_path) as connection:
            names = [tool.name for tool in connection.tools]
            return (
                names,
                await connection.call("add", {"a": 2, "b": 3}),
                await text_of(connection, "header", name="x-team"),
            )

    names, result, header = anyio.run(calls)
    assert names == ["add", "header", "work", "silent", "die"]
    assert (result.text, result.structured) == ("5", {"result": 5})
    assert header == "blue"


def test_each_attempt_can_have_a_session_of_its_own_that_is_told_its_directory(base_url: str, tmp_path: Path) -> None:
    headers = {"X-Directory": "{sandbox}/mail"}
    server = ServerRef(name="s", transport="http", url=f"{base_url}/mcp", state="per_task", headers=headers)

    async def values() -> list[str]:
        pool = ConnectionPool()
        opened = [pool.connection(server, Sandbox(path=tmp_path / name), tmp_path) for name in ("one", "two")]
        for connection in opened:
            await connection.ready()
        answers = [await text_of(connection, "header", name="x-directory") for connection in opened]
        await pool.close()
        return answers

    assert anyio.run(values) == [f"{tmp_path}/one/mail", f"{tmp_path}/two/mail"]


def test_a_call_that_is_not_answered_is_a_timeout_and_the_next_one_works(server: ServerRef, tmp_path: Path) -> None:
    async def calls() -> tuple[ToolResult, str]:
        async with open_connection(server, tmp_path) as connection:
            return await connection.call("silent", {}), await text_of(connection, "add", a=1, b=1)

    assert anyio.run(calls) == (ToolResult.failure("The tool did not answer within 1 seconds.", "timeout"), "2")


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_refused_connection_names_the_url_without_its_secrets(transport: str, tmp_path: Path) -> None:
    with socket.socket() as taken:
        # Nobody else gets the port, and nothing listens at it.
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        url = f"http://user:word@127.0.0.1:{port}/mcp?key=s3cret"
        server = ServerRef.model_validate({"name": "remote", "transport": transport, "url": url})
        error = failure_of(server, tmp_path)
    assert error.phase == "start"
    assert error.problem == f"http://127.0.0.1:{port}/mcp: ConnectError: All connection attempts failed"


def test_a_malformed_url_is_an_error_of_the_server(tmp_path: Path) -> None:
    error = failure_of(ServerRef(name="web", transport="http", url="http://user:secret@["), tmp_path)
    assert str(error).startswith("server 'web' failed to start: malformed URL (Invalid IPv6 URL): ")


def test_a_page_that_is_no_server_is_told_by_its_status(base_url: str, tmp_path: Path) -> None:
    error = failure_of(ServerRef(name="remote", transport="http", url=f"{base_url}/nothing"), tmp_path)
    assert str(error) == (
        f"server 'remote' failed to start: {base_url}/nothing: it answered with error -32601: Not Found; "
        f"HTTP 404 Not Found from {base_url}/nothing"
    )


@pytest.mark.long
@pytest.mark.parametrize("path", ["/mcp", "/sse"])
def test_a_server_that_dies_in_mid_call_is_an_error_of_the_server(path: str, tmp_path: Path) -> None:
    async def errors(url: str) -> list[ServerError]:
        server = ServerRef(
            name="remote",
            transport="sse" if path == "/sse" else "http",
            url=url + path,
            timeouts=ServerTimeouts(call_seconds=5),
        )
        found = []
        async with open_connection(server, tmp_path) as connection:
            for tool in ("die", "add"):
                with pytest.raises(ServerError) as caught:
                    await connection.call(tool, {"a": 1, "b": 1})
                found.append(caught.value)
        return found

    with url_server() as url:
        found = anyio.run(errors, url)
    assert [(error.server, error.phase) for error in found] == [("remote", "call"), ("remote", "start")]
    assert found[0].problem.startswith(f"{url}{path}: "), found
    assert f"it is left alone for a while, because it failed again: {url}{path}: ConnectError" in found[1].problem
