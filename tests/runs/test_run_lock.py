"""One run at a time writes into a directory."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runs.lock import RunLock
from pytest_mcpbench.runs.records import read_facts_now, write_end, write_start

HOLDER = """
import sys, time
from pathlib import Path
from pytest_mcpbench.runs.lock import RunLock
lock = RunLock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
sys.stdin.read()
lock.release()
"""


READER = """
import fcntl, sys
with open(sys.argv[1] + "/.lock", "rb") as file:
    fcntl.lockf(file, fcntl.LOCK_SH)
    print("held", flush=True)
    sys.stdin.read(1)
"""


def holder(directory: Path, program: str = HOLDER) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(directory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_refused_with_the_number_of_the_first(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "run"
    with holder(directory) as first:
        try:
            with pytest.raises(UsageError, match=rf"run: .*process {first.pid} on .* since .* --mcpbench-out"):
                RunLock(directory).acquire()
        finally:
            first.communicate()
    assert not directory.exists()


def test_the_facts_say_whether_a_run_goes_on_or_was_killed(tmp_path: Path) -> None:
    write_start(tmp_path, {"selected": 3})
    with holder(tmp_path) as run:
        try:
            assert read_facts_now(tmp_path)["end"]["cause"] == "running"
        finally:
            run.kill()
    assert read_facts_now(tmp_path)["end"]["cause"] == "killed"
    write_end(tmp_path, None)
    assert read_facts_now(tmp_path) == {"selected": 3}


def test_a_process_that_looks_whether_a_run_goes_on_keeps_no_run_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".lock").touch()
    with holder(tmp_path, READER) as reader:
        # The reader ends between the first try and the second one.
        monkeypatch.setattr("pytest_mcpbench.runs.lock.time.sleep", lambda _: reader.communicate())
        lock = RunLock(tmp_path)
        lock.acquire()
        lock.release()


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    with holder(tmp_path) as first:
        first.kill()
    assert first.returncode == -signal.SIGKILL
    lock = RunLock(tmp_path)
    lock.acquire()
    lock.acquire()
    assert f"process {os.getpid()} on" in (tmp_path / ".lock").read_text()
    lock.release()


def test_the_records_stay_when_the_lock_is_released(tmp_path: Path) -> None:
    lock = RunLock(tmp_path)
    lock.acquire()
    (tmp_path / "run.json").write_text("{}")
    lock.release()
    lock.release()
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_directory_that_cannot_be_made_is_an_error_of_the_option(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="file/run: records cannot be written there: Not a directory"):
        RunLock(tmp_path / "file" / "run").acquire()


def test_a_lock_whose_directory_was_removed_is_released(tmp_path: Path) -> None:
    lock = RunLock(tmp_path / "run")
    lock.acquire()
    shutil.rmtree(tmp_path / "run")
    lock.release()
