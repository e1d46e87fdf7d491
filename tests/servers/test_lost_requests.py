"""A network that loses one request of a shared server at a URL costs that request, and no other."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest

from fixtures.chat_server import HANGS_UP, Answer, ChatServer, chat_server
from fixtures.faults.http_rows import right_response
from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.files import bounded_decoding
from pytest_mcpbench.servers import shared_server
from pytest_mcpbench.servers.pool import ConnectionPool
from pytest_mcpbench.servers.server_connection import ServerConnection
from pytest_mcpbench.servers.shared_server import MOST_FAILURES, MOST_SENDS

_EVENTS = {"Content-Type": "text/event-stream"}
_LOSSES = {
    "before the reply": HANGS_UP,
    "in the reply": Answer(body=b'{"jsonrpc":', headers={"Content-Type": "application/json"}, declared_length=500),
    "in an event": Answer(body=b"event: message\ndata: {", headers=_EVENTS, declared_length=500),
    "before an event": Answer(body=b": wait\n\n", headers=_EVENTS),
    "by a gateway": Answer(502, b"<html>"),
}


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_server, "FIRST_DELAY_SECONDS", 0.001)
    monkeypatch.setattr(shared_server, "FIRST_PAUSE_SECONDS", 60.0)


@pytest.fixture
def losses() -> list[Answer]:
    """Responses to the next calls of a tool in place of right ones."""
    return []


@contextmanager
def server(losses: list[Answer], *, is_repeatable: bool = True, waits: Event | None = None) -> Iterator[ChatServer]:
    """Yield a server whose call with the text "wait" is answered once the event is set."""

    def respond(request: dict[str, Any]) -> Answer:
        answer = right_response(request)
        if request["method"] == "tools/list" and is_repeatable:
            return Answer(
                body=answer.body.replace(b'"name": "echo"', b'"name": "echo", "annotations": {"readOnlyHint": true}'),
                headers=answer.headers,
            )
        if request["method"] == "notifications/cancelled" and losses:
            return losses.pop(0)
        if request["method"] != "tools/call":
            return answer
        if request["params"]["arguments"]["text"] == "wait":
            assert waits is not None
            waits.wait(10)
            return answer
        return losses.pop(0) if losses else answer

    with chat_server(respond) as peer:
        yield peer


def methods(peer: ChatServer) -> list[str]:
    return [body["method"] for body in peer.bodies]


def use(peer: ChatServer, scenario: Callable[[ConnectionPool, ServerConnection], Any], directory: Path) -> Any:
    ref = ServerRef(name="far", transport="http", url=peer.url, mode="legacy", timeouts=ServerTimeouts(call_seconds=9))

    async def main() -> Any:
        pool = ConnectionPool(root=directory)
        try:
            connection = pool.connection(ref, Sandbox(path=directory), directory)
            await connection.ready()
            return await scenario(pool, connection)
        finally:
            await pool.close()

    return anyio.run(main)


@pytest.mark.parametrize("loss", _LOSSES.values(), ids=_LOSSES)
def test_a_lost_reply_is_asked_for_again_while_other_calls_go_on(
    loss: Answer, losses: list[Answer], tmp_path: Path
) -> None:
    waits = Event()
    losses.append(loss)

    async def scenario(pool: ConnectionPool, connection: ServerConnection) -> list[bool]:
        results = {}

        async def call(text: str) -> None:
            results[text] = await connection.call("echo", {"text": text})

        async with anyio.create_task_group() as group:
            group.start_soon(call, "wait")
            await anyio.wait_all_tasks_blocked()
            await call("hi")
            waits.set()
        assert [result.is_error for result in results.values()] == [False, False]
        assert pool.take_restarts() == {}
        return [results[text].was_repeated for text in ("hi", "wait")]

    with server(losses, waits=waits) as peer:
        assert use(peer, scenario, tmp_path) == [True, False]
        assert (methods(peer).count("initialize"), methods(peer).count("tools/call")) == (1, 3)


@pytest.mark.parametrize("loss", _LOSSES.values(), ids=_LOSSES)
def test_a_lost_call_that_may_have_changed_something_is_an_error_and_the_connection_remains(
    loss: Answer, losses: list[Answer], tmp_path: Path
) -> None:
    losses.append(loss)

    async def scenario(_pool: ConnectionPool, connection: ServerConnection) -> str:
        with pytest.raises(ServerError, match="'echo' was not called again") as caught:
            await connection.call("echo", {"text": "hi"})
        assert not (await connection.call("echo", {"text": "hi"})).is_error
        return caught.value.problem

    with server(losses, is_repeatable=False) as peer:
        assert use(peer, scenario, tmp_path).startswith(f"{peer.url}: ")
        assert (methods(peer).count("initialize"), methods(peer).count("tools/call")) == (1, 2)


def test_a_call_that_was_refused_unread_is_made_again_whatever_its_tool(losses: list[Answer], tmp_path: Path) -> None:
    losses += [Answer(429)] * 2

    async def scenario(_pool: ConnectionPool, connection: ServerConnection) -> bool:
        return (await connection.call("echo", {"text": "hi"})).was_repeated

    with server(losses, is_repeatable=False) as peer:
        assert use(peer, scenario, tmp_path) is False
        assert methods(peer).count("tools/call") == 3


def test_a_lost_notification_is_sent_again(losses: list[Answer], tmp_path: Path) -> None:
    waits = Event()
    losses += [HANGS_UP] * (MOST_SENDS - 1)

    async def scenario(pool: ConnectionPool, connection: ServerConnection) -> None:
        with anyio.move_on_after(0.05):
            await connection.call("echo", {"text": "wait"})
        waits.set()
        while methods(peer).count("notifications/cancelled") < MOST_SENDS:
            await anyio.sleep(0.001)
        assert not (await connection.call("echo", {"text": "hi"})).is_error
        assert pool.take_restarts() == {}

    with server(losses, waits=waits) as peer:
        use(peer, scenario, tmp_path)


def test_a_call_is_not_made_more_often_than_that(losses: list[Answer], tmp_path: Path) -> None:
    losses += [HANGS_UP] * MOST_SENDS

    async def scenario(_pool: ConnectionPool, connection: ServerConnection) -> None:
        with pytest.raises(ServerError, match=f", {MOST_SENDS} times in one call of 'echo'"):
            await connection.call("echo", {"text": "hi"})

    with server(losses) as peer:
        use(peer, scenario, tmp_path)
        assert methods(peer).count("tools/call") == MOST_SENDS


def test_requests_that_are_lost_one_after_the_other_open_the_circuit(losses: list[Answer], tmp_path: Path) -> None:
    losses += [HANGS_UP] * 2 * MOST_FAILURES

    async def scenario(pool: ConnectionPool, connection: ServerConnection) -> None:
        for _ in range(MOST_FAILURES):
            with pytest.raises(ServerError, match="'echo' was not called again"):
                await connection.call("echo", {"text": "hi"})
        later = pool.connection(connection.ref, Sandbox(path=tmp_path), tmp_path)
        with pytest.raises(ServerError, match="it is left alone for a while, because it failed again"):
            await later.ready()

    with server(losses, is_repeatable=False) as peer:
        use(peer, scenario, tmp_path)
        assert methods(peer).count("tools/call") == MOST_FAILURES


def test_requests_that_are_lost_together_count_once(losses: list[Answer], tmp_path: Path) -> None:
    together = 3 * MOST_FAILURES
    losses += [Answer(502, delay_seconds=0.1)] * together

    async def scenario(_pool: ConnectionPool, connection: ServerConnection) -> list[bool]:
        repeated = []

        async def call() -> None:
            repeated.append((await connection.call("echo", {"text": "hi"})).was_repeated)

        async with anyio.create_task_group() as group:
            for _ in range(together):
                group.start_soon(call)
        return repeated

    with server(losses) as peer:
        assert use(peer, scenario, tmp_path) == [True] * together


def test_a_server_that_is_gone_is_left_alone_before_a_model_would_be_asked(
    losses: list[Answer], tmp_path: Path
) -> None:
    async def scenario(pool: ConnectionPool, connection: ServerConnection) -> None:
        assert not (await connection.call("echo", {"text": "hi"})).is_error
        peer.close()
        losses.append(HANGS_UP)
        with pytest.raises(ServerError, match="it is left alone for a while"):
            await connection.call("echo", {"text": "hi"})
        with pytest.raises(ServerError, match="it is left alone for a while"):
            await pool.connection(connection.ref, Sandbox(path=tmp_path), tmp_path).ready()

    with server(losses, is_repeatable=True) as peer:
        use(peer, scenario, tmp_path)


@pytest.mark.parametrize(
    ("kind", "beginning"),
    [("application/json", b"["), ("text/event-stream", b": hello\r\n\r\nid: 1\r\nevent: message\r\ndata: [")],
)
def test_a_reply_that_is_too_large_is_the_error_of_its_call(
    losses: list[Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, beginning: bytes
) -> None:
    monkeypatch.setattr(bounded_decoding, "LARGEST_BODY", 10_000)
    waits = Event()
    losses.append(Answer(body=beginning + b"[" * 20_000, headers={"Content-Type": kind}))

    async def scenario(_pool: ConnectionPool, connection: ServerConnection) -> str:
        results = []

        async def call() -> None:
            results.append(await connection.call("echo", {"text": "wait"}))

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(ServerError) as caught:
                await connection.call("echo", {"text": "hi"})
            waits.set()
        assert [result.is_error for result in results] == [False]
        return caught.value.problem

    with server(losses, waits=waits) as peer:
        assert use(peer, scenario, tmp_path).startswith("its response has more than ")
        assert methods(peer).count("initialize") == 1


def test_a_refused_notification_says_nothing_about_the_errors_after_it(losses: list[Answer], tmp_path: Path) -> None:
    waits = Event()
    error = b'{"jsonrpc": "2.0", "id": %d, "error": {"code": -32602, "message": "Unknown city"}}'
    losses.append(Answer(400))

    async def scenario(_pool: ConnectionPool, connection: ServerConnection) -> str:
        with anyio.move_on_after(0.05):
            await connection.call("echo", {"text": "wait"})
        waits.set()
        while losses:
            await anyio.sleep(0.01)
        number = max(body["id"] for body in peer.bodies if "id" in body) + 1
        losses.append(Answer(body=error % number, headers={"Content-Type": "application/json"}))
        return (await connection.call("echo", {"text": "hi"})).text

    with server(losses, waits=waits) as peer:
        assert use(peer, scenario, tmp_path) == "Error -32602: Unknown city"
        assert methods(peer).count("initialize") == 1
