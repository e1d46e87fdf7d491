"""Processes of a server that a zygote forks."""

import json
import os
import signal
import sys
from pathlib import Path

import anyio
import pytest

from pytest_mcpbench.core.errors import ServerError
from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef, ServerTimeouts
from pytest_mcpbench.servers.forking import PythonCommand, python_command
from pytest_mcpbench.servers.pool import ConnectionPool
from pytest_mcpbench.servers.server_connection import ServerConnection
from tests.servers.subjects import SCRIPTS, becomes_true, is_alive, odd, open_connection, text_of

COUNTS = """
import json
import sys
from pathlib import Path
sys.path.insert(0, {scripts!r})
import odd
Path({log!r}).open("a").write("imported\\n" if __name__ != "__main__" else "run\\n")
if __name__ == "__main__":
    odd.Server("plain").serve()
"""


async def about(connection: ServerConnection) -> dict[str, object]:
    answer: dict[str, object] = json.loads(await text_of(connection, "about"))
    return answer


async def open_in(pool: ConnectionPool, server: ServerRef, directory: Path) -> ServerConnection:
    directory.mkdir()
    connection = pool.connection(server, Sandbox(path=directory), directory.parent)
    await connection.ready()
    return connection


def test_each_connection_has_a_process_of_its_own_in_its_own_directory(tmp_path: Path) -> None:
    async def answers() -> list[dict[str, object]]:
        pool = ConnectionPool()
        server = odd(fork=True, environment={"COLOUR": "red"})
        both = [await open_in(pool, server, tmp_path / name) for name in ("first", "second")]
        values = [await about(connection) for connection in both]
        await pool.close()
        return values

    first, second = anyio.run(answers)
    assert [first["directory"], second["directory"]] == [str(tmp_path / "first"), str(tmp_path / "second")]
    assert [answer["environment"]["COLOUR"] for answer in (first, second)] == ["red", "red"]  # type: ignore[index]
    assert first["pid"] != second["pid"]
    assert not is_alive(int(str(first["pid"])))
    assert not is_alive(int(str(second["pid"])))


def test_the_server_is_imported_once_and_run_for_each(tmp_path: Path) -> None:
    script, log = tmp_path / "server.py", tmp_path / "log"
    script.write_text(COUNTS.format(scripts=str(SCRIPTS), log=str(log)))
    server = ServerRef(name="s", transport="stdio", command=sys.executable, arguments=("-S", "server.py"), fork=True)

    async def use() -> None:
        pool = ConnectionPool()
        for name in ("first", "second"):
            await open_in(pool, server, tmp_path / name)
        await pool.close()

    anyio.run(use)
    assert log.read_text().split() == ["imported", "run", "run"]


def test_a_module_is_run_as_python_m_does(tmp_path: Path) -> None:
    (tmp_path / "served.py").write_text(COUNTS.format(scripts=str(SCRIPTS), log=str(tmp_path / "log")))
    server = ServerRef(
        name="s",
        transport="stdio",
        command=sys.executable,
        arguments=("-S", "-m", "served", "--verbose"),
        working_directory=str(tmp_path),
        fork=True,
    )

    async def use() -> dict[str, object]:
        async with open_connection(server, tmp_path) as connection:
            return await about(connection)

    assert anyio.run(use)["directory"] == str(tmp_path)
    assert (tmp_path / "log").read_text().split() == ["imported", "run"]


def test_its_end_is_known_with_return_code_and_stderr(tmp_path: Path) -> None:
    async def crash() -> None:
        async with open_connection(odd(fork=True), tmp_path) as connection:
            await connection.call("crash", {})

    with pytest.raises(ServerError) as caught:
        anyio.run(crash)
    assert (caught.value.returncode, caught.value.stderr) == (3, "Traceback: out of cheese")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        pytest.param("raise RuntimeError('no cheese')", "no cheese", id="it raises"),
        pytest.param(
            "import threading, time; threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
            "starts threads, which a fork does not copy",
            id="it starts a thread",
        ),
    ],
)
def test_a_server_that_cannot_be_imported_beforehand_says_why(tmp_path: Path, code: str, message: str) -> None:
    (tmp_path / "server.py").write_text(code)
    server = ServerRef(name="s", transport="stdio", command=sys.executable, arguments=("-S", "server.py"), fork=True)

    async def connect() -> None:
        async with open_connection(server, tmp_path):
            pass

    with pytest.raises(ServerError, match="could not be imported before it is forked") as caught:
        anyio.run(connect)
    assert message in caught.value.stderr


def test_what_was_forked_ends_with_what_has_forked_it(tmp_path: Path) -> None:
    async def use() -> tuple[int, str]:
        async with open_connection(odd("stubborn", fork=True), tmp_path) as connection:
            pid = int(str((await about(connection))["pid"]))
            zygote = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            os.kill(zygote, signal.SIGKILL)
            with pytest.raises(ServerError) as caught:
                await connection.call("silent", {})
            return pid, str(caught.value)

    pid, error = anyio.run(use)
    assert becomes_true(lambda: not is_alive(pid))
    assert "its process ended (exit code -9)" in error


def test_one_that_does_not_answer_runs_into_its_deadline(tmp_path: Path) -> None:
    impatient = ServerTimeouts(start_seconds=1.0)

    async def connect() -> None:
        async with open_connection(odd("silent", fork=True, timeouts=impatient), tmp_path):
            pass

    with pytest.raises(ServerError, match="did not answer within 1 seconds"):
        anyio.run(connect)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(("-m", "mail", "-v"), PythonCommand("/bin/python3", (), "mail", None, ("-v",)), id="module"),
        pytest.param(("-u", "s.py"), PythonCommand("/bin/python3", ("-u",), None, "/here/s.py", ()), id="script"),
        pytest.param(("-X", "dev", "/s.py"), PythonCommand("/bin/python3", ("-X", "dev"), None, "/s.py", ()), id="-X"),
    ],
)
def test_a_python_command_is_taken_apart(arguments: tuple[str, ...], expected: PythonCommand) -> None:
    assert python_command(odd(), ("/bin/python3", *arguments), Path("/here")) == expected


def test_an_installed_script_is_run_by_its_own_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "mcp-server-mail"
    script.write_text("#!/opt/mail/bin/python\n")
    assert python_command(odd(), (str(script), "-v"), tmp_path) == PythonCommand(
        "/opt/mail/bin/python", (), None, str(script), ("-v",)
    )


@pytest.mark.parametrize("command", [("/bin/sh", "server.sh"), ("/bin/python3", "-c", "pass")])
def test_another_command_cannot_be_forked(command: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"it cannot be forked: .*leave out `fork`"):
        python_command(odd(), command, tmp_path)


def test_only_a_command_that_is_started_for_each_task_can_be_forked() -> None:
    with pytest.raises(ValueError, match="fork is for a command that is started for each task"):
        odd(fork=True, state="shared")
