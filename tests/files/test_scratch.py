"""Temporary directories: removed with their run, and by the next run if theirs was killed."""

import signal
import subprocess
import sys
from pathlib import Path

from pytest_mcpbench.files.scratch import ScratchDirectory, sweep

OWNER = """
import sys
from pathlib import Path
from pytest_mcpbench.files.scratch import ScratchDirectory
scratch = ScratchDirectory(Path(sys.argv[1]))
(scratch.path / "sandbox").mkdir()
print("ready", flush=True)
sys.stdin.read()
"""


def test_the_directory_of_a_killed_process_is_swept_and_that_of_a_living_one_stays(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OWNER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        assert sweep(tmp_path) == 0
        owner.send_signal(signal.SIGKILL)
    assert sweep(tmp_path) == 1
    assert not list(tmp_path.iterdir())


def test_a_run_does_not_sweep_another_one_of_the_same_process(tmp_path: Path) -> None:
    scratch = ScratchDirectory(tmp_path)
    directory = scratch.path
    assert sweep(tmp_path) == 0
    assert directory.is_dir()
    scratch.remove()
    assert not list(tmp_path.iterdir())


def test_what_others_have_made_is_not_swept(tmp_path: Path) -> None:
    (tmp_path / "mcpbench-mine").mkdir()
    (tmp_path / "other").mkdir()
    assert sweep(tmp_path) == 0
    assert len(list(tmp_path.iterdir())) == 2
