"""Runs on a simulated Windows and a simulated macOS: without what is missing there, from forks to ``/proc``."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TASKS = """\
servers:
  notes: {factory: "fixtures.notes_server:server"}
  program: {command: "%s", arguments: [-m, pytest_mcpbench.cli, serve, math]}
tasks:
  - {id: in-process, ask: Read Shopping., servers: [notes], tool: read_note, arguments: {title: Shopping}}
  - {id: of-a-program, ask: Add., servers: [program], tool: calculate, arguments: {expression: 1 + 2}}
"""
TASKKILL = '#!/bin/sh\n[ "$1 $2 $3" = "/F /T /PID" ] && kill -s KILL "$4"\n'


@pytest.fixture(params=["win32", "darwin"])
def platform(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "notes.mcpbench.yaml").write_text(TASKS % sys.executable, encoding="utf-8")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "taskkill").write_text(TASKKILL, encoding="utf-8")
    (programs / "taskkill").chmod(0o755)
    (programs / "sh").symlink_to("/bin/sh")
    (programs / "kill").symlink_to("/bin/kill")
    return tmp_path


def run(project: Path, platform: str, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        # Neither setpriv nor prlimit nor bwrap.
        "PATH": str(project / "bin"),
        "SIMULATED_PLATFORM": platform,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "fixtures" / "other_platform"), str(ROOT)]),
    }
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=project, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.extra
def test_a_run_is_resumed_and_shown_and_leaves_nothing_behind(project: Path, platform: str) -> None:
    first = run(project, platform, "pytest", "--model=oracle", "--model=noop", "-k", "in-process", "-p", "no:xdist")
    assert "1 failed, 1 passed" in first.stdout, first.stdout + first.stderr
    # Without xdist's sockets of Unix, in the workers too.
    second = run(project, platform, "pytest", "--model=oracle", "--mcpbench-resume=last", "-n", "1")
    assert "2 passed" in second.stdout, second.stdout + second.stderr
    assert first.stderr + second.stderr == ""
    shown = run(project, platform, "pytest_mcpbench.cli", "show", "last", "of-a-program")
    assert shown.stdout.startswith("notes · of-a-program · oracle"), shown.stderr
    assert not [*project.glob(".mcpbench/runs/*/.lock")]
    assert b"\r" not in b"".join(file.read_bytes() for file in project.glob(".mcpbench/runs/*/records-*.jsonl"))


@pytest.mark.extra
def test_more_workers_than_processors_need_no_sockets_of_unix(project: Path) -> None:
    made = run(project, "win32", "pytest", "--model=oracle", "-n", str((os.cpu_count() or 1) + 1))
    assert "2 passed" in made.stdout, made.stdout + made.stderr


@pytest.mark.extra
def test_what_cannot_work_says_so(project: Path) -> None:
    made = run(project, "win32", "pytest", "--model=oracle", "--mcpbench-isolation=bwrap")
    assert "--mcpbench-isolation=bwrap: bubblewrap (bwrap) is not installed" in made.stderr
    made = run(project, "win32", "pytest", "--model=local")
    assert "--model=local does not run on Windows" in made.stderr
