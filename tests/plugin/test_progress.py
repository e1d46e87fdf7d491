"""The line below pytest's own, on a terminal of its own and nowhere else."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.chat_server import Answer, chat_server, says

_DRAWN = re.compile(rb"mcpbench: (\d+)/(\d+)(?: \(\d+ ahead\))? \xc2\xb7 ([^\x1b]*)\x1b8")
_BEGINS = b"\x1bD\x1b[A\x1b7"
"""With which the line is drawn, or emptied."""
_SLOW = """
import time

def pytest_runtest_setup(item):
    time.sleep(0.7)
"""


@pytest.fixture
def slow(project: pytest.Pytester) -> pytest.Pytester:
    """A project of which each item takes long enough for the line to be drawn."""
    project.makeconftest(_SLOW)
    return project


@pytest.fixture
def url() -> Iterator[str]:
    def answer(_: object) -> Answer:
        return says("Milk.")

    with chat_server(answer) as server:
        yield server.url


def on_a_terminal(directory: Path, *arguments: str) -> bytes:
    """What a Python process writes to a terminal."""
    ours, its = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    environment.pop("CI", None)
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=directory, stdin=its, stdout=its, stderr=its, env=environment
    ):
        os.close(its)
        return b"".join(iter(lambda: _read(ours), b""))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the last writer is gone.
        return b""


@pytest.mark.long
@pytest.mark.parametrize("workers", [["-p", "no:xdist"], ["-n1"]], ids=["one process", "a worker"])
def test_the_line_says_how_far_the_run_has_come(slow: pytest.Pytester, url: str, workers: list[str]) -> None:
    written = on_a_terminal(slow.path, "-m", "pytest", f"--model={url}", "--trials=3", *workers)
    drawn = _DRAWN.findall(written)
    assert {total for _, total, _ in drawn} == {b"6"}
    assert any(int(done) for done, _, _ in drawn)
    assert re.search(rb"in flight \xc2\xb7 [\d.e+]+/min \xc2\xb7 cost \? \xc2\xb7 \d+:\d\d left", written)
    assert b" ahead) \xc2\xb7 " in written
    assert b"0 % passed" in written
    assert_taken_away_before_anything_else_is_written(written)


def assert_taken_away_before_anything_else_is_written(written: bytes) -> None:
    ends = [drawn.end() for drawn in _DRAWN.finditer(written)]
    assert {written[end:][: len(_BEGINS)] for end in ends} == {_BEGINS}
    assert not _DRAWN.match(written, ends[-1])


@pytest.mark.long
def test_other_ways_of_writing_are_left_alone(slow: pytest.Pytester) -> None:
    runs = "import pytest; [pytest.main(['--model=noop', '-p', 'no:xdist', asked]) for asked in ('-q', '-v', '-s')]"
    written = on_a_terminal(slow.path, "-c", runs)
    assert (written.count(b"2 failed"), b"\x1b7" in written) == (3, False)


@pytest.mark.extra
def test_a_log_gets_a_line_from_time_to_time_unless_it_is_to_be_short(slow: pytest.Pytester) -> None:
    often = "\nfrom pytest_mcpbench.plugin.output import progress\nprogress._LOG_SECONDS = 0.1\n"
    slow.makeconftest(_SLOW.replace("0.7", "0.3") + often)
    runs = "import pytest; [pytest.main(['--model=noop', '-p', 'no:xdist', asked]) for asked in ('--trials=3', '-q')]"
    result = slow.runpython_c(runs)
    logged = [line for line in result.outlines if re.match(r"mcpbench: \d", line)]
    assert re.fullmatch(r"mcpbench: \d/6 .*cost \$0.*", logged[0])
    # The other run has two.
    assert {line.split("/")[1][0] for line in logged} == {"6"}
    assert "\x1b" not in result.stdout.str()


def test_nothing_is_drawn_into_a_log(slow: pytest.Pytester) -> None:
    result = slow.runpytest_inprocess("--model=noop", "-p", "no:xdist")
    assert "\x1b" not in result.stdout.str()
