"""Lifecycle of a server's process."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.servers.server_process import ServerProcess
from pytest_mcpbench.servers.watchdog import Watchdog
from tests.faults.attempts import faulty_command
from tests.servers.subjects import becomes_true, is_alive, odd, open_connection, text_of

ProcessOf = Callable[[str], ServerProcess]


@pytest.fixture
def process_of(tmp_path: Path) -> Iterator[ProcessOf]:
    """Return a function that creates the process of a Python script."""
    with closing(Watchdog()) as watchdog:
        yield lambda script: ServerProcess(
            (sys.executable, "-S", "-c", script), environment={}, directory=tmp_path, watchdog=watchdog
        )


def test_no_process_is_left_after_closing_nor_what_the_server_has_started(tmp_path: Path) -> None:
    async def pids() -> list[int]:
        async with open_connection(odd(), tmp_path) as connection:
            server = json.loads(await text_of(connection, "about"))["pid"]
            return [server, int(await text_of(connection, "spawn"))]

    server, grandchild = anyio.run(pids)
    assert not is_alive(server)
    # Nobody waits for the grandchild: it is killed, and dies when the kernel comes to it.
    assert becomes_true(lambda: not is_alive(grandchild), within_seconds=5)


def test_a_server_that_does_not_end_is_killed(tmp_path: Path) -> None:
    async def close() -> tuple[int, float]:
        async with open_connection(odd("stubborn"), tmp_path) as connection:
            pid = json.loads(await text_of(connection, "about"))["pid"]
            began = anyio.current_time()
        return pid, anyio.current_time() - began

    pid, seconds = anyio.run(close)
    assert not is_alive(pid)
    assert seconds < 15


def test_a_cancelled_owner_kills_its_server(tmp_path: Path) -> None:
    async def pid_of_a_cancelled_one() -> int:
        pid = 0
        with anyio.CancelScope() as scope:
            async with open_connection(odd("stubborn"), tmp_path) as connection:
                pid = json.loads(await text_of(connection, "about"))["pid"]
                scope.cancel()
                await anyio.sleep_forever()
        return pid

    assert not is_alive(anyio.run(pid_of_a_cancelled_one))


def test_a_private_server_runs_in_the_sandbox_directory(tmp_path: Path) -> None:
    async def directory() -> str:
        async with open_connection(odd(), tmp_path) as connection:
            return str(json.loads(await text_of(connection, "about"))["directory"])

    assert anyio.run(directory) == str(tmp_path)


def test_the_transport_knows_pid_return_code_stderr_and_stray_output(process_of: ProcessOf) -> None:
    script = "import sys; print('hello'); print('no', file=sys.stderr); sys.exit(4)"

    async def facts() -> tuple[object, ...]:
        transport = process_of(script)
        assert transport.pid is None
        async with transport as (incoming, _):
            assert [message async for message in incoming] == []
            await transport.settle()
            assert isinstance(transport.pid, int)
            return transport.is_lost, transport.returncode, transport.stderr, transport.stray_output

    assert anyio.run(facts) == (True, 4, "no", (1, ("hello",)))


def test_only_the_last_lines_of_stderr_are_kept(process_of: ProcessOf) -> None:
    script = "import sys; [print('line', number, file=sys.stderr) for number in range(5000)]"

    async def tail() -> str:
        transport = process_of(script)
        async with transport as (incoming, _):
            assert [message async for message in incoming] == []
        return transport.stderr

    assert anyio.run(tail).splitlines() == [f"line {number}" for number in range(4980, 5000)]


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_a_death_by_signal_in_mid_session_is_told(signum: signal.Signals, tmp_path: Path) -> None:
    async def error() -> ServerError:
        async with open_connection(odd(), tmp_path) as connection:
            os.kill(json.loads(await text_of(connection, "about"))["pid"], signum)
            with pytest.raises(ServerError) as caught:
                await connection.call("silent", {})
            return caught.value

    found = anyio.run(error)
    assert (found.problem, found.returncode) == ("its process ended", -signum)


@pytest.mark.parametrize("fault", ["call:daemon", "call:session"])
def test_no_process_is_left_that_has_left_the_session_of_its_server(fault: str, tmp_path: Path) -> None:
    server = ServerRef(name="faulty", **faulty_command(fault))

    async def call() -> int:
        async with open_connection(server, tmp_path) as connection:
            await connection.call("echo", {"text": "hi"})
            daemon = int((tmp_path / "daemon.pid").read_text())
            assert is_alive(daemon)
            return daemon

    daemon = anyio.run(call)
    assert becomes_true(lambda: not is_alive(daemon), within_seconds=5)
