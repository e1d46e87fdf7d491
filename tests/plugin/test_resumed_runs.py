"""A run that is interrupted and resumed, and one whose disk was full, end like a run without an interruption."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fixtures.chat_server import Answer, chat_server, fails, says
from pytest_mcpbench.core.report import Entry
from pytest_mcpbench.reporting.aggregates.run_end import end_sentence
from pytest_mcpbench.reporting.data import json as json_report
from pytest_mcpbench.runs.records import read_records, read_report

TASKS = "tasks:\n" + "".join(f"  - {{id: t{n}, ask: Say {n}., answer: '{n}'}}\n" for n in range(8))
OPTIONS = ("-q", "-p", "no:cacheprovider", "--mcpbench-trials=2")
UNEQUAL = {"seconds", "started_at"}
CRASH = """
import os
import signal
import pytest

@pytest.fixture(autouse=True)
def crash(request):
    if "t4" in request.node.name and not os.path.exists("calm"):
        open("calm", "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
"""


def says_the_number(request: Any) -> Answer:
    """Return the number in the request, a wrong one for the tasks 2 and 5."""
    asked = next(message["content"] for message in request["messages"] if message["role"] == "user")
    number = next(character for character in asked if character.isdigit())
    return says(f"<answer>{'no' if number in '25' else number}</answer>")


def summaries(directory: Path) -> Any:
    """Return the summaries of a run without what is measured in seconds."""
    return _without_seconds(json.loads(json_report.text(read_report(directory)))["summaries"])


def _without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_seconds(each) for key, each in value.items() if key not in UNEQUAL}
    return [_without_seconds(each) for each in value] if isinstance(value, list) else value


def pytest_run(project: pytest.Pytester, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run pytest in a process of its own, which may be killed."""
    command = [sys.executable, "-m", "pytest", *OPTIONS, *arguments]
    return subprocess.run(command, cwd=project.path, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def tasks(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with eight tasks."""
    pytester.makefile(".mcpbench.yaml", numbers=TASKS)
    pytester.makeini("[pytest]\nfilterwarnings = default\n")
    return pytester


@pytest.mark.extra
@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.long)], ids=["one process", "two workers"]
)
def test_a_run_whose_process_is_killed_and_that_is_resumed_has_the_same_summaries(
    tasks: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    fails_once = [True]

    def replies(request: Any) -> Answer:
        return fails(402) if fails_once and fails_once.pop() else says_the_number(request)

    with chat_server(lambda request: says_the_number(request)) as steady, chat_server(replies) as failing:
        aliases = tasks.path / "pyproject.toml"
        aliases.write_text(f'[tool.mcpbench.models]\nmine = "{steady.url}#m"\n')
        whole = tasks.runpytest_inprocess(*OPTIONS, "--model=mine", "--mcpbench-out=whole")
        assert whole.ret == pytest.ExitCode.TESTS_FAILED
        aliases.write_text(f'[tool.mcpbench.models]\nmine = "{failing.url}#m"\n')
        tasks.makeconftest(CRASH)
        pytest_run(tasks, "--model=mine", "--mcpbench-out=out", *workers)
        tasks.runpytest_inprocess(*OPTIONS, "--model=mine", "--mcpbench-out=out", "--mcpbench-resume=out")
    assert (tasks.path / "calm").exists()
    assert summaries(tasks.path / "out") == summaries(tasks.path / "whole")


def test_the_duration_of_an_attempt_that_was_taken_over_begins_when_it_did(tasks: pytest.Pytester) -> None:
    tasks.runpytest_inprocess(*OPTIONS, "--model=oracle", "--mcpbench-out=first")
    for earlier, later in (("first", "second"), ("second", "third")):
        tasks.runpytest_inprocess(*OPTIONS, "--model=oracle", f"--mcpbench-out={later}", f"--mcpbench-resume={earlier}")
    first, second, third = (
        {r.attempt: r for _, r in read_records(tasks.path / name)} for name in ("first", "second", "third")
    )
    assert len(first) == 16
    for attempt, made in first.items():
        assert made.begin == made.started_at == second[attempt].begin == third[attempt].begin
        assert made.seconds == second[attempt].seconds == third[attempt].seconds
        # Records are ordered by it, so that the last one of an attempt counts.
        assert made.started_at < second[attempt].started_at < third[attempt].started_at
    assert Entry.of(third[attempt]).begin == first[attempt].started_at


KILL = """
import os
import signal

WORKERS = []

def pytest_configure(config):
    WORKERS.extend([config] * hasattr(config, "workerinput"))

def pytest_runtest_logreport(report):
    if "t5" in report.nodeid and not WORKERS:
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.long
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_reports_of_a_killed_run_say_that_it_did_not_end_until_it_is_resumed(
    tasks: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    tasks.makeconftest(KILL)
    pytest_run(tasks, "--model=oracle", "--mcpbench-out=out", *workers)
    report = read_report(tasks.path / "out")
    # The attempts that ended ahead of the killed one may be all.
    ran = len(report.entries)
    told = "killed after the last attempt: 16" if ran == 16 else f"killed before its end: {ran} of 16"
    assert ran > 0
    assert (end_sentence(report) or "").startswith(f"{told} attempts ran")
    (tasks.path / "conftest.py").unlink()
    tasks.runpytest_inprocess(*OPTIONS, "--model=oracle", "--mcpbench-out=out", "--mcpbench-resume=out")
    assert end_sentence(read_report(tasks.path / "out")) is None
    tasks.makeconftest(KILL)
    pytest_run(tasks, "--model=oracle", "--mcpbench-out=out", "--mcpbench-resume=out", *workers)
    assert (end_sentence(read_report(tasks.path / "out")) or "").startswith(
        "killed after the last attempt: 16 attempts ran"
    )


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """Mount a file system of a size in memory; skip the test where that is forbidden."""
    place.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], capture_output=True, check=False
    )
    if mount.returncode:
        pytest.skip("mounting a file system is forbidden here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux") or os.geteuid() != 0, reason="mounts a file system")
@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "a worker"])
def test_a_run_that_fills_its_disk_ends_in_order_and_goes_on_with_a_larger_one(
    tasks: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    long = "x" * 150_000
    with chat_server(lambda _: says(long)) as server, small_disk(tasks.path / "disk", "1536k") as disk:
        run = (f"--model={server.url}#m", "--mcpbench-concurrency=2", *workers)
        ended = tasks.runpytest_inprocess(*OPTIONS, *run, "--mcpbench-out=disk/out")
        assert ended.ret == pytest.ExitCode.INTERRUPTED
        output = ended.stdout.str() + ended.stderr.str()
        assert "cannot be written: No space left on device" in output
        assert "Traceback" not in output
        stored = {
            (record.task_id, record.trial) for _, record in read_records(disk / "out") if record.outcome != "error"
        }
        asked = len(server.requests)
        assert 0 < len(stored) < 16
        subprocess.run(["mount", "-o", "remount,size=32m", disk], check=True)
        again = tasks.runpytest_inprocess(*OPTIONS, *run, "--mcpbench-out=disk/out", "--mcpbench-resume=disk/out")
        assert again.ret == pytest.ExitCode.TESTS_FAILED
        assert len(server.requests) - asked <= 16 - len(stored)
        entries = read_report(disk / "out").entries
    assert [entry.outcome for entry in entries] == ["failed"] * 16
