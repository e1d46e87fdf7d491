"""A shared server that dies now and then costs the calls that may not be repeated, and no others."""

from collections.abc import Callable, Coroutine
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef, server_key
from pytest_mcpbench.servers import shared_server
from pytest_mcpbench.servers.pool import ConnectionPool
from pytest_mcpbench.servers.shared_server import MOST_FAILURES, SharedConnection
from tests.servers.subjects import odd, text_of

SHARED = odd(state="shared")


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_server, "FIRST_DELAY_SECONDS", 0.001)
    monkeypatch.setattr(shared_server, "FIRST_PAUSE_SECONDS", 20.0)


@pytest.fixture
def crashes(tmp_path: Path) -> Callable[[int], str]:
    """Return a function that writes how often the server is to die from now on."""

    def write(count: int) -> str:
        (tmp_path / "crashes").write_text("\n".join("x" * count))
        return str(tmp_path / "crashes")

    return write


def connect(pool: ConnectionPool, ref: ServerRef, directory: Path) -> SharedConnection:
    connection = pool.connection(ref, Sandbox(path=directory), directory)
    assert isinstance(connection, SharedConnection)
    return connection


def run(scenario: Callable[[ConnectionPool, SharedConnection], Coroutine[None, None, None]], directory: Path) -> None:
    async def main() -> None:
        pool = ConnectionPool(root=directory)
        try:
            connection = connect(pool, SHARED, directory)
            await connection.ready()
            await scenario(pool, connection)
        finally:
            await pool.close()

    anyio.run(main)


def test_a_server_in_a_directory_whose_name_is_not_utf_8_is_told_from_others(tmp_path: Path) -> None:
    # A directory of the suite is set by copying, which does not validate it.
    places = ({"working_directory": f"/{name}\udcff"} for name in "aab")
    one, same, other = (SHARED.model_copy(update=place) for place in places)
    assert server_key(one, tmp_path) == server_key(same, tmp_path) != server_key(other, tmp_path)


def test_a_lost_call_of_a_read_only_tool_is_made_once_more_and_says_so(
    crashes: Callable[[int], str], tmp_path: Path
) -> None:
    async def scenario(pool: ConnectionPool, connection: SharedConnection) -> None:
        arguments = {"crashes": crashes(1)}
        repeated, plain = [await connection.call("stumble", arguments) for _ in range(2)]
        assert (repeated.text, repeated.was_repeated, plain.was_repeated) == ("upright", True, False)
        assert (pool.take_restarts(), pool.take_restarts()) == ({"odd": 1}, {})

    run(scenario, tmp_path)


def test_a_lost_call_that_may_have_changed_something_is_an_error(crashes: Callable[[int], str], tmp_path: Path) -> None:
    async def scenario(_pool: ConnectionPool, connection: SharedConnection) -> None:
        with pytest.raises(ServerError) as caught:
            await connection.call("stumble_writing", {"crashes": crashes(1)})
        assert caught.value.problem == (
            "its process ended; 'stumble_writing' was not called again, because it is neither marked as read-only nor "
            "as idempotent"
        )
        # The next call goes to the server that replaces the lost one, whatever its tool: it was never sent before.
        assert await text_of(connection, "echo", text="back") == "back"

    run(scenario, tmp_path)


def test_a_call_is_not_made_a_fourth_time(crashes: Callable[[int], str], tmp_path: Path) -> None:
    async def scenario(_pool: ConnectionPool, connection: SharedConnection) -> None:
        with pytest.raises(ServerError, match="its process ended, 3 times in one call of 'stumble'"):
            await connection.call("stumble", {"crashes": crashes(3)})

    run(scenario, tmp_path)


def test_failures_are_counted_anew_after_an_answered_call(crashes: Callable[[int], str], tmp_path: Path) -> None:
    async def scenario(_pool: ConnectionPool, connection: SharedConnection) -> None:
        for _ in range(2 * MOST_FAILURES):
            assert (await connection.call("stumble", {"crashes": crashes(1)})).text == "upright"

    run(scenario, tmp_path)


def test_calls_in_flight_share_one_restart(crashes: Callable[[int], str], tmp_path: Path) -> None:
    async def scenario(pool: ConnectionPool, connection: SharedConnection) -> None:
        path = crashes(1)
        others = [connect(pool, SHARED, tmp_path) for _ in range(8)]
        texts = []

        async def call(each: SharedConnection) -> None:
            await each.ready()
            texts.append(await text_of(each, "stumble", crashes=path))

        async with anyio.create_task_group() as group:
            for each in (connection, *others):
                group.start_soon(call, each)
        assert (texts, pool.take_restarts()) == (["upright"] * 9, {"odd": 1})

    run(scenario, tmp_path)


def test_the_circuit_opens_before_a_model_would_be_asked_and_a_probe_closes_it(
    crashes: Callable[[int], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(pool: ConnectionPool, connection: SharedConnection) -> None:
        path = crashes(MOST_FAILURES)
        for _ in range(MOST_FAILURES):
            with pytest.raises(ServerError):
                await connection.call("stumble_writing", {"crashes": path})
        assert pool.take_restarts() == {"odd": MOST_FAILURES - 1}
        for _ in range(3):
            with pytest.raises(
                ServerError, match="it is left alone for a while, because it failed again: its process ended"
            ):
                await connect(pool, SHARED, tmp_path).ready()
        assert pool.take_restarts() == {}, "an open circuit starts nothing"
        later = shared_server._now() + 61
        monkeypatch.setattr(shared_server, "_now", lambda: later)
        await connection.ready()
        assert await text_of(connection, "echo", text="back") == "back"
        assert pool.take_restarts() == {"odd": 1}

    run(scenario, tmp_path)


def test_a_probe_repeats_the_last_answered_read_and_leaves_the_circuit_open_if_that_fails(
    crashes: Callable[[int], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(pool: ConnectionPool, connection: SharedConnection) -> None:
        assert await text_of(connection, "stumble", crashes=crashes(0)) == "upright"
        path = crashes(MOST_FAILURES + 1)
        for _ in range(MOST_FAILURES):
            with pytest.raises(ServerError):
                await connection.call("stumble_writing", {"crashes": path})
        for pause, outcome in (*((second, "left alone") for second in (0, 19, 21, 60)), (62, "")):
            later = start + pause
            monkeypatch.setattr(shared_server, "_now", lambda later=later: later)
            with pytest.raises(ServerError, match=outcome) if outcome else anyio.CancelScope():
                await connection.ready()
        assert pool.take_restarts() == {"odd": MOST_FAILURES + 1}

    start = 0.0
    monkeypatch.setattr(shared_server, "_now", lambda: start)
    run(scenario, tmp_path)
