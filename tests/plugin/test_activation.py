"""What a run loads before its first task, and that a task which comes late finds everything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mcpbench.plugin import activation, fixtures

_PROBE = """
import sys, pytest
pytest.main(sys.argv[1:])
print("OWN", *(name for name in sys.modules if name.partition(".")[0] == "pytest_mcpbench"))
"""
_WORKER_PROBE = """
import sys
from pathlib import Path

def pytest_sessionfinish(session):
    if hasattr(session.config, "workerinput"):
        own = (name for name in sys.modules if name.partition(".")[0] == "pytest_mcpbench")
        Path(__file__).with_name("own.txt").write_text(" ".join(own))
"""
TASKS = """
server: pytest_mcpbench.simulated.math.server:server
tasks:
  - ask: How much is 2 + 3?
    answer: 5
"""


def test_the_names_of_the_fixtures_are_those_that_exist() -> None:
    kind = type(fixtures.mcp_session)
    assert {name for name, value in vars(fixtures).items() if isinstance(value, kind)} == activation.FIXTURES


@pytest.mark.extra
def test_a_run_without_tasks_loads_only_what_each_run_needs(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n")
    command = [sys.executable, "-c", _PROBE, "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    own = done.stdout.split("OWN ")[1].split()
    assert len(own) <= 14
    # The classes of values and errors: making them takes longer than all else that such a run loads.
    assert not [name for name in own if name.startswith("pytest_mcpbench.core")]


@pytest.mark.extra
def test_a_worker_without_tasks_loads_only_what_each_run_needs(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(_WORKER_PROBE)
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n")
    command = [sys.executable, "-m", "pytest", "-n1", "-p", "no:cacheprovider"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert len((tmp_path / "own.txt").read_text().split()) <= 14


@pytest.mark.extra
def test_a_worker_without_tasks_sends_reports_with_lone_surrogates(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")).mkdir()
    (tmp_path / "test_plain.py").write_text("def test_plain(): raise ValueError('caf' + chr(0xDCE9))\n")
    command = [sys.executable, "-m", "pytest", "-n1", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "ValueError: caf\ufffd\n" in done.stdout
    assert "1 failed in" in done.stdout


@pytest.mark.extra
def test_workers_find_a_task_file_beside_tests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_a="def test_before(): pass", test_z="def test_after(mcp_session): assert mcp_session")
    (pytester.path / "tasks.mcpbench.yaml").write_text(TASKS)
    result = pytester.runpytest_subprocess("-n2", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*lexical passes 100*"])


@pytest.mark.long
def test_a_task_file_beside_tests_runs_without_any_option(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_a="def test_before(): pass", test_z="def test_after(mcp_session): assert mcp_session")
    (pytester.path / "tasks.mcpbench.yaml").write_text(TASKS)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["mcpbench: lexical*", "*lexical passes 100*"])


def test_a_fixture_that_a_test_asks_for_while_it_runs_finds_the_session(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_late(request): assert request.getfixturevalue('mcp_session').agents")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
