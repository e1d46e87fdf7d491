"""A request that the old transport, SSE, loses is an error of the server, and no result that an agent reads."""

import json
import queue
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import pytest

from fixtures.faults.http_rows import right_response
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.files import bounded_decoding
from pytest_mcpbench.servers import shared_server
from pytest_mcpbench.servers.pool import ConnectionPool
from tests.servers.subjects import open_connection


class _Handler(BaseHTTPRequestHandler):
    statuses: list[int]
    """Statuses of the responses to the next calls; 0 hangs up."""
    events: "queue.Queue[bytes]"
    sessions: list[str]
    replies: list[bytes] = []  # noqa: RUF012 (each test has a handler of its own)
    """Replies to the next calls, with `ID` in the place of the id."""
    level = 0
    """Compression; without it, events of some size arrive in parts."""

    def do_GET(self) -> None:
        self.sessions.append(self.path)
        type(self).events = events = queue.Queue[bytes]()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        compressor = zlib.compressobj(self.level, wbits=zlib.MAX_WBITS | 16)

        def write(event: bytes) -> None:
            self.wfile.write(compressor.compress(event) + compressor.flush(zlib.Z_SYNC_FLUSH))

        write(b"event: endpoint\ndata: /messages\n\n")
        while event := events.get():
            write(b"event: message\ndata: " + event + b"\n\n")

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = self.statuses.pop(0) if self.statuses and message["method"] == "tools/call" else 202
        if status == 0:
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if status == 202 and "id" in message:
            is_given = self.replies and message["method"] == "tools/call"
            given = self.replies.pop(0).replace(b"ID", str(message["id"]).encode()) if is_given else b""
            self.events.put(given or right_response(message).body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@contextmanager
def server(
    statuses: list[int], replies: list[bytes] | None = None, *, level: int = 0
) -> Iterator[tuple[str, list[str]]]:
    """Yield the URL of a server, and the list of the sessions that clients open."""

    class Handler(_Handler):
        pass

    Handler.statuses, Handler.sessions, Handler.events = statuses, [], queue.Queue()
    Handler.replies, Handler.level = replies or [], level
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}/sse", Handler.sessions
    finally:
        Handler.events.put(b"")
        http.shutdown()
        http.server_close()


@pytest.mark.parametrize(
    ("status", "problem", "sessions"),
    [
        (0, "RemoteProtocolError: Server disconnected without sending a response", 1),
        (502, "HTTP 502 Bad Gateway", 1),
        (404, "the connection was closed; HTTP 404 Not Found from http://", 2),
        (500, "the connection was closed; HTTP 500 Internal Server Error from http://", 2),
    ],
)
def test_a_refused_or_lost_call_is_an_error_of_the_server_and_the_next_call_is_answered(
    status: int, problem: str, sessions: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_server, "FIRST_DELAY_SECONDS", 0.001)

    async def main(url: str) -> str:
        ref = ServerRef(name="old", transport="sse", url=url, timeouts=ServerTimeouts(call_seconds=60))
        pool = ConnectionPool(root=tmp_path)
        try:
            connection = pool.connection(ref, Sandbox(path=tmp_path), tmp_path)
            await connection.ready()
            with pytest.raises(ServerError) as caught:
                await connection.call("echo", {"text": "hi"})
            assert not (await connection.call("echo", {"text": "hi"})).is_error
            return caught.value.problem
        finally:
            await pool.close()

    with server([status]) as (url, opened):
        assert problem in anyio.run(main, url)
        assert len(opened) == sessions


def _reply(size: int, form: str = '{"jsonrpc": "2.0", "id": ID, "result": RESULT}') -> bytes:
    result = json.dumps({"content": [{"type": "text", "text": "x" * size, "_meta": {"id": 77, "jsonrpc": "2.0"}}]})
    return form.replace("RESULT", result).encode()


@pytest.mark.parametrize(
    ("form", "sessions"),
    [
        ('{"jsonrpc": "2.0", "id": ID, "result": RESULT}', 1),
        ('{"result":RESULT,"jsonrpc":"2.0","id":ID}', 1),
        ('{"id":ID,"jsonrpc":"2.0","result":RESULT}', 1),
        # Not of a reply, or not certain.
        ('{"method": "sampling/createMessage", "params": RESULT, "jsonrpc": "2.0", "id": ID}', 2),
        ('{"result": RESULT, "id": ID, "more": "", "jsonrpc": "2.0"}', 2),
    ],
)
def test_a_reply_that_is_too_large_ends_its_call_and_the_connection_only_if_it_does_not_say_which(
    form: str, sessions: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_server, "FIRST_DELAY_SECONDS", 0.001)
    monkeypatch.setattr(bounded_decoding, "LARGEST_BODY", 2_000_000)

    async def main(url: str) -> None:
        ref = ServerRef(name="old", transport="sse", url=url, timeouts=ServerTimeouts(call_seconds=60))
        pool = ConnectionPool(root=tmp_path)
        try:
            connection = pool.connection(ref, Sandbox(path=tmp_path), tmp_path)
            await connection.ready()
            with pytest.raises(ServerError, match=r"its response has more than 1\.91 MB"):
                await connection.call("echo", {"text": "hi"})
            # mcp's client would end the connection at 1 MB.
            assert len((await connection.call("echo", {"text": "hi"})).text) == 1_500_000
            assert not (await connection.call("echo", {"text": "hi"})).is_error
        finally:
            await pool.close()

    with server([], [_reply(2_000_000, form), _reply(1_500_000)]) as (url, opened):
        anyio.run(main, url)
        assert len(opened) == sessions


def test_what_a_server_sends_before_a_large_reply_arrives_before_it(tmp_path: Path) -> None:
    progress = b'{"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": ID, "progress": 1}}'

    async def main(url: str) -> None:
        async with open_connection(ServerRef(name="old", transport="sse", url=url), tmp_path) as connection:
            result = await connection.call("echo", {"text": "hi"})
            assert (len(result.text), result.progress) == (600_000, ("1",))

    with server([], [progress + b"\n\nevent: message\ndata: " + _reply(600_000)], level=9) as (url, _):
        anyio.run(main, url)
