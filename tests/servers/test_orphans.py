"""No process of a server outlives the run, however the run ends."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers.subjects import REPOSITORY, becomes_true, is_alive

RUN = """
import asyncio, json, sys
from pathlib import Path
from pytest_mcpbench.core.server import ServerRef
from tests.faults.attempts import faulty_command
from tests.servers.subjects import odd, open_connection, text_of

async def main():
    here = Path(sys.argv[1])
    forking = ServerRef(name="forking", **faulty_command("call:daemon"))
    async with open_connection(odd("stubborn"), here) as connection, open_connection(forking, here) as other:
        server = json.loads(await text_of(connection, "about"))["pid"]
        await other.call("echo", {"text": "hi"})
        print(server, await text_of(connection, "spawn"), (here / "daemon.pid").read_text(), flush=True)
        await asyncio.sleep(300)

asyncio.run(main())
"""


@contextmanager
def a_run(directory: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Start a process with a server that ignores signals; return it with its pids: server, child, daemon."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(directory)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, [int(pid) for pid in process.stdout.readline().split()]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    "signum",
    [
        pytest.param(signal.SIGKILL, id="kill -9"),
        pytest.param(signal.SIGTERM, id="SIGTERM", marks=pytest.mark.extra),
        pytest.param(signal.SIGINT, id="Ctrl-C"),
    ],
)
def test_no_process_outlives_a_run_that_ends_by(signum: signal.Signals, tmp_path: Path) -> None:
    with a_run(tmp_path) as (process, pids):
        assert len(pids) == 3
        assert all(is_alive(pid) for pid in pids)
        process.send_signal(signum)
        assert becomes_true(lambda: not any(is_alive(pid) for pid in pids))
