"""No server outlives a run, however it ends."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import fixtures.servers.odd
from pytest_mcpbench.servers.leftovers import MARK

pytestmark = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes in /proc")

TASKS = """\
servers:
  odd: {{command: "{python} {server} {manner}", fork: {fork}}}
tasks:
  - id: waits
    ask: Say nothing.
    tool: silent
    arguments: {{}}
"""


in_each_way = pytest.mark.parametrize(
    ("server", "hanging_run"),
    [
        pytest.param(("stubborn", "false"), ["-p", "no:xdist"], id="one process-in a call"),
        pytest.param(("stubborn", "true"), ["-p", "no:xdist"], id="one process-forked", marks=pytest.mark.extra),
        pytest.param(("silent", "false"), ["-n", "1"], id="a worker-not initialized", marks=pytest.mark.extra),
    ],
    indirect=True,
)


@pytest.fixture
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of the odd server, by whose path its processes are known, and a task that hangs in it."""
    manner, fork = request.param
    copy = tmp_path / "server-of-this-test.py"
    shutil.copy(fixtures.servers.odd.__file__, copy)
    (tmp_path / "odd.mcpbench.yaml").write_text(
        TASKS.format(python=sys.executable, server=copy, manner=manner, fork=fork)
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return copy


@pytest.fixture
def hanging_run(server: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[bytes]]:
    """A run of pytest whose attempt waits for the server."""
    command = [sys.executable, "-m", "pytest", "--model=oracle", "-q", *request.param]
    (server.parent / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(server.parent / "tmp")}
    with (
        _default_hang_up(),
        subprocess.Popen(
            command, cwd=server.parent, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as run,
    ):
        _until(lambda: bool(_processes(server)))
        yield run
        run.kill()


@contextmanager
def _default_hang_up() -> Iterator[None]:
    """Let processes that are started in the block end by SIGHUP, also if these tests run under ``nohup``."""
    earlier = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, earlier)


@in_each_way
def test_ctrl_c_ends_the_run_and_leaves_no_server(hanging_run: subprocess.Popen[bytes], server: Path) -> None:
    hanging_run.send_signal(signal.SIGINT)
    assert hanging_run.wait(timeout=60) == pytest.ExitCode.INTERRUPTED
    _until(lambda: not _processes(server))


@pytest.mark.parametrize("hanging_run", [["-p", "no:xdist"]], indirect=True, ids=["one process"])
@pytest.mark.parametrize("server", [("stubborn", "false")], indirect=True, ids=["in a call"])
@pytest.mark.long
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_of_the_system_ends_the_run_in_order(
    hanging_run: subprocess.Popen[bytes], server: Path, name: str
) -> None:
    hanging_run.send_signal(getattr(signal, name))
    assert hanging_run.wait(timeout=60) == pytest.ExitCode.INTERRUPTED
    _until(lambda: not _processes(server))
    assert not list((server.parent / "tmp").iterdir())


@pytest.mark.extra
@pytest.mark.parametrize("hanging_run", [["-n", "1"]], indirect=True, ids=["a worker"])
@pytest.mark.parametrize("server", [("stubborn", "false")], indirect=True, ids=["in a call"])
def test_a_second_ctrl_c_ends_the_run_and_leaves_no_server(hanging_run: subprocess.Popen[bytes], server: Path) -> None:
    hanging_run.send_signal(signal.SIGINT)
    hanging_run.send_signal(signal.SIGINT)
    assert hanging_run.wait(timeout=60) == pytest.ExitCode.INTERRUPTED
    _until(lambda: not _processes(server))


@pytest.mark.extra
@in_each_way
def test_killing_the_process_that_makes_the_attempt_leaves_no_server(
    hanging_run: subprocess.Popen[bytes], server: Path
) -> None:
    # Where it is forked there are two, of which the first was started by the run.
    os.kill(_parent(min(_processes(server))), signal.SIGKILL)
    hanging_run.wait(timeout=60)
    _until(lambda: not _processes(server))


@pytest.mark.long
def test_the_next_run_ends_a_process_that_left_the_session_of_its_server(tmp_path: Path) -> None:
    child, sleep = tmp_path / "child-of-this-test", shutil.which("sleep")
    assert sleep is not None
    child.symlink_to(sleep)
    command = f"setsid --fork {child} 300; exec {sys.executable} {fixtures.servers.odd.__file__} stubborn"
    server = f"odd: {{command: sh, arguments: [-c, '{command}']}}"
    tasks = f"servers:\n  {server}\ntasks:\n  - {{id: waits, ask: Say nothing., tool: silent, arguments: {{}}}}\n"
    (tmp_path / "odd.mcpbench.yaml").write_text(tasks)
    (tmp_path / "plain.mcpbench.yaml").write_text("tasks:\n  - {id: says, ask: Say 1., answer: '1'}\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    pytest_run = [sys.executable, "-m", "pytest", "--model=oracle", "-q", "-p", "no:xdist"]
    # Under bubblewrap the child would end with the namespace of the server.
    first = [*pytest_run, "--mcpbench-isolation=none", "odd.mcpbench.yaml"]
    with subprocess.Popen(first, cwd=tmp_path, stdout=subprocess.DEVNULL) as run:
        _until(lambda: bool(_programs(child) and _watchdogs(run)))
        # With its watchdog, which would end the child at once.
        for pid in (*_watchdogs(run), run.pid):
            os.kill(pid, signal.SIGKILL)
    assert _programs(child)
    subprocess.run([*pytest_run, "plain.mcpbench.yaml"], cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
    _until(lambda: not _programs(child))


def _watchdogs(run: "subprocess.Popen[bytes]") -> list[int]:
    lists = Path(f"/proc/{run.pid}/task").glob("*/children")
    children = [int(pid) for each in lists for pid in each.read_text().split()]
    mark = f"{MARK}=".encode()
    return [pid for pid in children if any(word.startswith(mark) for word in _words(Path(f"/proc/{pid}")))]


def _processes(server: Path) -> list[int]:
    """Process ids of the interpreters that run the server, or fork it."""
    wanted = str(server).encode()
    return [pid for pid, words in _all_words() if any(wanted in word for word in words[:4])]


def _programs(path: Path) -> list[int]:
    """Process ids of the program at this path, without shells that are about to start it."""
    return [pid for pid, words in _all_words() if words[:1] == [str(path).encode()]]


def _all_words() -> list[tuple[int, list[bytes]]]:
    return [(int(entry.name), _words(entry)) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _words(process: Path) -> list[bytes]:
    try:
        return (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def _parent(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))


def _until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.05)
