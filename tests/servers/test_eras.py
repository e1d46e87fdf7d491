"""Servers of both eras of the protocol: found out without being told, and remembered."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.servers.pool import ConnectionPool
from tests.servers.subjects import IMPATIENT, SCRIPTS, failure_of, odd, open_connection, text_of, url_server


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with url_server() as base:
        yield base


def modern(*arguments: str, **fields: Any) -> ServerRef:
    arguments = ("-S", str(SCRIPTS / "modern.py"), *arguments)
    return ServerRef(name="modern", transport="stdio", command=sys.executable, arguments=arguments, **fields)


def protocol_of(server: ServerRef, directory: Path) -> str | None:
    async def connect() -> str | None:
        async with open_connection(server, directory) as connection:
            return connection.facts.protocol

    return anyio.run(connect)


@pytest.mark.parametrize("mode", [None, "auto", "modern"])
def test_a_server_of_the_modern_era_alone_is_spoken_to(tmp_path: Path, mode: Any) -> None:
    assert protocol_of(modern(mode=mode), tmp_path) == "2026-07-28"


def test_a_server_at_a_url_is_spoken_to_in_the_modern_era_if_it_knows_it(url: str, tmp_path: Path) -> None:
    versions = {
        mode: protocol_of(ServerRef(name="s", transport="http", url=f"{url}/mcp", mode=mode), tmp_path)
        for mode in (None, "modern", "legacy")
    }
    assert versions == {None: "2026-07-28", "modern": "2026-07-28", "legacy": "2025-11-25"}


def test_a_server_on_stdio_is_spoken_to_with_a_handshake_if_it_knows_it(tmp_path: Path) -> None:
    assert protocol_of(odd(), tmp_path) == "2025-11-25"


@pytest.mark.long
def test_a_mode_that_the_server_does_not_speak_is_an_error(tmp_path: Path) -> None:
    assert "unsupported protocol version" in failure_of(modern(mode="legacy"), tmp_path).problem
    error = failure_of(odd(mode="modern", timeouts=IMPATIENT), tmp_path)
    assert error.problem.startswith("it did not answer server/discover within 0.2 seconds; if it needs longer, raise ")
    assert error.problem.endswith('; a server that begins with a handshake has the mode "legacy", or "auto"')
    assert (
        "its answer to server/discover names 2025-11-25; "
        in failure_of(modern("discover", mode="modern"), tmp_path).problem
    )


def test_a_server_in_modern_mode_never_gets_a_handshake(tmp_path: Path) -> None:
    log = tmp_path / "methods"
    protocol_of(modern("", str(log), mode="modern"), tmp_path)
    assert log.read_text().split() == ["server/discover", "tools/list"]


@pytest.mark.long
@pytest.mark.parametrize("mode", [None, "auto", "modern"])
def test_a_server_may_take_its_start_seconds_for_discovery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: Any
) -> None:
    # The time that mcp's client gives to a probe: ten seconds.
    monkeypatch.setattr("mcp.client.session.DISCOVER_TIMEOUT_SECONDS", 0.1)
    assert protocol_of(modern("slow", mode=mode), tmp_path) == "2026-07-28"
    assert protocol_of(modern("curt", mode="modern"), tmp_path) == "2026-07-28"
    if mode != "modern":
        problem = failure_of(modern("curt", mode=mode), tmp_path).problem
        assert problem == (
            "it answered with error -32601: unknown method; if it speaks 2026-07-28 only, "
            'set `mode = "modern"`; server/discover may then take the time of a start'
        )


def test_the_era_of_a_server_is_remembered(tmp_path: Path) -> None:
    log = tmp_path / "started"
    script = f"open({str(log)!r}, 'a').write('x'); exec(open({str(SCRIPTS / 'modern.py')!r}).read())"
    server = modern().model_copy(update={"arguments": ("-S", "-c", script)})

    async def open_twice() -> list[int]:
        pool = ConnectionPool(root=tmp_path)
        starts = []
        try:
            for _ in range(2):
                connection = pool.connection(server, Sandbox(path=tmp_path), tmp_path)
                await connection.ready()
                starts.append(len(log.read_text()))
        finally:
            await pool.close()
        return starts

    # The first is started again after its handshake was refused.
    assert anyio.run(open_twice) == [2, 3]


@pytest.mark.long
@pytest.mark.parametrize("mode", ["legacy", "modern"])
def test_progress_lets_the_time_of_a_call_begin_again(url: str, tmp_path: Path, mode: Any) -> None:
    patience = ServerTimeouts(call_seconds=0.6)
    server = ServerRef(name="s", transport="http", url=f"{url}/mcp", mode=mode, timeouts=patience)

    async def call() -> list[Any]:
        async with open_connection(server, tmp_path) as connection:
            worked = await connection.call("work", {"steps": 6})
            return [worked.text, worked.progress[-1], await text_of(connection, "silent")]

    assert anyio.run(call) == ["worked", "6 of 6", "The tool did not answer within 0.6 seconds."]


def test_structured_results_of_any_type_are_read(tmp_path: Path) -> None:
    async def call() -> list[Any]:
        async with open_connection(modern(), tmp_path) as connection:
            names = [tool.tool for tool in connection.tools]
            return [(await connection.call(name, {"word": "ab"})).structured for name in names]

    assert anyio.run(call) == [["a", "b"], 2]
